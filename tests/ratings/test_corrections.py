"""Voiding and reinstating a game, and whose ratings moved."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from members.models import FullMembership
from ratings.models import Game
from ratings.rules.time_controls import Category
from ratings.services.corrections import reinstate_game, void_game
from ratings.services.replay import Moved
from tests.arena import at, game, member, points, projections, rated

pytestmark = pytest.mark.django_db


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
        Decimal("1600.20"), Decimal("1600.00"), Decimal("1589.80"),
    ]  # fmt: skip
    summary = void_game(game=first, by=registrar, reason="  engine ", at=at(500))
    assert sorted(summary.moved, key=lambda moved: moved.member_id) == [
        Moved(anna.pk, Category.BLITZ, 1600_20, 1590_00),
        Moved(bob.pk, Category.BLITZ, 1600_00, 1610_00),
        Moved(carl.pk, Category.BLITZ, 1589_80, 1590_00),
    ]
    first.refresh_from_db()
    assert (first.voided_at, first.voided_by, first.void_reason) == (at(500), registrar, "engine")
    assert {(who.member_id, who.before, who.after) for who in reinstate_game(game=first).moved} == {
        (anna.pk, 1590_00, 1600_20), (bob.pk, 1610_00, 1600_00), (carl.pk, 1590_00, 1589_80),
    }  # fmt: skip
    first.refresh_from_db()
    assert (first.voided_at, first.voided_by, first.void_reason) == (None, None, "")


def test_voiding_the_game_that_made_a_rating_leaves_its_member_unrated():
    anna = member()
    games = [game(anna, rated(1500), minute=10 * number) for number in range(1, 6)]
    assert points(anna) == Decimal("1550.00") + 50
    summary = void_game(game=games[0], by=None, reason="engine", at=at(500))
    assert summary.moved == [Moved(anna.pk, Category.BLITZ, 1600_00, None)]
    assert points(anna) is None


def test_voiding_an_unrated_game_moves_nobody():
    friendly = game(rated(1600), rated(1600), rated=False)
    before = projections()
    assert void_game(game=friendly, by=None, reason="entered twice", at=at(500)).moved == []
    assert projections() == before
    assert Game.objects.get().void_reason == "entered twice"


@pytest.mark.parametrize(("reason", "message"), [
    ("", "Say why"), ("   ", "Say why"), ("\n", "Say why"),
    ("x" * 256, "The reason has 256 characters, more than 255"),
])  # fmt: skip
def test_a_game_is_not_voided_without_a_reason_that_its_page_has_room_for(reason, message):
    played = game(rated(1600), rated(1600))
    before = projections()
    with pytest.raises(ValidationError, match=message):
        void_game(game=played, by=None, reason=reason, at=at(500))
    assert projections() == before
    assert Game.objects.get().voided_at is None


def test_a_game_is_voided_once_and_reinstated_once():
    played = game(rated(1600), rated(1600))
    with pytest.raises(ValidationError, match="is not void"):
        reinstate_game(game=played)
    void_game(game=played, by=None, reason=f" {'x' * 255} ", at=at(500))
    before = projections()
    with pytest.raises(ValidationError, match="is void already"):
        void_game(game=played, by=None, reason="once more", at=at(600))
    assert Game.objects.get().void_reason == "x" * 255
    assert projections() == before


def test_a_game_is_voided_as_it_is_stored_not_as_somebody_remembers_it():
    played = game(rated(1600), rated(1600))
    played.result = "0-1"
    void_game(game=played, by=None, reason="engine", at=at(500))
    assert Game.objects.get().result == "1-0"


def test_a_game_whose_player_turns_out_to_have_been_no_full_member_can_be_voided():
    anna = rated(1600)
    played = game(anna, rated(1600))
    FullMembership.objects.filter(member=anna).update(full_until=at(1))
    void_game(game=played, by=None, reason="no full member (RBB 2.1)", at=at(500))
    assert points(anna) == Decimal("1600.00")


def test_a_game_that_was_never_to_be_rated_is_not_reinstated():
    anna = rated(1600)
    played = game(anna, rated(1600))
    void_game(game=played, by=None, reason="no full member", at=at(500))
    FullMembership.objects.filter(member=anna).update(full_until=at(1))
    with pytest.raises(ValidationError, match=r"RBB 2\.1"):
        reinstate_game(game=played)
    assert points(anna) == Decimal("1600.00")
