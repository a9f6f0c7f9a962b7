"""A replay of what moves leaves what a replay in order leaves, row by row, and both what a rebuild gives."""

import random
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest

from ratings.office.bulk import as_stored
from ratings.rbb.ledger import affected_events
from ratings.rbb.ledger.affected_events import AffectedEvents
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import (
    Game,
    LateLine,
    OpeningRating,
    OtbAdjustment,
    RatingChange,
    RecalculatedLine,
    Recalculation,
)
from ratings.rbb.models.pending_replay import Pending, Touched
from ratings.rules.rbb.editions import Editions
from ratings.rules.time_controls import Category
from tests.arena import (
    CONTROL,
    START,
    adjustment,
    control,
    game,
    member,
    opening,
    projections,
    rated,
    rebuild,
    taken_back,
)
from tests.histories import seeds

pytestmark = pytest.mark.django_db

RESULTS = Game.Result.values
DAYS = 120
LISTS = [datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5, 6)]


def moment(dice):
    """Some full hour of the arena’s time: several games end at once."""
    return START + timedelta(hours=dice.randrange(1, DAYS * 24, 12))


def new_game(dice, people):
    white, black = dice.sample(people, 2)
    ended = moment(dice)
    return Game(
        white=white,
        black=black,
        result=dice.choice(RESULTS),
        time_control=control(CONTROL[dice.choice([Category.BLITZ] * 4 + list(Category))]),
        started_at=ended,
        ended_at=ended,
    )


def arena(dice):
    """Members near the floor, newcomers and strong ones, their games, adjustments and three lists."""
    people = [rated(points) for points in (100, 130, 180, 900, 1500, 1500, 1600, 2300, 2390)]
    people += [member() for _ in range(6)]
    with deferred():
        for who in dice.sample(people, 4):
            opening(who, dice.randrange(100, 2400), Category.RAPID, minute=60 * dice.randrange(DAYS))
        Game.objects.bulk_create([new_game(dice, people) for _ in range(220)])
        for who in dice.sample(people, 4):
            adjustment(who, dice.randrange(-80, 80), effective_at=moment(dice), period="2026-04-01")
    for month in LISTS:
        publish(category=Category.BLITZ, month=month, at=month)
    return people


def correct(dice, people):
    """One thing that staff or an importer does."""
    chosen = dice.choice(list(Game.objects.order_by("pk")))
    match dice.randrange(9):
        case 0:
            chosen.delete()
        case 1:
            chosen.voided_at = None if chosen.voided_at else START + timedelta(days=DAYS)
            chosen.void_reason = "engine" if chosen.voided_at else ""
            chosen.save()
        case 2:
            chosen.result = dice.choice(RESULTS)
            chosen.save()
        case 3:
            chosen.started_at = chosen.ended_at = moment(dice)
            chosen.save()
        case 4:
            chosen.white, chosen.black = dice.sample(people, 2)
            chosen.save()
        case 5:
            chosen.time_control = control(CONTROL[dice.choice(list(Category))])
            chosen.save()
        case 6:
            change = dice.choice(list(OtbAdjustment.objects.order_by("pk")))
            change.change, change.effective_at = Decimal(dice.randrange(-80, 80)), moment(dice)
            change.save()
        case 7:
            first = dice.choice(list(OpeningRating.objects.order_by("pk")))
            first.rating = Decimal(dice.randrange(100, 2400))
            first.save()
        case 8:
            played = new_game(dice, people)
            # A sequence isn't rolled back: the same game has the same key each time that it is played.
            played.pk = Game.objects.order_by("pk").last().pk + 1
            played.save()


@contextmanager
def in_order():
    """As if nobody knew what has changed."""
    note = Pending.add
    with patch.object(Pending, "add", lambda self, category, moment, key=None: note(self, category, moment)):
        yield


@contextmanager
def only_what_moves():
    """As if a replay in order were never cheaper."""
    with patch.object(AffectedEvents, "_is_dearer", lambda self, moment: False):
        yield


@contextmanager
def leaving(seed):
    """As if a replay in order became cheaper somewhere on the way."""
    dice = random.Random(seed)
    with (
        patch.object(affected_events, "_FREE", -1),
        patch.object(AffectedEvents, "_is_dearer", lambda self, moment: dice.random() < 0.1),
    ):
        yield


def outcome(corrections):
    """All that a decision leaves, and its summary but for the number of events."""
    seen = set(Recalculation.objects.values_list("pk", flat=True))
    with deferred() as work:
        corrections()
    summary = work.summary
    of_this = Recalculation.objects.exclude(pk__in=seen)
    return {
        "projections": projections(),
        "recalculations": sorted(of_this.values_list("category", "since", "lines", "change_set__kind")),
        "moved lines": sorted(
            RecalculatedLine.objects.filter(recalculation__in=of_this).values_list(
                "line", "gone", "member", "category", "occurred_at", "before", "after", "reason"
            ),
            key=repr,
        ),
        "late lines": sorted(
            LateLine.objects.filter(recalculation__in=of_this).values_list(
                "line", "member", "occurred_at", "reason"
            ),
            key=repr,
        ),
        "moved": sorted(summary.moved, key=repr),
        "lists": summary.lists,
        "written": (
            summary.changes_written,
            summary.changes_deleted,
            summary.ratings_written,
            summary.ratings_deleted,
        ),
    }


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.long
def test_what_moves_is_what_a_replay_in_order_and_a_rebuild_find(seed):
    dice = random.Random(seed)
    people = arena(dice)
    for turn in range(6):
        number = dice.choice([1, 1, 2, 5, 25])
        corrections = random.Random(f"{seed} {turn}")

        def decide(corrections=corrections, number=number):
            state = corrections.getstate()
            for _ in range(number):
                correct(corrections, people)
            corrections.setstate(state)

        with in_order():
            expected = taken_back(lambda decide=decide: outcome(decide))
        with leaving(seed):
            assert taken_back(lambda decide=decide: outcome(decide)) == expected
        with only_what_moves():
            assert outcome(decide) == expected
    rebuild()
    assert projections() == expected["projections"]


def test_a_game_that_the_ledger_has_by_half_is_whole_once_it_is_met():
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    first, second = game(anna, bob, minute=10), game(anna, carl, minute=20)
    RatingChange.objects.of_game(second).filter(member=carl).delete()
    first.result = "0-1"
    first.save()
    assert RatingChange.objects.of_game(second).count() == 2
    assert replay(check=True).differences == 0


def test_the_next_lines_of_those_who_will_differ_are_read_together():
    anna, zoe, *others = (rated(1600) for _ in range(14))
    strangers = [rated(1600) for _ in others]
    first = game(anna, zoe, minute=10)
    for number, (other, stranger) in enumerate(zip(others, strangers, strict=True)):
        game(anna, other, minute=20 + number)
        game(other, stranger, minute=100 + number)
    read = []
    read_lines = AffectedEvents._read_lines

    def noted(self, behind):
        read.append(set(behind))
        return read_lines(self, behind)

    first.result = "0-1"
    with patch.object(AffectedEvents, "_read_lines", noted):
        first.save()
    everybody = [one.pk for one in others]
    assert read == [{anna.pk}, {zoe.pk, *everybody}]
    assert replay(check=True).differences == 0


def test_how_much_is_left_of_a_category_follows_from_the_lines_at_some_moments():
    anna, bob = rated(1600), rated(1700)
    with deferred():
        for minute in (*range(10, 210), *range(1000, 1010), 1630):
            game(anna, bob, minute=minute, notation=CONTROL[list(Category)[minute % 2]])
    since = START + timedelta(minutes=30)
    touched = Touched(since, keys=set())

    def estimated(category, begins):
        return AffectedEvents(category, touched, [], Editions())._suffix(begins)

    # Parts of 200 minutes: in the first a game a minute, each other one blitz. In the fifth five rapid games
    # come behind the middle, in the last one: as many are supposed before it.
    for category in list(Category)[:2]:
        begins, part, found = estimated(category, since)
        assert (begins, part) == (since, timedelta(minutes=200))
        assert found[0] == pytest.approx(100, abs=4)
    assert estimated(Category.RAPID, since)[2][1:] == [0, 0, 0, 10, 0, 0, 2]
    assert estimated(Category.BULLET, since)[2] == [0] * 8
    assert estimated(Category.BLITZ, START + timedelta(minutes=1630))[2] == []


def test_what_was_passed_is_added_to_what_may_be_spent():
    affected = AffectedEvents(Category.BLITZ, Touched(START, keys=set()), [], Editions())
    affected.suffix = (START, timedelta(minutes=100), [100, 0, 40, 60])

    def allowed(minute):
        affected._is_dearer(as_stored(START + timedelta(minutes=minute)))
        return affected.allowed

    assert [allowed(minute) for minute in (0, 50, 100, 250, 400, 900)] == [30, 80, 130, 150, 230, 230]
    affected.suffix = (START, timedelta(minutes=100), [100_000, 300_000])
    assert [allowed(minute) for minute in (0, 50, 200)] == [20_000, 70_000, 420_000]


def test_a_line_that_is_read_ahead_costs_the_rest_when_it_is_taken():
    anna, *others = (rated(1600) for _ in range(6))
    first = game(anna, others[0], minute=10)
    for number, other in enumerate(others):
        game(anna, other, minute=20 + number)
    costs = []
    take = AffectedEvents._take

    def noted(self, place):
        take(self, place)
        costs.append((self.cost, self.steps))

    first.result = "0-1"
    with patch.object(AffectedEvents, "_take", noted):
        first.save()
    # Where both stood is read first; the five next games of one and the next one of the other are read then.
    read = 3 * affected_events.STATEMENT + 6 * affected_events.LINE
    assert costs[0] == (affected_events.STEP + read, 1)
    assert costs[-1] == (6 * affected_events.STEP + read, 6)
