"""RBB 2.1, 3.4, 3.11, 3.15: in whatever order facts are entered, the ledger is the same.

Games, openings, adjustments, full membership and its end, FIDE IDs, lists, announcements and voids.
"""

from datetime import UTC, date, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foa.text import utc_text
from members.models import FullMembership, Member
from ratings.fide.models import FideList
from ratings.fide.services.announcing import announce
from ratings.fide.services.changes import NotAnnounced
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.fide.services.looking_up import look_up_kept_lists
from ratings.fide.services.watch import redetermine, watched
from ratings.models import Game, OpeningRating, OtbAdjustment, RatingChange
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.kinds import kind_of
from ratings.office.models import ChangeSet
from ratings.rules.rbb.steps import Reason
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import replay
from tests.arena import CONTROL, control, game
from tests.fide.office import bring_players, listed
from tests.histories import at_most

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
MONTHS = [date(2025, month, 1) for month in (9, 10, 11)]


def moment(month, day, hour=12):
    return datetime(2025, month, day, hour, tzinfo=UTC)


def lists(period):
    """What FIDE says of four players: two improve, one becomes rated, one is rated in standard alone."""
    number = MONTHS.index(period)
    return (
        listed(1, rapid=1800 + 20 * number, blitz=1700 - 10 * number),
        listed(2, rapid=1600 + 30 * number if number else None),
        listed(3, standard=1500 + number),
        listed(4, rapid=2000 + 50 * number),
    )


def joins(name, joined, until=None):
    def enter():
        who = Member.objects.create(username=name)
        FullMembership.objects.create(member=who, full_from=joined, full_until=until)

    return enter


def has_fide_id(name, fide_id):
    """It becomes known, or turns out to be another one."""

    def enter():
        who = Member.objects.filter(username=name).first()
        if who is None:
            return False
        who.fide_id = fide_id
        who.save()
        return True

    return enter


def plays(white, black, result, ended_at):
    def enter():
        found = {one.username: one for one in Member.objects.filter(username__in=(white, black))}
        if len(found) < 2:
            return False
        facts = {"notation": CONTROL[RAPID], "started_at": ended_at, "ended_at": ended_at}
        try:
            with transaction.atomic():
                game(found[white], found[black], result, **facts)
        except ValidationError:
            # Nobody may claim that it is rated while membership says otherwise: it is kept unrated.
            unrated = Game(
                white=found[white],
                black=found[black],
                time_control=control(CONTROL[RAPID]),
                started_at=ended_at,
            )
            why = "; ".join(map(str, unrated.unmet_conditions()))
            assert "(RBB 2.1)" in why
            game(found[white], found[black], result, **facts, rated=False, unrated_reason=why)
        return True

    return enter


def is_void(white, black, ended_at):
    """Somebody finds out that a game was not fair."""

    def enter():
        one = Game.objects.filter(white__username=white, black__username=black, ended_at=ended_at).first()
        if one is None:
            return False
        decided("void-games", game=one.pk)
        return True

    return enter


def ends(name, until):
    """A membership ended, and the office learns of it in hindsight."""

    def enter():
        span = FullMembership.objects.filter(member__username=name).first()
        if span is None:
            return False
        decided(
            "change-membership", member=span.member_id, span=f"{utc_text(span.full_from)}/{utc_text(until)}"
        )
        return True

    return enter


def changes(name, period, change, at):
    """An over-the-board change by hand."""

    def enter():
        who = Member.objects.filter(username=name).first()
        if who is None:
            return False
        OtbAdjustment.objects.create(
            member=who, category=RAPID, period=period, change=change, effective_at=at, source="by hand"
        )
        return True

    return enter


def decided(kind, **asked):
    parameters = {name: [str(value)] for name, value in asked.items()}
    change_set, _effect = decide_at_once(
        Proposal(kind=kind_of(kind), parameters={**parameters, "rate_games": ["on"]})
    )
    assert change_set is None or change_set.state == ChangeSet.State.APPLIED


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
    joins("anna", moment(10, 2)),
    joins("boris", moment(9, 5)),
    joins("carl", moment(9, 20), moment(11, 20)),
    joins("dora", moment(9, 1)),
    joins("emil", moment(9, 1)),
    joins("fred", moment(9, 15)),
    has_fide_id("anna", 1),
    has_fide_id("boris", 2),
    has_fide_id("carl", 3),
    has_fide_id("fred", 4),
    ends("emil", moment(10, 15)),
    is_rated("dora", 1700, moment(9, 1)),
    is_rated("emil", 1650, moment(9, 1)),
    changes("emil", MONTHS[1], "12.50", moment(10, 5)),
    plays("anna", "dora", "1-0", moment(10, 3)),
    plays("dora", "anna", "1/2-1/2", moment(10, 9)),
    plays("carl", "dora", "0-1", moment(11, 6)),
    plays("boris", "dora", "1/2-1/2", moment(10, 20)),
    plays("boris", "anna", "1-0", moment(11, 10)),
    plays("emil", "dora", "1-0", moment(10, 10)),
    plays("dora", "emil", "0-1", moment(10, 19)),
    plays("emil", "anna", "1/2-1/2", moment(10, 12)),
    is_void("emil", "anna", moment(10, 12)),
    # Known late, the FIDE ID of fred finds a rating by five games (3.6), of which others have theirs.
    *(plays("fred", "dora", "1/2-1/2", moment(9, day)) for day in range(16, 22)),
    plays("fred", "boris", "0-1", moment(10, 21)),
]


def entered(facts):
    """The ledger by content once the facts are entered, those that need others as soon as these are there.

    Then the worker looks up who came later, and what is proposed is applied, as the office does: once.
    """
    waiting = list(facts)
    while waiting:
        waiting = [enter for enter in waiting if enter() is False]
    look_up_kept_lists()
    determine_first_ratings(at=timezone.now())
    redetermine(at=timezone.now())
    assert not look_up_kept_lists()
    assert not determine_first_ratings(at=timezone.now()).members
    assert not list(watched(at=timezone.now()))
    assert FideList.objects.count() == len(MONTHS)
    assert replay(check=True).differences == 0
    return sorted(
        RatingChange.objects.values_list(
            "member__username", "category", "occurred_at", "before", "after", "reason"
        ),
        key=repr,
    )


@settings(
    max_examples=at_most(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=st.permutations(range(len(FACTS))))
@pytest.mark.long
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
    assert {name for name, _category in last} == {"anna", "boris", "carl", "dora", "emil", "fred"}
    games = [
        at
        for name, _category, at, _before, _after, reason in ledger
        if name == "emil" and reason == Reason.RATED
    ]
    # The game of after his membership is unrated, and the void one counts for nothing.
    assert games == [moment(10, 10)]
    # Six draws from 2000 against dora, who had 1700: rated by 3.4, not by 3.6.
    assert ("fred", RAPID, moment(9, 15), None, 2000) in {line[:5] for line in ledger}
    return ledger
