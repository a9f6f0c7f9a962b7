"""A game that its server sends again: stored where it may change, or refused with both values."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from foa.text import utc_text
from ratings.arena.services.presence import settle_all
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.game_import import Intake
from ratings.rbb.ledger.replay import replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import at, points
from tests.arena.conftest import tell
from tests.arena.examples import APRIL

pytestmark = pytest.mark.django_db

MOVES = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"
WON, LOST, EVEN = Decimal("2010.00"), Decimal("1990.00"), Decimal("2000.00")
"""Equal ratings, K = 20: a win gives 10 (RBB 3.9, 3.10)."""


@pytest.fixture(params=["alone", "in bulk"])
def send(request, api):
    """Send a game; the answer has ``taken`` and the game, or of a refusal its field and reason."""

    def alone(said):
        response = api.put("/api/v1/games/1", said, content_type="application/json")
        told = response.json()
        if response.status_code >= 400:
            field = told["differing"][0] if "differing" in told else told["errors"][0]["field"]
            return {"taken": "refused", "field": field, "reason": json.dumps(told)}
        return {"taken": "stored" if response.status_code == 201 else "taken", **api.ask("GET", "games/1")}

    def in_bulk(said):
        (told,) = api.send_lines({"id": "1", **said})
        if told["verdict"] == "refused":
            return {"taken": "refused", **told}
        return {
            "taken": "stored" if told["verdict"] == "stored" else "taken",
            "verdict": told["verdict"],
            **api.ask("GET", "games/1"),
        }

    return alone if request.param == "alone" else in_bulk


def void(one):
    void_games(games=[one], by=None, reason="error", at=at(90))


def everything():
    return list(Game.objects.values_list()), list(RatingChange.objects.order_by("pk").values_list())


def test_an_unknown_word_for_the_end_that_becomes_known_rates_the_game(send, ended, players):
    first = send({**ended, "termination": "kaput", "plies": 40})
    assert (first["rated"], first["termination"]) == (False, "unknown")
    again = send({**ended, "termination": "checkmate", "plies": 40})
    assert (again["taken"], again["rated"], again["termination"]) == ("taken", True, "checkmate")
    assert [points(one) for one in players] == [WON, LOST]
    assert replay(check=True).differences == 0
    before = everything()
    assert send({**ended, "termination": "checkmate", "plies": 40})["rated"] is True
    assert everything() == before


def test_what_it_does_to_a_published_list_is_in_the_register_as_for_any_late_fact(send, ended, players):
    send({**ended, "termination": "kaput"})
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    send({**ended, "termination": "checkmate"})
    assert [one.kind for one in ChangeSet.objects.all()] == ["late-facts"]
    assert points(players[0]) == WON


def test_normal_is_a_word_that_makes_an_unknown_end_known_and_saying_nothing_is_not(send, ended):
    send({**ended, "termination": "kaput"})
    assert send(ended)["termination"] == "unknown"
    told = send({**ended, "termination": "normal"})
    assert (told["termination"], told["rated"]) == ("normal", True)


def test_an_unknown_word_for_another_one_is_stored_with_the_reason(send, ended):
    send({**ended, "termination": "kaput"})
    send({**ended, "termination": "broken"})
    assert "“broken”" in Game.objects.get().unrated_reason


def test_a_word_that_was_missing_is_stored(send, ended, players):
    assert send(ended)["termination"] == "normal"
    assert send({**ended, "termination": "resigned"})["termination"] == "resignation"
    assert points(players[0]) == WON


def test_another_word_of_a_program_for_the_same_end_is_no_contradiction(send, ended):
    send({**ended, "termination": "checkmate"})
    assert send({**ended, "termination": "mate"})["termination"] == "checkmate"


def test_moves_that_were_missing_or_grew_are_stored(send, ended):
    send(ended)
    assert send({**ended, "plies": 6, "pgn": MOVES[:20]})["plies"] == 6
    assert send({**ended, "plies": 7, "pgn": MOVES})["plies"] == 7
    assert send(ended)["plies"] == 7
    assert Game.objects.get().pgn == MOVES


def test_moves_that_were_missing_rate_a_game_that_seemed_unplayed(send, ended, players):
    assert send({**ended, "plies": 1})["rated"] is False
    assert send({**ended, "plies": 61})["rated"] is True
    assert points(players[0]) == WON
    assert replay(check=True).differences == 0


def test_too_few_moves_that_become_known_make_a_game_unrated(send, ended, players):
    assert send(ended)["rated"] is True
    assert send({**ended, "plies": 1})["rated"] is False
    assert [points(one) for one in players] == [EVEN, EVEN]
    assert replay(check=True).differences == 0


@pytest.mark.parametrize(
    ("field", "sent", "stored"),
    [
        ("plies", 39, 40),
        ("pgn", "1. d4 1-0", MOVES),
        ("rated", False, True),
        ("termination", "resignation", "checkmate"),
        ("termination", "kaput", "checkmate"),
        ("termination", "time", "checkmate"),
        ("result", "0-1", "1-0"),
        ("ended_at", "2026-03-01T00:11:00Z", "2026-03-01T00:10:00Z"),
        ("started_at", "2026-03-01T00:04:00Z", "2026-03-01T00:05:00Z"),
        ("time_control", "180+0", "180+2"),
    ],
)
def test_anything_else_is_refused_with_the_field_and_both_values(send, ended, field, sent, stored):
    whole = {**ended, "termination": "checkmate", "plies": 40, "pgn": MOVES}
    send(whole)
    before = everything()
    told = send({**whole, field: sent})
    assert (told["taken"], told["field"]) == ("refused", field)
    for value in (sent, stored):
        text = value if isinstance(value, str) else json.dumps(value)
        assert text[:30] in told["reason"]
    assert everything() == before


def test_the_problem_names_both_values_of_each_field(api, ended):
    api.ask("PUT", "games/1", {**ended, "termination": "checkmate", "plies": 40}, status=201)
    other = {**ended, "termination": "time", "plies": 38, "rated": False}
    problem = api.ask("PUT", "games/1", other, status=409)
    assert problem["differing"] == ["rated", "termination", "plies"]
    assert [problem["stored"][name] for name in problem["differing"]] == [True, "checkmate", 40]
    assert [problem["sent"][name] for name in problem["differing"]] == [False, "time", 38]


def test_a_casual_game_does_not_become_rated(send, ended, players):
    send({**ended, "rated": False})
    told = send({**ended, "rated": True})
    assert (told["taken"], told["field"]) == ("refused", "rated")
    assert points(players[0]) == EVEN


@pytest.mark.parametrize("in_progress_too", [False, True])
def test_a_rated_game_may_turn_casual_before_it_ends_and_says_who_said_so(
    send, api, begun, ended, players, in_progress_too
):
    send(begun)
    if in_progress_too:
        assert send({**begun, "rated": False})["rated"] is False
        assert send(begun)["field"] == "rated"
    told = send({**ended, "rated": False})
    assert (told["taken"], told["rated"], told["result"], told["changes"]) == ("taken", False, "1-0", [])
    assert Game.objects.get().unrated_reason == "its server says that it wasn’t rated"
    assert any("its server says" in one["text"] for one in told["why_nothing"])
    before = everything()
    assert send({**ended, "rated": False})["taken"] == "taken"
    # What was sent first comes late.
    assert send(begun)["taken"] == "taken"
    assert send(ended)["field"] == "rated"
    assert everything() == before


def test_a_game_that_began_as_casual_does_not_end_as_rated(send, begun, ended):
    send({**begun, "rated": False})
    told = send(ended)
    assert (told["taken"], told["field"]) == ("refused", "rated")
    assert Game.objects.get().ended_at is None


def test_the_last_word_on_the_moves_is_that_of_the_end(send, begun, ended):
    """Moves may be taken back while a game is played."""
    send({**begun, "plies": 41, "pgn": "1. e4 e5 2. Ke2 *"})
    assert send({**ended, "plies": 40, "pgn": "1. e4 1-0"})["plies"] == 40
    assert Game.objects.get().pgn == "1. e4 1-0"


def test_moves_of_a_game_in_progress_are_stored(send, begun):
    send(begun)
    assert send({**begun, "plies": 4})["plies"] == 4
    assert send({**begun, "plies": 3})["plies"] == 4


@pytest.mark.parametrize("word", ["checkmate", "kaput", "disconnection white"])
def test_a_word_for_the_end_of_a_game_in_progress_is_refused(send, begun, word):
    told = send({**begun, "termination": word})
    assert (told["taken"], told["field"]) == ("refused", "termination")
    assert not Game.objects.exists()


@pytest.mark.parametrize("word", ["started", "in progress", "Unterminated", "normal"])
def test_a_word_that_says_in_progress_is_none_for_the_end(send, begun, word):
    assert send({**begun, "termination": word})["taken"] == "stored"


def test_a_void_game_takes_what_was_missing_and_stays_void(send, ended, players):
    send({**ended, "termination": "kaput"})
    void(Game.objects.get())
    assert send({**ended, "termination": "checkmate"})["void_reason"]
    assert points(players[0]) == EVEN


def test_what_becomes_known_of_the_end_is_held_against_who_was_gone(api, begun, ended, players):
    """RBB 2.4 decides a rated game, also one that is rated only now."""
    api.ask("PUT", "games/1", {**begun, "plies": 20}, status=201)
    tell(1, "gone", 0)
    api.ask("PUT", "games/1", {**ended, "termination": "kaput"})
    assert Game.objects.get().result == "1-0"
    problem = api.ask("PUT", "games/1", {**ended, "termination": "checkmate"}, status=409)
    assert (problem["article"], problem["differing"]) == ("RBB 2.4", ["result"])


def test_what_is_stored_while_many_games_are_taken_in_is_looked_at_again(api, ended, monkeypatch):
    """A game that somebody else has put meanwhile takes what was missing, or is refused."""
    api.ask("PUT", "games/1", {**ended, "plies": 40}, status=201)
    look_up = Intake._stored

    def before_it_was_put(self, external_ids):
        monkeypatch.setattr(Intake, "_stored", look_up)
        return {}

    for plies, verdict in ((41, "updated"), (40, "refused"), (41, "already there")):
        monkeypatch.setattr(Intake, "_stored", before_it_was_put)
        (told,) = api.send_lines({"id": "1", **ended, "plies": plies})
        assert told["verdict"] == verdict
    assert Game.objects.get().plies == 41


class TestCasualGames:
    """RBB 2.4 is for rated games; of a casual one the server’s result counts."""

    def gone(self):
        tell(1, "gone", 0)
        tell(2, "back", 120)
        settle_all(at(30))

    def test_who_was_gone_from_a_casual_game_has_not_lost(self, send, begun, ended):
        casual = {"rated": False, "plies": 20}
        send({**begun, **casual})
        self.gone()
        assert Game.objects.get().ended_at is None
        told = send({**ended, **casual, "termination": "checkmate"})
        assert (told["result"], told["termination"], told["rated"]) == ("1-0", "checkmate", False)
        settle_all(at(60))
        assert Game.objects.get().result == "1-0"

    def test_a_game_that_2_4_ended_and_that_was_casual_has_the_servers_result(
        self, send, begun, ended, players
    ):
        send({**begun, "plies": 20})
        self.gone()
        assert points(players[0]) == LOST
        told = send({**ended, "rated": False, "termination": "checkmate"})
        assert (told["result"], told["rated"]) == ("1-0", False)
        assert [points(one) for one in players] == [EVEN, EVEN]
        assert replay(check=True).differences == 0


class TestClock:
    """The clock of a server may be up to 5 minutes ahead, as for who was gone."""

    def begin(self, begun, **ahead):
        now = timezone.now()
        return {**begun, "started_at": utc_text(now - timedelta(minutes=4))}, now + timedelta(**ahead)

    def test_an_end_that_is_up_to_five_minutes_ahead_is_taken_as_told(self, send, begun, players):
        said, moment = self.begin(begun, minutes=4)
        told = send({**said, "result": "1-0", "ended_at": moment.isoformat()})
        assert told["taken"] == "stored"
        assert Game.objects.get().ended_at == moment
        assert points(players[0]) == WON

    def test_so_is_the_end_of_a_game_in_progress(self, send, begun, players):
        said, moment = self.begin(begun, minutes=4)
        send(said)
        assert send({**said, "result": "1-0", "ended_at": moment.isoformat()})["taken"] == "taken"
        assert points(players[0]) == WON

    def test_so_is_a_start(self, send, begun):
        ahead = timezone.now() + timedelta(minutes=4)
        assert send({**begun, "started_at": ahead.isoformat()})["taken"] == "stored"

    @pytest.mark.parametrize("field", ["started_at", "ended_at"])
    def test_more_is_refused_with_the_difference(self, send, begun, field):
        said, moment = self.begin(begun, minutes=7, seconds=12)
        end = {"result": "1-0", "ended_at": moment.isoformat()}
        told = send({**said, "started_at": moment.isoformat(), **(end if field == "ended_at" else {})})
        assert (told["taken"], told["field"]) == ("refused", field)
        assert "your clock is 7 min 1" in told["reason"]
        assert "RBB 3.11" in told["reason"] or told["article"] == "RBB 3.11"
        assert not Game.objects.exists()

    def test_a_game_that_ends_ahead_may_be_voided(self, send, begun, players):
        said, moment = self.begin(begun, minutes=4)
        send({**said, "result": "1-0", "ended_at": moment.isoformat()})
        void(Game.objects.get())
        assert points(players[0]) == EVEN


def test_a_late_beginning_of_a_rated_game_that_ended_as_casual_is_no_news(api, begun, ended):
    api.ask("PUT", "games/1", {**ended, "rated": False}, status=201)
    answer = api.ask("PUT", "games/1", begun, status=200)
    assert (answer["rated"], answer["result"]) == (False, "1-0")


def test_a_late_beginning_of_a_casual_game_that_ended_as_rated_contradicts_it(api, begun, ended):
    api.ask("PUT", "games/1", ended, status=201)
    problem = api.ask("PUT", "games/1", {**begun, "rated": False}, status=409)
    assert "rated" in problem["detail"]
