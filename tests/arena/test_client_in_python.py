"""docs/client.py as it stands, with a site and the process for streams, and when things go wrong."""

import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from threading import Thread

import pytest
from standardwebhooks import Webhook

from tests import migrated
from tests.deployment.serving import running, started
from tests.migrated import ROOT
from tests.services import answers, free_port, wait_until

SPEC = importlib.util.spec_from_file_location("client", ROOT / "docs" / "client.py")
client = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(client)

NOW = datetime.now(UTC)
YESTERDAY = (NOW - timedelta(days=1)).isoformat()


def member(username):
    """A member as they are sent."""
    return {
        "username": username,
        "name": username.title(),
        "spans": [{"from": YESTERDAY, "until": None}],
        "opening_ratings": [{"category": "blitz", "rating": "1500.00", "effective_at": YESTERDAY}],
    }


def game(number, black="boris"):
    """A game as it is sent."""
    began = NOW - timedelta(hours=10 - number)
    return {
        "white": "anna",
        "black": black,
        "time_control": "180+2",
        "started_at": began.isoformat(),
        "ended_at": (began + timedelta(minutes=5)).isoformat(),
        "result": "1-0",
        "termination": "resignation",
        "plies": 40,
    }


@pytest.mark.process
def test_it_sends_reads_and_follows(tmp_path):
    shutil.copy(migrated.sqlite(), tmp_path / "office.sqlite3")
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path}/office.sqlite3",
        "SECRET_KEY": secrets.token_hex(32),
    }
    told = subprocess.run(
        [sys.executable, "manage.py", "add_server", "arena", "--trusted"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    given = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    site = [sys.executable, "-m", "gunicorn", "--config", "python:foa.serving", "foa.wsgi"]
    port = free_port()
    streams = [sys.executable, "-m", "uvicorn", "foa.asgi:application", "--port", str(port)]
    with (
        started(site, cwd=ROOT, env=environment, log=tmp_path / "site.log") as address,
        running(streams, cwd=ROOT, env=environment, log=tmp_path / "streams.log"),
    ):
        office = client.Office(address, given["client id"], given["client secret"])
        verdicts = [told["verdict"] for _sent, told in office.send("members", map(member, ("anna", "boris")))]
        assert verdicts == ["stored"] * 2
        assert [row["username"] for row in office.rows("members?limit=1")] == ["anna", "boris"]
        assert office.read("members?limit=1") is office.read("members?limit=1")

        changes = office.put("games/1", **game(1))["changes"]
        assert [one["change"] for one in changes] == ["10.00", "-10.00"]
        lines = [{"id": "2", **game(2)}, {"id": "3", **game(3, "nobody")}]
        assert [(sent["id"], told["verdict"]) for sent, told in office.send("games", lines)] == [
            ("2", "stored"),
            ("3", "refused"),
        ]
        with pytest.raises(client.Refused) as refused:
            office.put("games/3", **game(3, "nobody"))
        assert (refused.value.status, refused.value.problem["kind"]) == (422, "refused")
        assert "nobody" in str(refused.value)
        best, other = office.rows("ratings/blitz")
        assert (best["username"], other["username"]) == ("anna", "boris")
        assert list(office.rows("lists")) == []

        found = list(islice(office.follow(), 6))
        assert [row for _cursor, row in found] == office.read("changes")["changes"]
        wait_until(lambda: answers(("127.0.0.1", port)))
        follower = client.Office(f"http://127.0.0.1:{port}", *office.login)
        follower.http = office.http
        following = follower.follow(found[3][0])
        assert [next(following) for _ in range(2)] == found[4:]
        office.put("games/4", **game(4))
        assert {next(following)[1]["member"]["username"] for _ in range(2)} == {"anna", "boris"}
        following.close()


@contextmanager
def giving(*said):
    """An office at a server that answers what it is given, one after another, and what it was asked."""
    said, asked = list(said), []

    class Giving(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            asked.append((self.path, self.headers.get("Last-Event-ID")))
            status, headers, text = said.pop(0)
            self.close_connection = True
            if status is None:
                return
            self.send_response(status)
            # Said, so that the client doesn't send its next request into a connection that is being closed.
            for name, value in {"Content-Length": len(text), "Connection": "close", **headers}.items():
                if value is not None:
                    self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            text = b'{"access_token": "new"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Giving)
    thread = Thread(target=server.serve_forever)
    thread.start()
    office = client.Office(f"http://127.0.0.1:{server.server_port}", "id", "secret")
    try:
        yield office, asked
    finally:
        office.http.close()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def naps(monkeypatch):
    """The seconds for which the client sleeps; nobody waits for them."""
    found = []
    monkeypatch.setattr(client.time, "sleep", found.append)
    return found


def test_it_comes_back_when_it_is_told_to_and_after_no_answer(naps):
    said = [(503, {"Retry-After": 7}, "busy"), (None, {}, ""), (401, {}, ""), (200, {}, "[]")]
    with giving(*said) as (office, asked):
        office.http.headers["Authorization"] = "Bearer old"
        assert office.ask("GET", "lists").json() == []
        assert office.http.headers["Authorization"] == "Bearer new"
    assert (len(asked), naps) == (4, [0, 7, 5, 30])


def test_after_five_times_it_tells_what_the_last_answer_was(naps):
    with (
        giving(*[(503, {"Retry-After": 5}, "Being restarted.")] * 5) as (office, asked),
        pytest.raises(client.Refused, match=r"Being restarted\.") as refused,
    ):
        office.ask("GET", "lists")
    assert (refused.value.status, len(asked), naps) == (503, 5, [0, 5, 5, 5, 5])


def test_for_an_hour_nobody_waits(naps):
    with giving((429, {"Retry-After": 3600}, "Too many.")) as (office, asked), pytest.raises(client.Refused):
        office.ask("GET", "reports")
    assert (len(asked), naps) == (1, [0])


def test_of_a_stream_that_is_cut_off_no_row_is_lost_and_where_too_many_follow_it_asks_for_pages(naps):
    whole, part = 'retry: 4000\nid: 1\ndata: {"line": 1}\n\n', 'id: 2\ndata: {"line'
    cut = "".join(f"{len(one):x}\r\n{one}\r\n" for one in (whole, part))
    page = json.dumps({"changes": [{"cursor": "2", "line": 2}], "next": "9", "more": False})
    busy = json.dumps({"kind": "busy", "detail": "Too many follow."})
    said = [
        (200, {"Content-Length": None, "Transfer-Encoding": "chunked", "Connection": "close"}, cut),
        (503, {"Content-Type": "application/problem+json", "Retry-After": 30}, busy),
        (200, {}, page),
        (200, {}, 'retry: 4000\nid: 10\ndata: {"line": 3}\n\n'),
    ]
    with giving(*said) as (office, asked):
        following = office.follow()
        assert [next(following) for _ in range(3)] == [
            ("1", {"line": 1}),
            ("2", {"cursor": "2", "line": 2}),
            ("10", {"line": 3}),
        ]
        following.close()
    stream = "/api/v1/stream/changes"
    assert asked == [
        (stream, None),
        (stream, "1"),
        ("/api/v1/changes?after=1&wait=20", None),
        (stream, "9"),
    ]


def test_it_begins_anew_where_the_cursor_is_gone(naps):
    gone = json.dumps({"kind": "cursor-gone", "detail": "The office was restored."})
    with (
        giving((410, {"Content-Type": "application/problem+json"}, gone)) as (office, _asked),
        pytest.raises(client.Refused, match="The office was restored"),
    ):
        next(office.follow("7"))


def test_a_message_is_that_of_the_office_signed_now():
    secret, body = "whsec_" + "c2VjcmV0" * 5, '{"type": "rating.changed", "data": {"text": "Łódź"}}'
    at = datetime.now(UTC)
    headers = {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": f"v1,other {Webhook(secret).sign('msg_1', at, body)}",
    }
    assert client.verified(secret, headers, body.encode()) == json.loads(body)
    earlier = str(int(at.timestamp()) - 600)
    for changed in ({"Webhook-Id": "msg_2"}, {"Webhook-Timestamp": earlier}, {"Webhook-Signature": "v1,x"}):
        with pytest.raises(ValueError, match=r"signature|old"):
            client.verified(secret, headers | changed, body.encode())
    with pytest.raises(ValueError, match="signature"):
        client.verified(secret, headers, body.encode() + b" ")
