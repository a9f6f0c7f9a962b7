"""RBB 3.4, 3.15: in whatever order facts are entered, the ledger is the same."""

from datetime import UTC, date, datetime

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from members.models import FullMembership, Member
from ratings.fide.models import FideList
from ratings.fide.services.announcing import announce
from ratings.fide.services.changes import NotAnnounced
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.fide.services.watch import redetermine, watched
from ratings.models import OpeningRating, RatingChange
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import replay
from tests.arena import CONTROL, game
from tests.fide.office import bring_players, listed

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
MONTHS = [date(2025, month, 1) for month in (9, 10, 11)]


def moment(month, day, hour=12):
    return datetime(2025, month, day, hour, tzinfo=UTC)


def lists(period):
    """What FIDE says of three players: one improves, one becomes rated, one is rated in standard alone."""
    number = MONTHS.index(period)
    return (
        listed(1, rapid=1800 + 20 * number, blitz=1700 - 10 * number),
        listed(2, rapid=1600 + 30 * number if number else None),
        listed(3, standard=1500 + number),
    )


def joins(name, fide_id, joined, until=None):
    def enter():
        who = Member.objects.create(username=name)
        FullMembership.objects.create(member=who, full_from=joined, full_until=until)
        who.fide_id = fide_id
        who.save()

    return enter


def plays(white, black, result, ended_at):
    def enter():
        found = {one.username: one for one in Member.objects.filter(username__in=(white, black))}
        if len(found) < 2:
            return False
        game(
            found[white],
            found[black],
            result,
            notation=CONTROL[RAPID],
            started_at=ended_at,
            ended_at=ended_at,
        )
        return True

    return enter


def announces(period, at):
    def enter():
        try:
            announce(period=period, at=at)
        except NotAnnounced:
            return False
        return True

    return enter


def is_rated(name, rating, effective_at):
    def enter():
        who = Member.objects.filter(username=name).first()
        if who is None:
            return False
        OpeningRating.objects.create(
            member=who, category=RAPID, rating=rating, effective_at=effective_at, source="by hand"
        )
        return True

    return enter


FACTS = [
    *(lambda month=month: bring_players(month, *lists(month)) for month in MONTHS),
    announces(MONTHS[1], moment(10, 4)),
    announces(MONTHS[2], moment(11, 4)),
    joins("anna", 1, moment(10, 2)),
    joins("boris", 2, moment(9, 5)),
    joins("carl", 3, moment(9, 20), moment(11, 20)),
    joins("dora", None, moment(9, 1)),
    is_rated("dora", 1700, moment(9, 1)),
    plays("anna", "dora", "1-0", moment(10, 3)),
    plays("dora", "anna", "1/2-1/2", moment(10, 9)),
    plays("carl", "dora", "0-1", moment(11, 6)),
    plays("boris", "dora", "1/2-1/2", moment(10, 20)),
    plays("boris", "anna", "1-0", moment(11, 10)),
]


def entered(facts):
    """The ledger by content once the facts are entered, those that need others as soon as these are there.

    Then lists are imported again whose players came later, and the watch is applied, as the office does.
    """
    waiting = list(facts)
    while waiting:
        waiting = [enter for enter in waiting if enter() is False]
    for month in MONTHS:
        bring_players(month, *lists(month))
    determine_first_ratings(at=timezone.now())
    redetermine(at=timezone.now())
    assert not list(watched(at=timezone.now()))
    assert FideList.objects.count() == len(MONTHS)
    assert replay(check=True).differences == 0
    return sorted(
        RatingChange.objects.values_list(
            "member__username", "category", "occurred_at", "before", "after", "reason"
        ),
        key=repr,
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(FACTS))))
def test_any_order_of_entry_gives_the_same_ledger(in_order, order):
    with transaction.atomic():
        ledger = entered(FACTS[number] for number in order)
        transaction.set_rollback(True)
    assert ledger == in_order


@pytest.fixture
def in_order(db):
    """The ledger of the facts in the order of their dates; with figures of which something follows."""
    with transaction.atomic():
        ledger = entered(FACTS)
        transaction.set_rollback(True)
    last = {(name, category): after for name, category, _at, _before, after, _reason in ledger}
    assert {name for name, _category in last} == {"anna", "boris", "carl", "dora"}
    return ledger
