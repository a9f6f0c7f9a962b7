"""GET /api/v1/games: all games of a server with their states and versions, to compare them."""

import pytest

from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game
from tests.arena import at, game
from tests.arena.conftest import ApiClient

pytestmark = pytest.mark.django_db

SINCE = "since=2026-03-01T00:00:00Z"


def rows(api, query, field="state"):
    return {one["own_id"]: one[field] for one in api.ask("GET", f"games?{query}")["games"]}


@pytest.fixture
def sent(api, begun, ended):
    """A game in each state; the last one may be the first, told again."""
    later = {"started_at": "2026-03-01T00:15:00Z", "ended_at": "2026-03-01T00:20:00Z"}
    api.ask("PUT", "games/rated", ended, status=201)
    api.ask("PUT", "games/twin", ended, status=201)
    api.ask("PUT", "games/casual", {**ended, **later, "rated": False}, status=201)
    begun = {**begun, "started_at": "2026-03-01T00:30:00Z"}
    api.ask("PUT", "games/aborted", {**begun, "termination": "aborted"}, status=201)
    api.ask("PUT", "games/playing", {**begun, "started_at": "2026-03-01T00:40:00Z"}, status=201)
    api.ask("PUT", "games/void", {**ended, "time_control": "60+0"}, status=201)
    void_games(games=[Game.objects.get(external_id="arena/void")], by=None, reason="error", at=at(60))
    return {
        "rated": "rated",
        "twin": "possibly-same",
        "casual": "unrated",
        "aborted": "unrated",
        "playing": "playing",
        "void": "void",
    }


def test_a_server_reads_all_its_games_with_their_states(api, other, sent, players):
    game(*players, external_id="elsewhere/1")
    assert rows(api, f"state=all&{SINCE}") == sent
    assert rows(other, f"state=all&{SINCE}") == {}
    for state in set(sent.values()):
        expected = {own_id: state for own_id, one in sent.items() if one == state}
        assert rows(api, f"state={state}&{SINCE}") == expected
    assert rows(api, "state=playing") == {"playing": "playing"}
    why = rows(api, f"state=all&{SINCE}", "not_counted_because")
    assert (why["rated"], why["void"]) == ("", "error")
    assert why["aborted"].startswith("not played")


def test_since_leaves_out_games_that_ended_before_and_none_in_progress(api, sent):
    assert rows(api, "state=all&since=2026-03-01T00:20:00Z").keys() == {"casual", "aborted", "playing"}
    assert rows(api, "state=all&since=2026-03-01T01:20:00.000001%2B01:00").keys() == {"aborted", "playing"}


def test_pages_follow_each_other_by_key_with_the_same_filters(api, sent):
    found, address = [], f"games?state=all&{SINCE}&limit=2"
    while address:
        page = api.ask("GET", address)
        found.append([one["own_id"] for one in page["games"]])
        address = page["next"] and page["next"].removeprefix("/api/v1/")
    assert sorted(one for some in found for one in some) == sorted(sent)
    assert [len(some) for some in found] == [2, 2, 2]
    assert found[-1][-1] == "playing"


def test_the_version_is_that_of_the_answer_to_put_and_get(api, begun, ended):
    for state in (begun, {**begun, "plies": 2}, {**ended, "event": {"id": "e", "name": "E"}}):
        put = api.ask("PUT", "games/1", state, status=200 if state is not begun else 201)
        assert rows(api, f"state=all&{SINCE}", "version") == {"1": put["version"]}
        assert api.ask("GET", "games/1")["version"] == put["version"]


@pytest.mark.parametrize(
    "change",
    [
        {"plies": 61},
        {"pgn": "1. e4 e5"},
        {"termination": "resignation"},
        {"url": "https://arena.example/1"},
        {"event": {"id": "e", "name": "E"}},
    ],
)
def test_whatever_a_server_can_change_gives_another_version(api, ended, change):
    before = api.ask("PUT", "games/1", ended, status=201)["version"]
    assert api.ask("PUT", "games/1", ended)["version"] == before
    assert api.ask("PUT", "games/1", {**ended, **change})["version"] != before
    void_games(games=[Game.objects.get()], by=None, reason="error", at=at(60))
    assert rows(api, f"state=all&{SINCE}", "version")["1"] != before


def test_a_game_that_another_server_sent_first_is_there_by_ones_own_id(api, other, ended):
    ended = {**ended, "url": "https://arena.example/1"}
    api.ask("PUT", "games/1", ended, status=201)
    other.ask("PUT", "games/x", ended, status=200)
    assert rows(other, f"state=all&{SINCE}") == {"x": "rated"}
    assert rows(api, f"state=all&{SINCE}") == {"1": "rated"}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("state=all", "since"),
        ("state=rated&since=", "since"),
        ("state=all&since=2026-03-01", "since"),
        ("state=all&since=2026-03-01T00:00:00", "since"),
        ("state=ended&since=2026-03-01T00:00:00Z", "state"),
    ],
)
def test_a_server_says_since_when(api, query, field):
    assert [one["field"] for one in api.ask("GET", f"games?{query}", status=400)["errors"]] == [field]


def test_the_token_needs_the_scope_for_games(server):
    assert ApiClient(server, "read").ask("GET", f"games?state=all&{SINCE}", status=403)["scope"] == "games"
