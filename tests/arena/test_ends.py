"""``game.ended``: servers learn of ends that the office decided, by a webhook and by the change feed."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from foa.text import utc_text
from ratings.arena.api import changes as feed
from ratings.arena.api.schema import openapi
from ratings.arena.models import Delivery
from ratings.arena.services.delivering import note_deliveries
from ratings.arena.services.presence import settle_all
from ratings.arena.services.registering import register_server
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import OutboxEntry
from ratings.office.outbox import begin_epoch
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.models import Game
from tests.arena import at, rated
from tests.arena.conftest import tell
from tests.arena.receiving import subscribe
from tests.commands import COLUMNS, csv_file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_hosts_are_public")]

MATED = {"result": "1-0", "termination": "checkmate", "ended_at": "2026-03-01T00:09:00Z", "plies": 61}
BY_2_4 = {
    "rated": True,
    "result": "0-1",
    "termination": "disconnection white",
    "ended_at": "2026-03-01T00:07:00Z",
}
GOES_ON = {"rated": True, "result": None, "termination": None, "ended_at": None}


@pytest.fixture
def begun(api, begun):
    """Game 1 of the server, as it was sent; it is in progress."""
    sent = {**begun, "plies": 20}
    api.ask("PUT", "games/1", sent, status=201)
    return sent


def lose():
    """Let White lose game 1 by RBB 2.4, without another word of the server."""
    tell(1, "gone", 0)
    settle_all(at(20))


def correct(**changes):
    """Correct game 1 by a decision of staff."""
    game = Game.objects.get(external_id="arena/1")
    for name, value in changes.items():
        setattr(game, name, value)
    parameters = {"game": [str(game.pk)], **parameters_of(game, GAME_FIELDS)}
    return decide_at_once(Proposal(kind=kind_of("correct-game"), parameters=parameters))[0]


def page(api, query="?events=1"):
    """A page of the feed."""
    response = api.get(f"/api/v1/changes{query}")
    assert response.status_code == 200
    return json.loads(response.getvalue())


def ends(api, query="?events=1"):
    """The rows of ends on a page."""
    return [row for row in page(api, query)["changes"] if "event" in row]


def told(row):
    """How the game ended by a row."""
    return {name: row[name] for name in BY_2_4}


def test_an_end_by_2_4_is_told_with_the_servers_own_id(api, server, begun):
    url = "https://arena.example/hook"
    webhook = subscribe(server, url=url, events=["game.ended"], at=at(6))
    other = subscribe(register_server("other")[0], url=url, events=["game.ended"], at=at(6))
    lose()
    game = Game.objects.get()
    (row,) = ends(api)
    entry = OutboxEntry.objects.get(event="game.ended")
    assert row == {
        "cursor": str(entry.position),
        "event": "game.ended",
        "external_id": "1",
        "url": game.get_absolute_url(),
        **BY_2_4,
        "decision": None,
        "at": utc_text(entry.at),
    }
    note_deliveries(at(20))
    for hook, own in ((webhook, "1"), (other, None)):
        body = json.loads(Delivery.objects.get(webhook=hook).body)
        assert (body["type"], body["timestamp"]) == ("game.ended", utc_text(entry.at))
        assert body["data"] == {
            "position": entry.position,
            "epoch": "",
            "external_id": own,
            "url": game.get_absolute_url(),
            **BY_2_4,
        }


def test_rows_have_the_fields_of_the_document_in_their_order(api, begun):
    def fields(name):
        return list(openapi()["components"]["schemas"][name]["properties"])

    lose()
    rows = page(api)["changes"]
    (end,) = [row for row in rows if "event" in row]
    assert list(end) == fields("EndRow")
    for row in rows:
        if row is not end:
            assert list(row) == fields("ChangeRow")
            assert list(row["member"]) == fields("MemberOfChange")
            assert list(row["cause"]) == fields("CauseOfChange")


def test_what_a_server_says_itself_is_not_told(api, begun):
    api.ask("PUT", "games/1", {**begun, **MATED})
    api.ask("PUT", "games/2", {**begun, **MATED}, status=201)
    api.ask("PUT", "games/3", begun, status=201)
    assert [one["verdict"] for one in api.send_lines({"id": "3", **begun, **MATED})] == ["finished"]
    # A word that the office doesn't know becomes known; a game is aborted.
    api.ask("PUT", "games/4", {**begun, **MATED, "termination": "tiredness"}, status=201)
    assert api.ask("PUT", "games/4", {**begun, **MATED})["termination"] == "checkmate"
    api.ask("PUT", "games/5", begun, status=201)
    api.ask("DELETE", "games/5")
    assert not OutboxEntry.objects.filter(event="game.ended").exists()


def test_an_end_that_is_taken_back_is_told_and_the_game_goes_on(api, begun):
    lose()
    cursor = page(api)["next"]
    tell(2, "back", 30, received=1000)
    (row,) = ends(api, f"?events=1&after={cursor}")
    assert told(row) == GOES_ON
    assert row["decision"].startswith("/register/")
    # The first row says how the game is now, too.
    assert [told(one) for one in ends(api)] == [GOES_ON] * 2


def test_a_correction_of_the_end_is_told_with_its_decision_and_one_of_the_moves_is_not(api, begun):
    api.ask("PUT", "games/1", {**begun, **MATED})
    correct(plies=63)
    assert ends(api) == []
    decision = correct(result="1/2-1/2", termination="agreement")
    (row,) = ends(api)
    assert told(row) == {
        "rated": True,
        "result": "1/2-1/2",
        "termination": "agreement",
        "ended_at": MATED["ended_at"],
    }
    assert row["decision"] == decision.get_absolute_url()


def test_an_end_that_comes_from_a_file_is_told(api, begun, tmp_path):
    row = {
        **{name: begun[name] for name in ("white", "black", "time_control", "started_at")},
        "external_id": "arena/1",
        "rated": "yes",
        "result": "1-0",
        "termination": "resignation",
        "ended_at": "2026-03-01T00:09:00Z",
    }
    call_command("import_games", csv_file(tmp_path / "games.csv", [row], COLUMNS), stdout=StringIO())
    (row,) = ends(api)
    assert (row["external_id"], row["result"], row["termination"]) == ("1", "1-0", "resignation")


def test_who_does_not_ask_for_other_events_gets_the_rows_of_before(api, begun):
    before = page(api, "")
    lose()
    after = page(api, "")
    assert not any("event" in row for row in after["changes"])
    assert after["changes"][: len(before["changes"])] == before["changes"]
    assert len(after["changes"]) == len(before["changes"]) + 2
    assert page(api, f"?after={after['next']}") == {"changes": [], "next": after["next"], "more": False}


@pytest.mark.parametrize("epoch", [False, True])
def test_rows_of_both_kinds_come_in_the_order_of_commits_a_page_at_a_time(api, begun, epoch):
    if epoch:
        begin_epoch()
    lose()
    correct(result="1/2-1/2", termination="agreement")
    later = {"started_at": "2026-03-01T00:11:00Z", "ended_at": "2026-03-01T00:16:00Z"}
    api.ask("PUT", "games/2", {**begun, **MATED, **later}, status=201)
    whole = page(api)["changes"]
    assert [row.get("event", "line") for row in whole].count("game.ended") == 2
    positions = [int(row["cursor"].rpartition(".")[2].partition("-")[0]) for row in whole]
    assert positions == sorted(positions)
    found, cursor, more = [], "", True
    while more:
        one = page(api, f"?events=1&limit=1&after={cursor}")
        found, cursor, more = found + one["changes"], one["next"], one["more"]
    assert found == whole
    for number, row in enumerate(whole):
        assert page(api, f"?events=1&after={row['cursor']}")["changes"] == whole[number + 1 :]
    lines = api.get("/api/v1/changes?events=1&format=ndjson").getvalue().splitlines()
    assert [json.loads(line) for line in lines[:-1]] == whole


def test_ends_of_a_member_or_a_category_are_asked_for_as_lines_are(api, begun):
    lose()
    stranger = rated("1500.00").username
    for query, number in (
        (f"member={begun['white']}", 1),
        (f"member={begun['black']}", 1),
        (f"member={stranger}", 0),
        ("category=blitz", 1),
        ("category=rapid", 0),
    ):
        assert len(ends(api, f"?events=1&{query}")) == number


def test_the_end_of_a_game_that_was_deleted_since_has_no_row(api, begun):
    lose()
    Game.objects.get().delete()
    assert ends(api) == []


def test_a_follower_who_waits_hears_of_an_end_that_moves_no_rating(api, begun, monkeypatch):
    api.ask("PUT", "games/2", {**begun, "rated": False}, status=201)
    cursor = page(api)["next"]

    def end_it(_seconds):
        game = Game.objects.get(external_id="arena/2")
        game.result, game.termination, game.ended_at = "1-0", "adjudication", at(30)
        game.save()

    monkeypatch.setattr(feed, "sleep", end_it)
    (row,) = page(api, f"?events=1&wait=20&after={cursor}")["changes"]
    assert (row["external_id"], row["rated"], row["result"]) == ("2", False, "1-0")


def test_events_is_1_or_left_out(api):
    response = api.get("/api/v1/changes?events=all")
    assert response.status_code == 400
    assert [fault["field"] for fault in response.json()["errors"]] == ["events"]


def test_only_its_own_server_is_told_its_id_of_a_game(other, begun):
    lose()
    (row,) = ends(other)
    assert row["external_id"] is None
