"""Bulk changes of games need deferred(), and one replay follows them."""

from decimal import Decimal
from unittest.mock import patch

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from ratings.rbb.ledger import replay as service
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.ledger.summaries import Moved, ReplaySummary
from ratings.rbb.models import Game, OpeningRating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, control, game, member, opening, points, projections, rated, rebuild

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna():
    return rated(1600)


@pytest.fixture
def bob():
    return rated(1500)


@pytest.fixture
def played(anna, bob):
    return [game(anna, bob, result, minute=10 * n) for n, result in enumerate(["1-0", "0-1", "1-0"], 1)]


def new(white, black, result="1-0", *, minute=100, **changes):
    """A game that is not stored yet."""
    return Game(
        **{
            "white": white,
            "black": black,
            "result": result,
            "time_control": control("180+2"),
            "started_at": at(minute - 5),
            "ended_at": at(minute),
            **changes,
        }
    )


def sound():
    """A check of ledger and ratings finds nothing to do."""
    return replay(check=True).differences == 0


BULK = {
    "update of the result": lambda games: Game.objects.update(result="0-1"),
    "update of the end": lambda games: Game.objects.update(ended_at=F("ended_at")),
    "update of a player by id": lambda games: Game.objects.update(white_id=games[0].white_id),
    "update of a player": lambda games: Game.objects.filter(pk=games[0].pk).update(white=games[0].white),
    "update of the control": lambda games: Game.objects.update(time_control=control("60+0")),
    "update of rated": lambda games: Game.objects.update(rated=False),
    "voiding": lambda games: Game.objects.update(voided_at=at(500), void_reason="all"),
    "bulk_update": lambda games: Game.objects.bulk_update(games, ["result", "termination"]),
    "bulk_create": lambda games: Game.objects.bulk_create([new(games[0].white, games[0].black)]),
    "delete": lambda games: Game.objects.filter(pk=games[1].pk).delete(),
    "update of a player’s games": lambda games: games[0].white.games_as_white.update(result="0-1"),
    "update with another field": lambda games: Game.objects.update(plies=5, result="0-1"),
}


@pytest.mark.parametrize("change", BULK.values(), ids=BULK)
def test_a_bulk_change_outside_deferred_is_refused_and_changes_nothing(played, change):
    before = projections(), list(Game.objects.values_list())
    with pytest.raises(RuntimeError, match=r"with replay\.deferred\(\):"), transaction.atomic():
        change(played)
    assert (projections(), list(Game.objects.values_list())) == before


@pytest.mark.parametrize("change", BULK.values(), ids=BULK)
def test_a_bulk_change_inside_deferred_is_replayed_once_and_equals_a_rebuild(played, change):
    played[0].result = "1/2-1/2"
    with patch.object(service, "replay_since", wraps=service.replay_since) as replayed, deferred():
        change(played)
        assert not replayed.called
    assert replayed.call_count == 1
    after = projections()
    rebuild()
    assert projections() == after


@pytest.mark.parametrize("field", ["termination", "pgn", "external_id", "unrated_reason"])
def test_a_field_that_decides_no_rating_is_updated_freely(played, field):
    before = projections()
    assert Game.objects.filter(pk=played[0].pk).update(**{field: "x"}) == 1
    assert projections() == before
    assert getattr(Game.objects.get(pk=played[0].pk), field) == "x"


def test_an_update_moves_ratings_from_the_old_place_and_from_the_new(anna, bob, played):
    with deferred():
        Game.objects.filter(pk=played[2].pk).update(
            ended_at=at(5), started_at=at(5), time_control=control("60+0")
        )
    assert sound()
    # Unrated in bullet, both: the game counts for nothing there, and the blitz ledger has lost it.
    assert list(RatingChange.objects.of_game(played[2]).values_list("category", "after")) == 2 * [
        (Category.BULLET, None)
    ]
    # 1607.20, then D = 114 (1607.20 against 1492.80): H 0.66.
    assert points(anna) == Decimal("1594.00")


def test_bulk_create_holds_games_to_the_conditions_of_a_save(anna):
    stranger = member(full_from=None)
    with pytest.raises(ValidationError, match=r"RBB 2\.1"), deferred():
        Game.objects.bulk_create([new(anna, rated(1500)), new(anna, stranger)])
    assert not Game.objects.exists()


def test_saves_inside_deferred_are_rated_at_its_end(anna, bob):
    before = projections()
    with deferred() as work:
        for minute, category in enumerate(Category, 10):
            game(anna, bob, minute=minute, notation=CONTROL[category])
        late = opening(member(), 1234, Category.RAPID)
        assert projections() == before
    assert sound()
    assert points(late.member, Category.RAPID) == Decimal("1234.00")
    assert Moved(anna.pk, Category.BLITZ, 1600_00, 1607_20) in work.summary.moved
    assert work.summary.events == 4
    assert len(work.summary.moved) == 3


def test_an_exception_inside_deferred_takes_everything_back(anna, bob, played):
    before = projections(), list(Game.objects.values_list())

    def fails():
        game(anna, bob, minute=50)
        played[0].delete()
        Game.objects.update(result="0-1")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), deferred():
        fails()
    assert (projections(), list(Game.objects.values_list())) == before
    # The notebook is closed: what follows is rated at once.
    game(anna, bob, minute=60)
    assert sound()


def test_blocks_in_each_other_replay_once_at_the_end_of_the_outermost(anna, bob):
    with patch.object(service, "replay_since", wraps=service.replay_since) as replayed, deferred() as outer:
        with deferred():
            game(anna, bob, minute=20)
        game(anna, bob, minute=10)
        assert not replayed.called
    assert replayed.call_count == 1
    ((touched,), _options) = replayed.call_args
    assert {category: one.since for category, one in touched.items()} == {Category.BLITZ: at(10)}
    assert outer.summary.events == 2
    assert sound()


def test_deferred_without_a_change_of_ratings_replays_nothing(anna, bob, played):
    with patch.object(service, "replay_since") as replayed, deferred() as work:
        Game.objects.update(pgn="")
        played[0].termination = "time"
        played[0].save()
        game(anna, bob, rated=False)
    assert not replayed.called
    assert work.summary == ReplaySummary()


def test_an_update_of_no_game_replays_nothing(played):
    with patch.object(service, "replay_since") as replayed, deferred():
        assert Game.objects.filter(external_id="none").update(result="0-1") == 0
    assert not replayed.called


@pytest.mark.parametrize("change", [{"rating": 1700}, {"effective_at": at(30)}])
def test_opening_ratings_changed_in_bulk_outside_deferred_are_refused(change):
    rated(1600)
    with pytest.raises(RuntimeError, match=r"deferred\(\)"):
        OpeningRating.objects.update(**change)
    with pytest.raises(RuntimeError, match=r"deferred\(\)"):
        OpeningRating.objects.all().delete()


def test_opening_ratings_changed_in_bulk_inside_deferred_are_replayed():
    who = rated(1600)
    game(who, rated(1600), minute=40)
    with deferred():
        OpeningRating.objects.filter(member=who).update(rating=1700)
    # D = 100: PD 0.64, K = 20 (RBB 3.9)
    assert points(who) == Decimal("1707.20")
    assert replay(check=True).differences == 0


def test_the_source_of_an_opening_rating_decides_nothing():
    rated(1600)
    assert OpeningRating.objects.update(source="corrected spelling") == 1
