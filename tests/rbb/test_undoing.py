"""What is undone leaves no trace, and what fails half way has not happened."""

from unittest.mock import patch

import pytest
from django.db import transaction

from ratings.office import bulk
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, adjustment, at, control, game, member, opening, projections, rated

pytestmark = pytest.mark.django_db


def a_history():
    """Eight games of four members in blitz, one of them on his way to a first rating; the third to change."""
    anna, bob, carl = rated(1600), rated(1500), rated(1850)
    dora = member()
    pairs = [(anna, bob), (bob, dora), (anna, carl), (dora, carl), (carl, anna), (dora, bob), (bob, carl)]
    for number, (white, black) in enumerate(pairs, 1):
        game(white, black, ["1-0", "1/2-1/2", "0-1"][number % 3], minute=10 * number)
    game(anna, bob, minute=45, notation=CONTROL[Category.BULLET])
    adjustment(bob, 12, minute=55)
    return Game.objects.get(white=anna, black=carl)


@pytest.fixture(scope="class")
def history(standing):
    return standing(a_history)


def everything():
    """Inputs and projections."""
    return [
        *Game.objects.order_by("pk").values_list(),
        *OpeningRating.objects.order_by("pk").values_list(),
        *projections(),
    ]


CHANGES = {
    "result": lambda played: {"result": "1/2-1/2"},
    "later": lambda played: {"ended_at": at(65)},
    "earlier": lambda played: {"ended_at": at(5), "started_at": at(5)},
    "to the moment of another": lambda played: {"ended_at": at(60)},
    "last": lambda played: {"ended_at": at(1000)},
    "bullet, where a later game stands": lambda played: {"time_control": control("60+0")},
    "rapid, where nothing stands": lambda played: {"time_control": control("900+0")},
    "bullet, where nothing later stands": lambda played: {
        "time_control": control("60+0"),
        "ended_at": at(70),
    },
    "control of the same category": lambda played: {"time_control": control("300+0")},
    "colours": lambda played: {"white": played.black, "black": played.white},
    "another player": lambda played: {"black": rated(2000)},
    "unrated": lambda played: {"rated": False},
    "in progress": lambda played: {"ended_at": None, "result": ""},
    "void": lambda played: {"voided_at": at(500), "void_reason": "engine"},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_an_edit_is_rated_and_edited_back_leaves_no_trace(history, changes):
    new = changes(history)
    original = everything()
    old = {field: getattr(history, field) for field in new} | {"void_reason": ""}
    for field, value in new.items():
        setattr(history, field, value)
    history.save()
    assert everything() != original
    assert replay(check=True).differences == 0
    for field, value in old.items():
        setattr(history, field, value)
    history.save()
    assert everything() == original


def test_voided_and_reinstated_leaves_no_trace(history, django_user_model):
    original = everything()
    staff = django_user_model.objects.create_user("registrar")
    void_games(games=[history], by=staff, reason="engine", at=at(500))
    assert replay(check=True).differences == 0
    assert projections() != original
    reinstate_games(games=[history], by=None, reason="tested")
    assert everything() == original


def test_deleted_and_entered_again_under_its_number_leaves_no_trace(history):
    original = everything()
    pk = history.pk
    history.delete()
    assert replay(check=True).differences == 0
    history.pk, history._state.adding = pk, True
    history.save()
    assert everything() == original


def test_a_game_entered_late_and_deleted_leaves_no_trace(history):
    original = everything()
    late = game(history.white, member(), minute=15)
    assert replay(check=True).differences == 0
    late.delete()
    assert everything() == original


def test_an_opening_entered_changed_and_deleted_leaves_no_trace(history):
    original = everything()
    dora = Game.objects.get(ended_at=at(20)).black
    given = opening(dora, 1400, minute=1)
    given.rating = 1450
    given.save()
    given.category = Category.RAPID
    given.save()
    given.effective_at = at(35)
    given.save()
    assert replay(check=True).differences == 0
    given.delete()
    assert everything() == original


def test_the_deletion_of_all_inputs_leaves_nothing(history):
    with deferred():
        Game.objects.all().delete()
        OtbAdjustment.objects.all().delete()
    for given in OpeningRating.objects.all():
        given.delete()
    assert projections() == []


class BreakdownError(Exception):
    """What a test throws into the works."""


def break_at(function, call):
    """Let a function of services.bulk fail when it is called for the so-manieth time."""
    original, calls = getattr(bulk, function), []

    def breaks(*arguments, **named):
        calls.append(arguments)
        if len(calls) == call:
            raise BreakdownError
        return original(*arguments, **named)

    return patch.object(bulk, function, breaks)


def edited(played):
    played.result = "1/2-1/2"
    played.save()


def deleted_in_bulk(played):
    with deferred():
        Game.objects.filter(pk=played.pk).delete()


CORRECTIONS = {
    "late": lambda played: game(played.white, played.black, minute=11),
    "edit": edited,
    "void": lambda played: void_games(games=[played], by=None, reason="engine", at=at(500)),
    "deletion": Game.delete,
    "bulk": deleted_in_bulk,
    "opening": lambda played: opening(Game.objects.get(ended_at=at(20)).black, 1400, minute=1),
}
STEPS = [("upsert_rows", 1), ("upsert_rows", 2)]


@pytest.mark.parametrize(("function", "call"), STEPS)
def test_a_new_game_that_cannot_be_rated_to_the_end_is_not_stored(history, function, call):
    original = everything()
    with break_at(function, call), pytest.raises(BreakdownError):
        game(history.white, history.black, minute=1000)
    assert everything() == original


@pytest.mark.parametrize(("function", "call"), [*STEPS, ("delete_rows", 1), ("delete_rows", 2)])
@pytest.mark.parametrize("what", CORRECTIONS)
def test_a_change_that_fails_half_way_through_the_replay_has_not_happened(history, function, call, what):
    original = everything()
    # An own transaction, as outside a test: Django's delete() makes no savepoint in the one that is open.
    with break_at(function, call), pytest.raises(BreakdownError), transaction.atomic():
        CORRECTIONS[what](history)
    assert everything() == original
    # Nothing is left in the way of the next change either.
    late = game(history.white, history.black, minute=12)
    assert replay(check=True).differences == 0
    late.delete()
    assert everything() == original


def test_what_a_transaction_takes_back_is_not_rated(history):
    original = everything()

    def fails():
        game(history.white, history.black, minute=1000)
        Game.objects.get(pk=history.pk).delete()
        raise BreakdownError

    with pytest.raises(BreakdownError), transaction.atomic():
        fails()
    assert everything() == original
