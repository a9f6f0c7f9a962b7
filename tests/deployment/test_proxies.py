"""docs/nginx.conf and docs/pgbouncer.ini, with nothing changed but ports, paths and names."""

import gzip
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import pytest

from tests import postgresql
from tests.deployment.proxy import proxy
from tests.deployment.serving import running, started
from tests.migrated import ROOT
from tests.services import free_port, program

pytestmark = pytest.mark.process


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked. A page may be kept if its address says so; a slow one waits."""

    is_awaited = threading.Semaphore(0)
    may_go_on = threading.Event()

    def do_GET(self):
        if "slow" in self.path:
            self.is_awaited.release()
            self.may_go_on.wait(60)
        taken = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        heard = [[name.lower(), value] for name, value in self.headers.items()]
        said = json.dumps({"path": self.path, "headers": heard, "bytes": len(taken)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Cache-Control", "no-cache")
        if "kept" in self.path:
            self.send_header("Expires", formatdate(time.time() + 3600, usegmt=True))
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def do_POST(self):
        self.do_GET()

    def log_message(self, *_):
        """Silence."""


@pytest.fixture(scope="module")
def echo(tmp_path_factory):
    """nginx before one site that says what it was asked, and one that is down."""
    place = tmp_path_factory.mktemp("nginx")
    http = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        with proxy(place, [f"127.0.0.1:{free_port()}", f"127.0.0.1:{http.server_port}"]) as visitor:
            visitor.place = place
            yield visitor
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def test_a_site_hears_who_asks_from_nginx_alone(echo):
    forged = {
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "elsewhere.example",
        "Forwarded": "for=192.0.2.1",
        "X-Request-ID": "forged",
    }
    heard = [tuple(one) for one in echo.ask("/lists/?q=a", headers=forged).json()["headers"]]
    told = dict(heard)
    assert len(told) == len(heard)
    assert told.pop("x-forwarded-for") == "127.0.0.1"
    assert told.pop("x-forwarded-proto") == "https"
    assert told.pop("host") == "ratings.example"
    assert re.fullmatch("[0-9a-f]{32}", told.pop("x-request-id"))
    assert not told.keys() & {"x-forwarded-host", "forwarded"}


def test_what_comes_without_tls_is_led_to_the_name_of_the_site(echo):
    led = echo.ask("/members/?q=a", scheme="http", headers={"Host": "elsewhere.example"})
    assert (led.status, led.headers["Location"]) == (301, "https://ratings.example/members/?q=a")


@pytest.mark.parametrize(("path", "megabytes", "status"), [
    ("/members/", 9, 200),
    ("/members/", 11, 413),
    ("/admin/fide/fidelist/import/", 11, 200),
])  # fmt: skip
def test_only_the_forms_of_fide_lists_take_large_files(echo, path, megabytes, status):
    assert echo.ask(path, "POST", body=bytes(megabytes * 1_000_000)).status == status


def test_addresses_may_be_as_long_as_gunicorn_takes_them(echo):
    path = f"/calculators/?games={'1' * 8100}"
    assert echo.ask(path).json()["path"] == path


def test_figures_of_the_machine_are_not_public(echo):
    assert [echo.ask(path).status for path in ("/metrics", "/metrics/", "/metrics?a=1")] == [404] * 3


def test_pages_are_compressed_by_the_site_alone(echo):
    answer = echo.ask(f"/?{'a' * 2000}", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


def test_visitors_share_a_page_as_long_as_the_site_says(echo):
    """What the site was asked has the id of the request: of a page that is kept, that of the first."""

    def is_kept(path, **headers):
        return echo.ask(path, headers=headers).data == echo.ask(path, headers=headers).data

    assert is_kept("/members/?kept")
    assert not is_kept("/members/")
    assert not is_kept("/members/?kept", Cookie="sessionid=1")
    assert not is_kept("/members/?kept", Authorization="Bearer x")
    for path in (
        "/members/?kept&format=csv",
        "/kept/list.csv",
        "/api/v1/members?kept",
        "/api/v1/changes?wait=20&kept",
        "/admin/?kept",
        "/admin/fide/?kept",
        "/account/?kept",
        "/login/?kept",
    ):
        assert not is_kept(path), path
    other = echo.ask("/members/?kept", headers={"Host": "elsewhere.example"}).data
    assert other != echo.ask("/members/?kept").data


@pytest.mark.parametrize("path", ["/members/?format=csv&slow", "/slow/list.csv"])
def test_an_address_downloads_three_files_at_once_and_goes_on_reading_pages(echo, path):
    Echo.may_go_on.clear()
    # Each request counts itself here, also the last one of the run before.
    Echo.is_awaited = threading.Semaphore(0)
    try:
        with ThreadPoolExecutor(3) as threads:
            files = [threads.submit(echo.ask, path) for _ in range(3)]
            for _ in files:
                assert Echo.is_awaited.acquire(timeout=60)
            fourth = echo.ask(path)
            assert (fourth.status, fourth.headers["Retry-After"]) == (503, "10")
            assert fourth.data == (
                b"You are downloading three files already. Please try again in a few seconds.\n"
            )
            assert [echo.ask(page).status for page in ("/members/", "/api/v1/changes?format=json")] == [
                200
            ] * 2
            Echo.may_go_on.set()
            assert [file.result().status for file in files] == [200] * 3
        assert echo.ask(path).status == 200
    finally:
        Echo.may_go_on.set()


def test_static_files_come_from_the_disk_compressed_and_stay_where_their_name_has_a_hash(echo):
    static = echo.place / "static"
    (static / "base.0123456789ab.css").write_text("a {}")
    (static / "base.0123456789ab.css.gz").write_bytes(gzip.compress(b"a {}"))
    (static / "base.css").write_text("b {}")
    kept = echo.ask("/static/base.0123456789ab.css", headers={"Accept-Encoding": "gzip"})
    assert (kept.status, kept.data, kept.headers["Content-Encoding"]) == (200, b"a {}", "gzip")
    assert kept.headers["Cache-Control"] == "public, max-age=315360000, immutable"
    other = echo.ask("/static/base.css")
    assert (other.data, other.headers["Cache-Control"]) == (b"b {}", "public, max-age=60")
    assert other.headers["X-Content-Type-Options"] == "nosniff"
    assert other.headers["Content-Type"] == "text/css"


def test_programs_and_visitors_are_told_to_come_back_while_no_site_is_up(tmp_path):
    with proxy(tmp_path, [f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"]) as visitor:
        for method, path in (("POST", "/api/v1/games"), ("GET", "/"), ("POST", "/admin/fide/files/add/")):
            answer = visitor.ask(path, method, body=b"{}")
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
            assert answer.data.startswith(b"The rating office is being restarted.")


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """PostgreSQL, PgBouncer before it, two sites and nginx; with who manages it."""
    place = tmp_path_factory.mktemp("office")
    pgbouncer = program("pgbouncer")
    server = postgresql.start()
    with ExitStack() as stack:
        stack.callback(server.stop)
        port, password = free_port(), secrets.token_hex(16)
        bouncer = server.directory
        with psycopg.connect(host=str(bouncer), user="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE ROLE foa LOGIN SUPERUSER PASSWORD '{password}'")
            users = connection.execute(
                "SELECT format('\"%s\" \"%s\"', rolname, rolpassword) FROM pg_authid WHERE rolname = 'foa'"
            ).fetchone()[0]
        example = (ROOT / "docs" / "pgbouncer.ini").read_text()
        for written, here in {
            "foa = host=127.0.0.1 port=5432 dbname=foa": f"foa = host={bouncer} dbname={postgresql.TEMPLATE}",
            "listen_port = 6432": f"listen_port = {port}",
            "/etc/pgbouncer/userlist.txt": f"{bouncer}/userlist.txt",
            "/var/log/postgresql/pgbouncer.log": f"{bouncer}/pgbouncer.log",
            "/var/run/postgresql/pgbouncer.pid": f"{bouncer}/pgbouncer.pid",
        }.items():
            assert written in example, written
            example = example.replace(written, here)
        (bouncer / "pgbouncer.ini").write_text(example)
        (bouncer / "userlist.txt").write_text(users)
        for file in ("pgbouncer.ini", "userlist.txt"):
            if server.user:
                shutil.chown(bouncer / file, server.user)
        as_user = ["-u", server.user] if server.user else []
        stack.enter_context(
            running([pgbouncer, *as_user, bouncer / "pgbouncer.ini"], cwd=place, log="pgbouncer.log")
        )
        environment = {
            **os.environ,
            "DATABASE_URL": f"postgres://foa:{password}@127.0.0.1:{port}/foa",
            "DATABASE_POOLED": "true",
            "SECRET_KEY": secrets.token_hex(32),
            "ALLOWED_HOSTS": "ratings.example",
            "HTTPS": "true",
            "TRUSTED_PROXIES": "127.0.0.1",
            "PROGRESS_DIR": str(place / "progress"),
            "UPLOAD_DIR": str(place / "uploads"),
        }
        gunicorn = [sys.executable, "-m", "gunicorn", "foa.wsgi"]
        sites = [
            stack.enter_context(started(gunicorn, cwd=ROOT, env=environment, log=place / f"{site}.log"))
            for site in ("one", "other")
        ]
        visitor = stack.enter_context(proxy(place, [site.removeprefix("http://") for site in sites]))
        visitor.url = environment["DATABASE_URL"]
        visitor.manage = lambda *arguments: subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        yield visitor


def test_a_game_server_is_answered_by_both_sites_through_nginx_and_pgbouncer(office):
    lines = office.manage("add_server", "arena", "--trusted").splitlines()
    login = dict(line.split(": ", 1) for line in lines if ": " in line)
    token = office.ask(
        "/oauth/token/",
        "POST",
        fields={
            "grant_type": "client_credentials",
            "client_id": login["client id"],
            "client_secret": login["client secret"],
        },
        encode_multipart=False,
    ).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for number in range(4):
        answer = office.ask(f"/api/v1/members/m{number}", "PUT", headers=headers, body=b"{}")
        assert answer.status == 201, answer.data
    for path in ("/", "/members/", "/lists/", "/api/v1/members"):
        answer = office.ask(path)
        assert answer.status == 200
        assert "max-age" in answer.headers["Strict-Transport-Security"]
    assert b"m3" in office.ask("/members/").data


def test_pgbouncer_pools_by_transaction(office):
    """The office's own connection through it is another one after each transaction, if it has to be."""
    admin = office.url.rpartition("/")[0] + "/pgbouncer"
    with pytest.raises(psycopg.OperationalError, match="not allowed"):
        psycopg.connect(admin)
    with psycopg.connect(office.url, autocommit=True, prepare_threshold=None) as one:
        assert one.execute("SELECT current_user").fetchone() == ("foa",)
