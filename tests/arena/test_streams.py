"""/api/v1/stream/: news as server-sent events, by a site that ends them and by foa.asgi, which goes on."""

import json
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from http.client import HTTPConnection, IncompleteRead

import pytest
import uvicorn
from django.db import OperationalError, connections
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from foa.asgi import application
from ratings.arena.models import GameServer
from ratings.arena.services import event_streams
from ratings.office.outbox import begin_epoch, reached
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.arena.conftest import ApiClient
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.services import wait_until

CHANGES, PAGES = "/api/v1/stream/changes", "/api/v1/stream/pages"


def events(text):
    """The events of a stream: id and data of each; None where it has none."""
    found = []
    for block in text.replace(":\n\n", "").split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        found.append((fields.get("id"), fields.get("data")))
    return found


def newest():
    """The cursor after everything."""
    position, epoch = reached()
    return f"{epoch}.{position}" if epoch else f"{position}"


class TestOfASite:
    """Without the process for streams, each ends after what is new, and the client comes again."""

    pytestmark = pytest.mark.django_db

    def ask(self, api, address, status=200, **headers):
        response = api.get(address, headers=headers)
        text = response.getvalue().decode()
        assert response.status_code == status, text
        return text

    def test_rows_are_those_of_the_feed_each_with_its_cursor(self, api):
        game(rated(1600), rated(1500))
        rows = json.loads(self.ask(api, "/api/v1/changes"))
        *found, last = events(self.ask(api, CHANGES))
        assert [(row["cursor"], row) for row in rows["changes"]] == [
            (cursor, json.loads(row)) for cursor, row in found
        ]
        assert last == (rows["next"], None)
        game(rated(1600), rated(1500))
        again = events(self.ask(api, f"{CHANGES}?after=0", last_event_id=found[-1][0]))
        assert len(again) == 5
        assert [json.loads(row)["cursor"] for _cursor, row in again[:-1]] == [one for one, _ in again[:-1]]

    def test_of_more_rows_than_fit_the_client_gets_the_rest_at_once(self, api, monkeypatch):
        monkeypatch.setattr("ratings.arena.api.streams.ROWS", 3)
        game(rated(1600), rated(1500))
        text = self.ask(api, CHANGES)
        assert text.startswith("retry: 100\n")
        *rows, last = events(text)
        assert (len(rows), last[0]) == (3, rows[-1][0])
        text = self.ask(api, CHANGES, last_event_id=last[0])
        assert not text.startswith("retry: 100\n")
        assert len(events(text)) == 2

    def test_it_wants_the_token_and_the_cursor_of_the_feed(self, api):
        self.ask(ApiClient(), CHANGES, 401)
        self.ask(ApiClient(GameServer.objects.get(), "games"), CHANGES, 403)
        assert "after" in self.ask(api, f"{CHANGES}?after=x", 400)
        assert "cursor" in self.ask(api, CHANGES, 400, last_event_id="x")
        assert "after" in self.ask(api, f"{CHANGES}?after=x", 400, last_event_id="1")
        assert "no such parameter" in self.ask(api, f"{CHANGES}?limit=1", 400)
        begin_epoch()
        assert json.loads(self.ask(api, CHANGES, 410, last_event_id="1"))["kind"] == "cursor-gone"

    def test_a_page_is_of_a_game_a_member_or_a_category_that_exist(self, client, db):
        played = game(rated(1600), rated(1500))
        for query in ("", f"?game={played.pk}", f"?member={played.white}", "?category=blitz"):
            assert self.ask(client, PAGES + query).split("\n", 1)[1] == "\n"
        assert json.loads(self.ask(client, f"{PAGES}?game={played.pk + 1}", 404))["kind"] == "not-found"
        for query in (
            "?game=x",
            "?game=0",
            "?member=nobody",
            "?category=x",
            "?game=1&category=blitz",
            "?a=1",
        ):
            assert json.loads(self.ask(client, PAGES + query, 400))["kind"] == "invalid"

    @pytest.mark.parametrize("address", [CHANGES, PAGES])
    def test_it_is_asked_with_get_and_nothing_else(self, api, address):
        assert api.post(address).status_code == 405
        response = api.head(address)
        assert (response.status_code, response.getvalue()) == (200, b"")
        assert response["Content-Type"] == "text/event-stream"


class Stream:
    """A stream that is read as it comes."""

    def __init__(self, port, address, *, method="GET", source="127.0.0.1", **headers):
        self.connection = HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
        self.connection.request(method, address, headers=headers)
        self.sock = self.connection.sock
        self.response = self.connection.getresponse()

    def line(self):
        return self.response.readline().decode().rstrip("\n")

    def event(self):
        """The data of the next event that has some."""
        while not (line := self.line()).startswith("data: "):
            assert not self.response.isclosed()
        return line.removeprefix("data: ")

    def rest(self):
        """The rows that come until the stream ends."""
        return [line for line in self.response.read().decode().splitlines() if line.startswith("data: ")]

    def close(self):
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        for one in (self.response, self.connection, self.sock):
            one.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
class TestOfTheProcess:
    """foa.asgi, served by uvicorn."""

    @pytest.fixture(autouse=True)
    def often(self, monkeypatch):
        monkeypatch.setattr(event_streams, "_EVERY", 0.01)

    @pytest.fixture
    def port(self, shared_database, monkeypatch):  # noqa: F811
        # The threads outlive the test, and its database doesn't.
        monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
        with serving() as port:
            yield port

    @pytest.fixture
    def token(self, api):
        return {"Authorization": api.defaults["HTTP_AUTHORIZATION"]}

    @pytest.fixture
    def ask(self, port):
        """Ask for an address, and leave when the test ends."""
        with ExitStack() as stack:
            yield lambda address, **how: stack.enter_context(closing(Stream(port, address, **how)))

    @pytest.fixture
    def follow(self, ask):
        """Follow an address; it counts from then on."""

        def follow(address, **how):
            before = len(event_streams.HUB.followers)
            one = ask(address, **how)
            assert one.response.status == 200, one.response.read()
            wait_until(lambda: len(event_streams.HUB.followers) > before)
            return one

        return follow

    def test_all_who_follow_are_sent_each_row_once_as_it_comes(self, follow, token):
        game(rated(1600), rated(1500))
        followers = [follow(f"{CHANGES}?after={newest()}", **token) for _ in range(3)]
        played = [game(rated(1600), rated(1500)) for _ in range(2)]
        late = follow(f"{CHANGES}?after=0", **token)
        played.append(game(rated(1600), rated(1500)))
        for one, number in ((followers[0], 12), (followers[1], 12), (followers[2], 12), (late, 16)):
            rows = [json.loads(one.event()) for _ in range(number)]
            assert len({row["line"] for row in rows}) == number
            assert rows[-1]["game"] == f"/games/{played[-1].pk}/"

    def test_the_rows_are_those_that_were_asked_for(self, follow, token):
        anna, bert = rated(1600), rated(1500)
        of_anna = follow(f"{CHANGES}?after={newest()}&member={anna.username}", **token)
        of_bullet = follow(f"{CHANGES}?after={newest()}&category=bullet", **token)
        of_all = follow(f"{CHANGES}?after={newest()}", **token)
        game(bert, anna, "0-1")
        game(anna, bert, notation="60+0")
        assert json.loads(of_anna.event())["member"]["username"] == anna.username
        assert [json.loads(of_bullet.event())["category"] for _ in range(2)] == ["bullet"] * 2
        assert [json.loads(of_all.event())["category"] for _ in range(4)] == ["blitz"] * 2 + ["bullet"] * 2

    @pytest.mark.parametrize("what", ["everything", "game", "member", "category"])
    def test_a_page_hears_of_a_move_of_its_end_and_of_nothing_else(self, follow, what):
        anna, bert = rated(1600), rated(1500)
        begun = game(anna, bert, "", ended_at=None, started_at=timezone.now(), plies=2)
        topic = {
            "everything": "",
            "game": f"?game={begun.pk}",
            "member": f"?member={anna.username}",
            "category": "?category=blitz",
        }[what]
        elsewhere = follow(f"{PAGES}?member={rated(1500, category=Category.RAPID).username}")
        page = follow(PAGES + topic)
        wait_until(lambda: event_streams.HUB.boards)
        begun.plies, begun.pgn = 3, "1. e4 e5 2. Nf3"
        begun.save()
        assert page.event() == "changed"
        begun.result, begun.ended_at = "1-0", timezone.now()
        begun.save()
        assert page.event() == "changed"
        assert is_quiet(elsewhere)

    def test_whoever_takes_nothing_is_given_up_after_the_backlog(self, follow):
        healthy, stuck = (follow(PAGES, source=source) for source in ("127.0.0.2", "127.0.0.3"))
        read = threading.Thread(target=healthy.response.read, args=(20_000_000,))
        read.start()
        for _ in range(50):
            for one in list(event_streams.HUB.followers):
                if (one.task and not one.waiting) or one.address == "127.0.0.3":
                    one.task.get_loop().call_soon_threadsafe(one.take, b":" * 400_000)
            time.sleep(0.01)
        wait_until(lambda: [one.address for one in event_streams.HUB.followers] == ["127.0.0.2"])
        with suppress(IncompleteRead):
            assert len(stuck.response.read()) < 10_000_000
        healthy.close()
        read.join()

    def test_followers_stay_while_the_database_is_away(self, follow, token, monkeypatch):
        one = follow(f"{CHANGES}?after={newest()}", **token)
        asked = []

        def away():
            asked.append(1)
            raise OperationalError("the server closed the connection")

        with monkeypatch.context() as patched:
            patched.setattr(event_streams, "reached", away)
            game(rated(1600), rated(1500))
            wait_until(lambda: len(asked) > 2)
        assert json.loads(one.event())["reason"]

    def test_after_a_restore_streams_end_and_the_cursor_is_gone(self, ask, follow, token):
        one = follow(f"{CHANGES}?after={newest()}", **token)
        cursor = newest()
        begin_epoch()
        assert one.rest() == []
        assert ask(CHANGES, **token, **{"Last-Event-ID": cursor}).response.status == 410

    @pytest.mark.parametrize("heard", ["x", "1.", "-1", "latest"])
    def test_a_last_event_id_that_is_no_cursor_is_named_with_what_to_do(self, ask, token, heard):
        answer = ask(CHANGES, **token, **{"Last-Event-ID": heard})
        assert answer.response.status == 400
        (told,) = json.loads(answer.response.read())["errors"]
        assert told == {
            "field": "Last-Event-ID",
            "detail": "This isn’t a cursor. Use `next` from a page, or leave it out to start from the"
            " beginning.",
        }

    @pytest.mark.parametrize("what", ["expired", "revoked", "closed"])
    def test_the_stream_of_a_token_that_is_no_longer_good_ends(self, follow, token, monkeypatch, what):
        monkeypatch.setattr(event_streams, "_CHECK_TOKENS", 0.01)
        page = follow(PAGES)
        one = follow(f"{CHANGES}?after={newest()}", **token)
        tokens = get_access_token_model().objects
        if what == "expired":
            tokens.update(expires=timezone.now() - timedelta(seconds=1))
        elif what == "revoked":
            tokens.all().delete()
        else:
            GameServer.objects.update(is_active=False)
        assert one.rest() == []
        game(rated(1600), rated(1500))
        assert page.event() == "changed"

    def test_a_quiet_stream_shows_signs_of_life(self, follow, monkeypatch):
        monkeypatch.setattr(event_streams, "HEARTBEAT", 0.05)
        page = follow(PAGES)
        assert page.line().startswith("retry: ")
        assert [page.line() for _ in range(5)] == ["", ":", "", ":", ""]

    def test_an_address_and_a_process_have_so_many_followers(self, ask, follow, monkeypatch):
        monkeypatch.setattr(event_streams, "MOST_OF_ADDRESS", 2)
        monkeypatch.setattr(event_streams, "MOST", 3)
        for source in ("127.0.0.1", "127.0.0.1", "127.0.0.2"):
            follow(PAGES, source=source)
        for source in ("127.0.0.1", "127.0.0.3"):
            refused = ask(PAGES, source=source).response
            assert (refused.status, refused.headers["Retry-After"]) == (503, "30")
            assert json.loads(refused.read())["kind"] == "busy"

    def test_a_hundred_who_hang_up_at_once_leave_nothing_behind(self, ask, monkeypatch):
        monkeypatch.setattr(event_streams, "MOST_OF_ADDRESS", 200)
        before = set(threading.enumerate())
        streams = [ask(PAGES) for _ in range(100)]
        wait_until(lambda: len(event_streams.HUB.followers) == 100)
        for one in streams:
            one.close()
        wait_until(lambda: not event_streams.HUB.followers)
        assert not event_streams.HUB.of_address
        wait_until(lambda: event_streams.HUB.looking is None)
        assert len(set(threading.enumerate()) - before) <= 10

    def test_what_a_site_refuses_is_refused(self, ask, token):
        for address, status in (
            (f"{CHANGES}?after=x", 400),
            (f"{PAGES}?game=9", 404),
            ("/nowhere/", 404),
            ("/healthz/live", 200),
        ):
            assert ask(address, **token).response.status == status
        for method, status in (("HEAD", 200), ("POST", 405), ("PUT", 405)):
            response = ask(PAGES, method=method).response
            assert (response.status, bool(response.read())) == (status, method != "HEAD")
        assert not event_streams.HUB.followers


def is_quiet(stream):
    """Whether nothing has come since the beginning but signs of life."""
    stream.sock.settimeout(0.2)
    said = b""
    with suppress(TimeoutError):
        while line := stream.response.readline():
            said += line
    return b"data" not in said


@contextmanager
def serving():
    """The port of foa.asgi in a thread of this process, over the test's database."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
