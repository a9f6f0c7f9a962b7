"""RBB 3.4, 3.15: however facts are corrected, one decision gives what they give from the start."""

from datetime import UTC, date, datetime

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from members.models import FullMembership, Member
from ratings.fide.services.announcing import NotAnnounced, announce
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.fide.services.looking_up import look_up_kept_lists
from ratings.fide.services.watch import redetermine
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import OpeningRating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game
from tests.fide.office import bring_players, listed
from tests.histories import at_most

pytestmark = pytest.mark.django_db

RAPID = Category.RAPID
NAMES = ("anna", "boris", "carl", "dora")
MONTHS = [date(2025, month, 1) for month in (8, 9, 10, 11)]
ANNOUNCED = MONTHS[2:]


def moment(month, day):
    return datetime(2025, month, day, 12, tzinfo=UTC)


FIRST_DAYS = [moment(8, 20), moment(9, 3), moment(9, 14)]

fide_ids = st.permutations([None, 1, 2, 3, 4, 5]).map(lambda ids: ("ids", ids[: len(NAMES)]))
first_days = st.lists(st.sampled_from(FIRST_DAYS), min_size=len(NAMES), max_size=len(NAMES))
OTHERS = [
    *(("list", month) for month in MONTHS),
    *(("announce", month) for month in ANNOUNCED),
    ("games", None),
]


@st.composite
def histories(draw):
    """Say FIDE IDs and first days again and again, in any order among lists, announcements and games."""
    said = draw(st.lists(st.one_of(fide_ids, first_days.map(lambda days: ("days", days))), max_size=4))
    said += [draw(fide_ids), ("days", draw(first_days))]
    corrections = iter(said)
    order = draw(st.permutations([*OTHERS, *(None for _one in said)]))
    return [one or next(corrections) for one in order]


def enter(facts):
    for name in (*NAMES, "otto"):
        who = Member.objects.create(username=name)
        FullMembership.objects.create(member=who, full_from=FIRST_DAYS[0])
    opened = {"category": RAPID, "rating": 1700, "effective_at": FIRST_DAYS[0], "source": "by hand"}
    OpeningRating.objects.create(member=who, **opened)
    waiting = list(facts)
    while waiting:
        waiting = [fact for fact in waiting if says(*fact) is False]


def says(what, value):
    """Enter a fact; False if it has to come later."""
    if what == "list":
        number = MONTHS.index(value)
        bring_players(
            value,
            listed(1, rapid=1800 + 20 * number, blitz=1700),
            listed(2, rapid=1600 + 30 * number if number > 1 else None),
            listed(3, standard=1500 + number),
            listed(4, rapid=2000 + 50 * number, games=number),
        )
    elif what == "announce":
        try:
            announce(period=value, at=moment(value.month, 4))
        except NotAnnounced:
            return False
    elif what == "games":
        play()
    elif what == "ids":
        for name, fide_id in zip(NAMES, value, strict=True):
            who = Member.objects.get(username=name)
            if who.fide_id != fide_id:
                Member.objects.filter(fide_id=fide_id).update(fide_id=None)
                who.fide_id = fide_id
                who.save()
    else:
        for name, day in zip(NAMES, value, strict=True):
            span = FullMembership.objects.get(member__username=name)
            span.full_from = day
            span.save()
    return True


def play():
    who = {one.username: one for one in Member.objects.all()}
    results = ("1/2-1/2", "1-0", "0-1")
    for number in range(24):
        white, black = NAMES[number % 4], ("otto", *NAMES)[(number // 2) % 5]
        if white != black:
            ended = datetime(2025, 9 + number // 12, 16 + number % 12, 18, tzinfo=UTC)
            game(
                who[white],
                who[black],
                results[number % 3],
                notation=CONTROL[RAPID],
                started_at=ended,
                ended_at=ended,
            )


def decide():
    """What the worker does, and what the office decides then, once; whether there was anything to do."""
    found = look_up_kept_lists()
    determined = determine_first_ratings(at=timezone.now())
    assert not determined.not_known
    again = redetermine(at=timezone.now())
    return bool(found or determined.members or again.members)


def ledger():
    assert replay(check=True).differences == 0
    lines = RatingChange.objects.values_list(
        "member__username", "category", "occurred_at", "before", "after", "reason"
    )
    return sorted(lines, key=repr)


@settings(
    max_examples=at_most(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(facts=histories())
@pytest.mark.long
def test_one_pass_is_a_fixed_point_and_gives_what_the_last_facts_give_from_the_start(facts):
    last = {what: value for what, value in facts if what in ("ids", "days")}
    straight = [("list", month) for month in MONTHS] + [("ids", last["ids"]), ("days", last["days"])]
    straight += [("announce", month) for month in ANNOUNCED] + [("games", None)]
    ledgers = []
    for history in (facts, straight):
        with transaction.atomic():
            enter(history)
            decide()
            ledgers.append(ledger())
            assert not decide()
            assert ledger() == ledgers[-1]
            transaction.set_rollback(True)
    assert ledgers[0] == ledgers[1]
