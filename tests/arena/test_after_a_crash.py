"""What a server asks after a crash: its games in progress, and the events that the office has of each."""

import csv

import pytest

from ratings.rbb.ledger.corrections import void_games
from tests.arena import at, game
from tests.arena.conftest import ApiClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(api, begun):
    """Three games in progress, as they were sent."""
    sent = {**begun, "plies": 20}
    for own_id in ("1", "2", "3"):
        api.ask("PUT", f"games/{own_id}", sent, status=201)
    return sent


def playing(api, query=""):
    """The ids of the games on a page."""
    return [one["own_id"] for one in api.ask("GET", f"games?state=playing{query}")["games"]]


def test_a_server_finds_its_games_in_progress_by_its_own_ids_a_page_at_a_time(api, begun):
    first = api.ask("GET", "games?state=playing&limit=2")
    assert [(one["own_id"], one["external_id"], one["result"]) for one in first["games"]] == [
        ("3", "arena/3", None),
        ("2", "arena/2", None),
    ]
    second = api.ask("GET", first["next"].removeprefix("/api/v1/"))
    assert [one["own_id"] for one in second["games"]] == ["1"]
    assert (first["previous"], second["next"]) == (None, None)


def test_games_of_others_and_those_that_have_ended_or_are_void_are_not_in_progress(
    api, other, players, begun
):
    ended = {"result": "1-0", "ended_at": "2026-03-01T00:10:00Z", "termination": "checkmate", "plies": 61}
    api.ask("PUT", "games/1", {**begun, **ended})
    in_progress = {"result": "", "started_at": at(5), "ended_at": None}
    game(*players, **in_progress, external_id="ARENA/4")
    game(*players, **in_progress, external_id="arena-2/5")
    void = game(*players, **in_progress, external_id="arena/6")
    void_games(games=[void], by=None, reason="error", at=at(7))
    assert playing(api) == ["3", "2"]
    assert playing(other) == []


@pytest.mark.parametrize("query", ["", "?state=", "?state=ended", "?limit=2"])
def test_a_server_says_which_of_its_games_it_wants(api, query):
    problem = api.ask("GET", f"games{query}", status=400)
    assert [fault["field"] for fault in problem["errors"]] == ["state"]


def test_games_and_events_of_a_server_need_a_token_with_the_scope_games(server, begun):
    visitor, reader = ApiClient(), ApiClient(server, "read")
    for address in ("games?state=playing", "games/1/presence"):
        assert visitor.ask("GET", address, status=401)["status"] == 401
        assert reader.ask("GET", address, status=403)["scope"] == "games"


def test_a_game_in_progress_has_no_termination_wherever_it_is_told(api, begun, client):
    put = api.ask("PUT", "games/1", begun)
    told = [
        put,
        api.ask("GET", "games/1"),
        api.ask("GET", f"all-games/{put['id']}"),
        *api.ask("GET", "games?state=playing")["games"],
        *api.ask("GET", "all-games")["games"],
    ]
    assert [(one["termination"], one["result"], one["ended_at"]) for one in told] == [(None,) * 3] * len(told)
    rows = list(csv.DictReader(client.get("/games/?format=csv").getvalue().decode().splitlines()))
    assert [(row["termination"], row["result"], row["ended_at"]) for row in rows] == [("",) * 3] * 3
    ended = {**begun, "result": "1-0", "ended_at": "2026-03-01T00:10:00Z"}
    assert api.ask("PUT", "games/1", ended)["termination"] == "normal"


def test_a_server_reads_the_events_of_a_game_and_the_number_to_go_on_with(api, begun):
    assert api.ask("GET", "games/1/presence") == {
        "last_sequence": 0,
        "events": [],
        "game": {
            "url": api.ask("GET", "games/1")["url"],
            "rated": True,
            "result": None,
            "termination": None,
            "ended_at": None,
        },
    }
    gone = {"sequence": 1, "player": "white", "event": "gone", "at": "2026-03-01T00:06:00.250Z"}
    back = {"sequence": 3, "player": "white", "event": "back", "at": "2026-03-01T00:06:30Z"}
    for event in (back, gone):
        api.ask("POST", "games/1/presence", event, status=201)
    answer = api.ask("GET", "games/1/presence")
    # The office hasn't got number 2.
    assert answer["last_sequence"] == 3
    assert [one["sequence"] for one in answer["events"]] == [1, 3]
    assert [one["event"] for one in answer["events"]] == ["gone", "back"]
    assert answer["events"][0]["at"].startswith("2026-03-01T00:06:00.25")
    # Each as it is told can be sent again.
    for event in answer["events"]:
        api.ask("POST", "games/1/presence", event)


def test_the_end_by_2_4_comes_with_the_events(api, begun):
    for number, what, minute in ((1, "gone", "06:00"), (2, "back", "07:01")):
        event = {"sequence": number, "player": "black", "event": what, "at": f"2026-03-01T00:{minute}Z"}
        api.ask("POST", "games/2/presence", event, status=201)
    ended = api.ask("GET", "games/2/presence")["game"]
    assert (ended["result"], ended["termination"]) == ("1-0", "disconnection black")
    assert ended["ended_at"] == "2026-03-01T00:07:00Z"
    assert playing(api) == ["3", "1"]


def test_events_of_a_game_that_was_never_sent_are_not_found(api, other, begun):
    for client, own_id in ((api, "4"), (other, "1")):
        assert client.ask("GET", f"games/{own_id}/presence", status=404)["kind"] == "not-found"
