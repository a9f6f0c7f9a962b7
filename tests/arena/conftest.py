"""Clients of the API: a server with a token, and visitors without one."""

import json
from base64 import b64encode
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import get_access_token_model, set_token_value

from ratings.arena import targets
from ratings.arena.scopes import Scope
from ratings.arena.services.hearing import hear
from ratings.arena.services.registering import register_server
from ratings.office.clients import new_client
from ratings.rules.rbb.presence import Event
from tests.arena import at, rated


class ApiClient(Client):
    """A client that sends JSON and a token, and knows the status that it expects."""

    def __init__(self, server=None, *scopes):
        headers = {}
        if server is not None:
            raw = f"token-{server.name}-{'-'.join(scopes)}"
            token = get_access_token_model()(
                application=server.application,
                scope=" ".join(scopes or server.scopes),
                expires=timezone.now() + timedelta(hours=1),
            )
            set_token_value(token, raw)
            token.save()
            headers["authorization"] = f"Bearer {raw}"
        super().__init__(headers=headers)

    def ask(self, method, address, body=None, *, status=200, **headers):
        """The JSON of an answer that has this status."""
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        response = self.generic(
            method, f"/api/v1/{address}", content, content_type="application/json", headers=headers
        )
        assert response.status_code == status, response.content.decode()
        return response.json() if response.content else None

    def send_lines(self, *lines, to="games", status=200):
        """The verdicts on games (or members) that are sent together, or the problem of the whole request."""
        response = self.post(f"/api/v1/{to}", in_lines(*lines), content_type="application/x-ndjson")
        assert response.status_code == status, response.content.decode()
        if status != 200:
            assert response["Content-Type"] == "application/problem+json"
            return response.json()
        assert response["Content-Type"] == "application/x-ndjson"
        return [json.loads(one) for one in response.content.splitlines()]


def in_lines(*lines):
    """A body of lines: objects, or bytes as they are."""
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)


def statements(request):
    """How many statements a request takes; the test's savepoints stand for BEGIN and COMMIT."""
    with CaptureQueriesContext(connection) as taken:
        request()
    return len(taken)


def basic(credentials):
    """The header by which a server logs in."""
    pair = f"{credentials.client_id}:{credentials.secret}".encode()
    return f"Basic {b64encode(pair).decode()}"


@pytest.fixture
def _hosts_are_public(monkeypatch):
    """Nobody is asked for the address of a host: each has one that anybody may reach."""
    monkeypatch.setattr(targets, "resolve", lambda host, port: ["8.8.8.8"])


@pytest.fixture
def _two_hosts(monkeypatch):
    """A host that anybody may reach, and one of somebody's own network; there is no other."""
    known = {"arena.example": ["93.184.216.34"], "inside.example": ["10.0.0.1"]}
    monkeypatch.setattr(targets, "resolve", lambda host, port: known.get(host, []))


@pytest.fixture
def server(db):
    """A server that the office doesn't trust with members."""
    return register_server("arena")[0]


@pytest.fixture
def api(server):
    """The server with a token for everything."""
    return ApiClient(server)


def program(user):
    """The program of an organizer, with a token."""
    client, _credentials = new_client(user=user)
    client.save()
    return ApiClient(SimpleNamespace(application=client, name=f"of-{user}"), Scope.REPORTS)


@pytest.fixture
def other(db):
    """Another server with a token for everything."""
    return ApiClient(register_server("other")[0])


@pytest.fixture
def trusted(db):
    """A server that the office trusts, with a token for everything."""
    return ApiClient(register_server("club", trusted=True)[0])


def two_members():
    return rated("2000.00"), rated("2000.00")


@pytest.fixture(scope="class")
def players(standing):
    """Two members with equal ratings."""
    return standing(two_members)


@pytest.fixture
def begun(players):
    """A game in progress, as a server sends it."""
    return {
        "white": players[0].username,
        "black": players[1].username,
        "time_control": "180+2",
        "started_at": "2026-03-01T00:05:00Z",
    }


@pytest.fixture
def ended(begun):
    """The same game when it has ended."""
    return {**begun, "result": "1-0", "ended_at": "2026-03-01T00:10:00Z"}


def moment(seconds):
    """So many seconds after minute 6 of the arena, in which players are gone."""
    return at(6) + timedelta(seconds=seconds)


def tell(sequence, what, seconds, player="white", *, received=None):
    """An event of game 1, received when it happens unless said otherwise."""
    event = Event(sequence, player, what, moment(seconds))
    hear("arena/1", event, at=moment(seconds if received is None else received))
