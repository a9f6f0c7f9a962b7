"""Voiding and reinstating a game, and whose ratings changed."""

from dataclasses import replace
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from members.models import FullMembership
from ratings.rbb.ledger import replay
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.summaries import Moved
from ratings.rbb.models import Game
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, points, projections, rated, taken_back

pytestmark = pytest.mark.django_db

_OF_HISTORY = ("history_type", "history_user", "history_change_reason", "void_reason")


@pytest.fixture
def registrar(django_user_model):
    return django_user_model.objects.create_user("registrar")


def test_voiding_moves_the_players_and_those_they_met_afterwards(registrar):
    anna, bob, carl, dora, emil = (rated(1600) for _ in range(5))
    first = game(anna, bob, minute=10)
    game(bob, carl, minute=20)
    game(dora, emil, minute=30)
    game(dora, anna, minute=5)
    # dora won at 5: 1610, anna 1590; anna won at 10 with D = 10: L 0.49, H 0.51; so bob 1589.80, and carl
    # lost to him with D = 10 again.
    assert [points(who) for who in (anna, bob, carl)] == [
        Decimal("1600.20"),
        Decimal("1600.00"),
        Decimal("1589.80"),
    ]
    summary = void_games(games=[first], by=registrar, reason="  engine ", at=at(500))
    assert sorted(summary.moved, key=lambda moved: moved.member_id) == [
        Moved(anna.pk, Category.BLITZ, 1600_20, 1590_00),
        Moved(bob.pk, Category.BLITZ, 1600_00, 1610_00),
        Moved(carl.pk, Category.BLITZ, 1589_80, 1590_00),
    ]
    first.refresh_from_db()
    assert (first.voided_at, first.voided_by, first.void_reason) == (at(500), registrar, "engine")
    again = reinstate_games(games=[first], by=None, reason="tested")
    assert {(who.member_id, who.before, who.after) for who in again.moved} == {
        (anna.pk, 1590_00, 1600_20),
        (bob.pk, 1610_00, 1600_00),
        (carl.pk, 1590_00, 1589_80),
    }
    first.refresh_from_db()
    assert (first.voided_at, first.voided_by, first.void_reason) == (None, None, "")


def test_voiding_the_game_that_made_a_rating_leaves_its_member_unrated():
    anna = member()
    games = [game(anna, rated(1500), minute=10 * number) for number in range(1, 6)]
    assert points(anna) == Decimal("1550.00") + 50
    summary = void_games(games=[games[0]], by=None, reason="engine", at=at(500))
    assert summary.moved == [Moved(anna.pk, Category.BLITZ, 1600_00, None)]
    assert points(anna) is None


def test_voiding_an_unrated_game_moves_nobody():
    friendly = game(rated(1600), rated(1600), rated=False)
    before = projections()
    assert void_games(games=[friendly], by=None, reason="entered twice", at=at(500)).moved == []
    assert projections() == before
    assert Game.objects.get().void_reason == "entered twice"


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("", "Enter a reason"),
        ("   ", "Enter a reason"),
        ("\n", "Enter a reason"),
        ("x" * 256, "The reason has 256 characters; at most 255 are allowed"),
    ],
)
def test_a_game_is_not_voided_without_a_reason_that_its_page_has_room_for(reason, message):
    played = game(rated(1600), rated(1600))
    before = projections()
    with pytest.raises(ValidationError, match=message):
        void_games(games=[played], by=None, reason=reason, at=at(500))
    assert projections() == before
    assert Game.objects.get().voided_at is None


def test_a_game_is_voided_once_and_reinstated_once():
    played = game(rated(1600), rated(1600))
    with pytest.raises(ValidationError, match="is not void"):
        reinstate_games(games=[played], by=None, reason="tested")
    void_games(games=[played], by=None, reason=f" {'x' * 255} ", at=at(500))
    before = projections()
    with pytest.raises(ValidationError, match="is already void"):
        void_games(games=[played], by=None, reason="once more", at=at(600))
    assert Game.objects.get().void_reason == "x" * 255
    assert projections() == before


def test_a_game_is_voided_as_it_is_stored_not_as_somebody_remembers_it():
    played = game(rated(1600), rated(1600))
    played.result = "0-1"
    void_games(games=[played], by=None, reason="engine", at=at(500))
    assert Game.objects.get().result == "1-0"


def test_a_game_whose_player_turns_out_to_have_been_no_full_member_can_be_voided():
    anna = rated(1600)
    played = game(anna, rated(1600))
    # Behind the office's back, which would make the game unrated with it.
    QuerySet(FullMembership).filter(member=anna).update(full_until=at(1))
    void_games(games=[played], by=None, reason="not a full member (RBB 2.1)", at=at(500))
    assert points(anna) == Decimal("1600.00")


def test_a_game_that_was_never_to_be_rated_is_not_reinstated():
    anna = rated(1600)
    played = game(anna, rated(1600))
    void_games(games=[played], by=None, reason="not a full member", at=at(500))
    FullMembership.objects.filter(member=anna).update(full_until=at(1))
    with pytest.raises(ValidationError, match=r"RBB 2\.1"):
        reinstate_games(games=[played], by=None, reason="tested")
    assert points(anna) == Decimal("1600.00")


def test_several_games_are_voided_with_one_replay_and_reinstated_with_one():
    games = [game(rated(1600), rated(1600), minute=minute) for minute in (10, 20)]
    games.append(game(rated(1600, Category.RAPID), rated(1600, Category.RAPID), notation="900+0"))
    before = projections()
    with patch.object(replay, "replay_since", wraps=replay.replay_since) as replayed:
        summary = void_games(games=games, by=None, reason="engine", at=at(500))
        assert replayed.call_count == 1
        assert len(summary.moved) == 6
        assert {moved.category for moved in summary.moved} == {Category.RAPID, Category.BLITZ}
        reinstate_games(games=Game.objects.all(), by=None, reason="clean")
        assert replayed.call_count == 2
    assert projections() == before


def test_games_are_stored_together_each_with_its_history(registrar):
    anna, bob = rated(1600), rated(1600)
    games = [game(anna, bob, minute=minute) for minute in (10, 20, 30)]
    with CaptureQueriesContext(connection) as captured:
        void_games(games=games, by=registrar, reason="engine", at=at(500), note="proof 7")
    statements = [one["sql"] for one in captured]
    assert len([one for one in statements if one.startswith('UPDATE "ratings_game"')]) == 1
    assert len([one for one in statements if one.startswith('INSERT INTO "ratings_historicalgame"')]) == 2
    reinstate_games(games=games[:1], by=None, reason="mistake")
    histories = [list(one.history.order_by("history_id").values_list(*_OF_HISTORY)) for one in games]
    voided = [("+", None, "stood before", ""), ("~", registrar.pk, "proof 7", "engine")]
    assert histories == [[*voided, ("~", None, "mistake", "")], voided, voided]


def test_of_several_games_all_are_corrected_or_none_and_every_fault_is_named():
    games = [game(rated(1600), rated(1600), minute=minute) for minute in (10, 20, 30)]
    void_games(games=games[1:2], by=None, reason="engine", at=at(500))
    before = projections(), list(Game.objects.values_list()), list(Game.history.values_list())
    with pytest.raises(ValidationError) as refused:
        void_games(games=games, by=None, reason="more", at=at(600))
    assert refused.value.messages == [f"{games[1]} is already void."]
    with pytest.raises(ValidationError) as refused:
        reinstate_games(games=games, by=None, reason="clean")
    assert refused.value.messages == [f"{games[0]} is not void.", f"{games[2]} is not void."]
    assert (projections(), list(Game.objects.values_list()), list(Game.history.values_list())) == before


def test_a_preview_says_what_the_correction_will_do_and_leaves_nothing_behind():
    anna, bob = rated(1600), rated(1600)
    played = [game(anna, bob, minute=minute) for minute in (10, 20)]
    before = projections(), list(Game.objects.values_list())

    def void():
        return void_games(games=played[:1], by=None, reason="engine", at=at(500))

    shown = taken_back(void)
    assert (projections(), list(Game.objects.values_list())) == before
    assert not Game.history.exists()
    # The note of what moved has another key.
    assert replace(shown, noted=[]) == replace(void(), noted=[])
    assert len(shown.moved) == 2


@pytest.mark.parametrize("reason", ["", " \n", "x" * 256])
def test_a_reinstatement_says_why_too(reason):
    played = game(rated(1600), rated(1600))
    void_games(games=[played], by=None, reason="engine", at=at(500))
    with pytest.raises(ValidationError, match="reason"):
        reinstate_games(games=[played], by=None, reason=reason)
    assert Game.objects.get().voided_at is not None
