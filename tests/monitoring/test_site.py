"""A real site with two processes and its worker: probes, figures, log lines and reports of faults."""

import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from urllib.request import urlopen

import pytest
from django.core.cache.backends.filebased import FileBasedCache
from django.utils import timezone

from tests.deployment.serving import started
from tests.migrated import ROOT
from tests.monitoring.site import Site
from tests.services import wait_until

HOST = "ratings.example"
PAGE = 'foa_request_seconds_count{method="GET",status="200",view="calculators:index"}'


@contextmanager
def receiving():
    """The address of a Sentry that takes everything, and what it was told."""
    received = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments):
            """Tests need no log of it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://key@127.0.0.1:{server.server_port}/1", received
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="class")
def site(migrated, tmp_path_factory):
    database = shutil.copy(migrated, tmp_path_factory.mktemp("site") / "office.sqlite3")
    with receiving() as (address, received):
        site = Site(database, SENTRY_DSN=address)
        site.reported = received
        with site.running():
            yield site


@pytest.mark.skipif(sys.platform != "linux", reason="it finds the processes of a site in /proc")
class TestSite:
    """They share one site, and leave it as they found it."""

    def test_probes_answer_who_knows_neither_the_host_nor_tls(self, site):
        assert site.get("/healthz/live")[::2] == (200, '{"process": "ok"}')
        assert site.get("/calculators/")[0] == 400
        assert site.get("/calculators/", Host=HOST)[0] == 301

    def test_the_office_is_ready_while_its_worker_gives_signs_of_life(self, site):
        wait_until(lambda: site.ready()[0] == 200)
        status, said = site.ready()
        assert said == dict.fromkeys(("database", "migrations", "cache", "progress", "worker", "disk"), "ok")
        site.worker.send_signal(signal.SIGSTOP)
        try:
            a_minute_ago = timezone.now() - timedelta(seconds=61)
            progress = FileBasedCache(f"{site.database}-progress", {})
            progress.set("worker", a_minute_ago, None)
            status, silent = site.ready()
            assert (status, silent) == (503, {**said, "worker": "no sign of life in the last minute"})
            seen = site.figures()["foa_worker_timestamp_seconds"]
            assert seen == pytest.approx(a_minute_ago.timestamp())
        finally:
            site.worker.send_signal(signal.SIGCONT)
        wait_until(lambda: site.ready()[0] == 200)

    def test_figures_are_for_who_has_the_token(self, site):
        assert site.get("/metrics")[0] == 404
        assert site.get("/metrics", Authorization="Bearer prometheu")[0] == 404

    def test_requests_are_added_up_over_both_processes(self, site):
        before = site.figures().get(PAGE, 0)
        one, other = site.processes()
        for silent, requests in ((one, 3), (other, 4)):
            with site.stopped(silent):
                for _request in range(requests):
                    assert site.get("/calculators/", host=HOST)[0] == 200
        assert site.figures()[PAGE] == before + 7

    def test_what_a_killed_process_was_answering_is_not_in_progress_any_more(self, site):
        answered = site.figures().get(PAGE, 0)
        one, other = site.processes()
        # A form whose body never comes.
        waiting = HTTPConnection("127.0.0.1", site.port)
        with closing(waiting), site.stopped(one):
            waiting.putrequest("POST", "/language/set/", skip_host=True)
            for header, value in (
                ("Host", HOST),
                ("X-Forwarded-Proto", "https"),
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Content-Length", "10"),
            ):
                waiting.putheader(header, value)
            waiting.endheaders()
            wait_until(lambda: site.figures()["foa_requests_in_progress"] == 1)
            os.kill(other, signal.SIGKILL)
        wait_until(lambda: site.figures()["foa_requests_in_progress"] == 0)
        assert site.figures().get(PAGE, 0) == answered

    def test_the_worker_tells_what_it_counts(self, site):
        figures = wait_until(lambda: site.figures(site.worker_port))
        assert figures["foa_games_saved_total"] == 0
        assert "foa_queue_depth" not in figures

    def test_a_page_that_is_not_there_stands_in_the_log_under_the_id_of_the_proxy(self, site):
        status, headers, page = site.get("/nowhere/", host=HOST, **{"X-Request-ID": "from-the.proxy_1"})
        assert (status, headers["X-Request-ID"]) == (404, "from-the.proxy_1")
        assert "please give the reference <code>from-the.proxy_1</code>" in page
        record = wait_until(
            lambda: [one for one in site.records() if one["request_id"] == "from-the.proxy_1"]
        )
        assert {name: record[0][name] for name in ("level", "logger", "message", "status_code")} == {
            "level": "WARNING",
            "logger": "django.request",
            "message": "Not Found: /nowhere/",
            "status_code": 404,
        }
        assert "request" not in record[0]

    @pytest.mark.parametrize("id", ["short", "a space in it", "<script>alert(1)</script>", "x" * 65])
    def test_an_id_that_is_not_safe_is_not_taken(self, site, id):
        taken = site.get("/nowhere/", host=HOST, **{"X-Request-ID": id})[1]["X-Request-ID"]
        assert len(taken) == 32
        assert id not in taken

    def test_a_fault_is_reported_without_what_may_name_somebody(self, site):
        with closing(sqlite3.connect(site.database)) as database:
            database.execute("ALTER TABLE members_member RENAME TO elsewhere")
        try:
            status, headers, page = site.get(
                "/members/?member=anna",
                host=HOST,
                Cookie="sessionid=secret",
                Referer="https://a.example/?bob",
            )
        finally:
            with closing(sqlite3.connect(site.database)) as database:
                database.execute("ALTER TABLE elsewhere RENAME TO members_member")
        id = headers["X-Request-ID"]
        assert (status, f"<code>{id}</code>" in page) == (500, True)
        while id not in (envelope := site.reported.get(timeout=30).decode()):
            """Faults of the tests before."""
        event = json.loads(envelope.splitlines()[2])
        assert event["tags"] == {"request_id": id}
        assert event["request"] == {"method": "GET"}
        assert event["transaction"] == "/members/"
        assert [one["type"] for one in event["exception"]["values"]] == ["OperationalError"] * 2
        assert not [word for word in ("anna", "secret", "bob", "no such table") if word in envelope]
        logged = [one for one in site.records() if one["request_id"] == id and one["level"] == "ERROR"]
        assert ["no such table" in one["exc_info"] for one in logged] == [True]


def test_every_line_of_gunicorn_is_json_and_none_is_a_warning(migrated, tmp_path):
    database = shutil.copy(migrated, tmp_path / "office.sqlite3")
    site, log = Site(database), tmp_path / "gunicorn.log"
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:foa.serving", "foa.wsgi"]
    with started(gunicorn, cwd=ROOT, env=site.environment, log=log) as address:
        assert urlopen(f"{address}/healthz/live", timeout=60).status == 200
    records = [json.loads(line) for line in log.read_text().splitlines()]
    said = [record["message"].partition(" ")[0] for record in records]
    assert said == ["Starting", "Listening", "Using", "Booting", "Handling", "Worker", "Shutting"]
    for record in records:
        assert (record["level"], record["logger"], record["request_id"]) == ("INFO", "gunicorn.error", "-")


def test_gunicorn_says_a_wrong_setting_in_its_sentence_and_without_a_traceback(tmp_path):
    site = Site(tmp_path / "office.sqlite3", CASE_DAYS="soon")
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:foa.serving", "foa.wsgi"]
    bind = ["--bind", f"127.0.0.1:{site.port}"]
    ended = subprocess.run(
        [*gunicorn, *bind], cwd=ROOT, env=site.environment, stderr=subprocess.PIPE, text=True
    )
    lines = ended.stderr.splitlines()
    assert [line for line in lines if not line.startswith("{")] == ["CASE_DAYS: “soon” isn’t a whole number."]
    errors = [json.loads(line) for line in lines if '"ERROR"' in line]
    assert [one["message"].partition(" ")[0] for one in errors] == ["Worker", "Shutting", "Reason:"]
    assert not [one for one in errors if "exc_info" in one]
