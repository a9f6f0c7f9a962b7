"""Whatever is entered, withdrawn and reinstated in whatever order: the parts of every line add up."""

from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rbb.ledger.activity import COUNTED
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.as_of import ratings_as_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import control, member, taken_back
from tests.histories import at_most

pytestmark = pytest.mark.django_db

MONTHS = [datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4, 5)]
LONG_AGO = datetime(2025, 6, 1, tzinfo=UTC)
PEOPLE = 4
CATEGORY = Category.BLITZ

moments = st.integers(0, 24 * 30 * 4).map(lambda hours: MONTHS[0] + timedelta(hours=hours))
notations = st.sampled_from(["180+2", "900+0"])
who = st.integers(0, PEOPLE - 1)
one_of_those = st.integers(0, 30)
acts = st.one_of(
    st.tuples(
        st.just("play"),
        who,
        who,
        st.sampled_from(Game.Result.values),
        moments,
        notations,
    ),
    st.tuples(st.just("open"), who, st.integers(101, 2400), moments),
    st.tuples(st.just("adjust"), who, st.integers(-300, 300), moments),
    st.tuples(st.just("void"), one_of_those),
    st.tuples(st.just("reinstate"), one_of_those),
    st.tuples(st.just("delete"), one_of_those),
    st.tuples(st.just("move"), one_of_those, moments),
    st.tuples(st.just("other control"), one_of_those, notations),
    st.tuples(st.just("other white"), one_of_those, who),
    st.tuples(st.just("close"), one_of_those),
)


def act(people, what, *how):
    """Do one of these; nothing where it is impossible."""
    if what == "play":
        white, black, result, moment, notation = how
        if white != black:
            Game.objects.create(
                white=people[white],
                black=people[black],
                result=result,
                time_control=control(notation),
                started_at=moment,
                ended_at=moment,
            )
        return
    if what == "open":
        member_, points, moment = how
        facts = {"member": people[member_], "category": CATEGORY, "effective_at": moment}
        if not OpeningRating.objects.filter(**facts).exists():
            OpeningRating.objects.create(**facts, rating=Decimal(points), source="test")
        return
    if what == "adjust":
        member_, change, moment = how
        facts = {"member": people[member_], "category": CATEGORY, "period": moment.date().replace(day=1)}
        if not OtbAdjustment.objects.filter(**facts).exists():
            OtbAdjustment.objects.create(**facts, change=Decimal(change), effective_at=moment, source="test")
        return
    inputs = list(OpeningRating.objects.all() if what == "close" else Game.objects.order_by("pk"))
    if not inputs:
        return
    one = inputs[how[0] % len(inputs)]
    if what in ("delete", "close"):
        one.delete()
        return
    if what == "void":
        one.voided_at, one.void_reason = MONTHS[-1], "test"
    elif what == "reinstate":
        one.voided_at, one.void_reason = None, ""
    elif what == "move":
        one.started_at = one.ended_at = how[1]
    elif what == "other control":
        one.time_control = control(how[1])
    elif people[how[1]] != one.black:
        one.white = people[how[1]]
    one.save()


def counted_until(moment):
    """Which games count for whom by the ledger."""
    return set(
        RatingChange.objects.until(moment)
        .filter(category=CATEGORY, game__isnull=False, reason__in=COUNTED)
        .values_list("member", "id")
    )


def parts_of_the_ledger(since, until):
    """What its lines between two moments changed: by member and kind, an unrated member counting from 0."""
    found = Counter()
    for row in RatingChange.objects.filter(category=CATEGORY, occurred_at__gt=since, occurred_at__lte=until):
        found[row.member_id, row.kind.name] += (row.after or 0) - (row.before or 0)
    return found


def standings(moment):
    return dict(ratings_as_of(CATEGORY, moment).values_list("member", "after"))


@given(st.lists(st.tuples(st.booleans(), st.lists(acts, max_size=8)), min_size=4, max_size=4))
@settings(max_examples=at_most(40))
@pytest.mark.long
def test_the_parts_of_every_line_add_up_to_its_change_and_its_games_are_those_that_came(history):
    taken_back(lambda: check(history))


def check(history):
    people = [member(full_from=LONG_AGO) for _ in range(PEOPLE)]
    act(people, "open", 0, 1600, MONTHS[0])
    act(people, "open", 1, 1500, MONTHS[0])
    act(people, "play", 0, 1, "1-0", MONTHS[0], "180+2")
    before, counted, listed = None, set(), {}
    for month, (at_once, doings) in zip(MONTHS[1:], history, strict=True):
        with deferred() if at_once else nullcontext():
            for doing in doings:
                act(people, *doing)
        # As the office sees it now, whatever it saw when the list before was made.
        since = before.as_of if before else LONG_AGO
        moved, stood = parts_of_the_ledger(since, month), standings(since)
        now, old = counted_until(month), counted_until(since)
        published, _new = publish(category=CATEGORY, month=month, at=month)
        lines = {entry.member_id: entry for entry in published.entries}
        assert {pk: entry.rating for pk, entry in lines.items()} == standings(month)
        for pk, entry in lines.items():
            assert entry.games_change == moved[pk, "GAME"]
            assert entry.adjustments_change == moved[pk, "ADJUSTMENT"]
            assert entry.openings_change == moved[pk, "OPENING"]
            assert entry.earlier_change == stood.get(pk, 0) - listed.get(pk, 0)
            assert entry.rating - listed.get(pk, 0) == (
                entry.games_change + entry.adjustments_change + entry.openings_change + entry.earlier_change
            )
            mine = {line for who, line in now - counted if who == pk}
            assert entry.period_games == len(mine)
            assert entry.late_games == len(mine & {line for who, line in old if who == pk})
            assert entry.withdrawn_games == len([line for who, line in counted - now if who == pk])
        before, counted = published, now
        listed = {pk: entry.rating for pk, entry in lines.items()}
