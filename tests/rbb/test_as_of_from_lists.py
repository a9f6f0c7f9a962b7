"""Pages as of a moment start from the last list before it, and show what the ledger says."""

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from django.test import RequestFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.as_of import basis_of, ratings_as_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingChange, RatingList
from ratings.rbb.views.lists import LiveRatingView
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, taken_back
from tests.histories import at_most
from tests.rbb.test_lists_add_up_always import CATEGORY, LONG_AGO, MONTHS, PEOPLE, act, acts

pytestmark = pytest.mark.django_db

APRIL, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5, 6))
ROWS = 2

filters = st.sampled_from([{}, {"games": "1"}, {"active": "yes"}, {"federation": "NOR"}])


def pages(moment, **asked):
    """The keys of the lines on each page of the view from the first to the last, and back again."""
    found = []
    for direction in ("after", "before"):
        mark = {"before": str(found[-1][0])} if direction == "before" and found and found[-1] else {}
        while True:
            view = LiveRatingView(rows_per_page=ROWS)
            query = {"as_of": moment.isoformat(), **asked, **mark}
            view.setup(RequestFactory().get("/", query), category=Category(CATEGORY))
            page = view.get(view.request).context_data["table"].page
            found.append([row.pk for row in page.rows])
            onward = page.next if direction == "after" else page.previous
            if onward is None:
                break
            mark = {direction: str(onward)}
    return found


def pages_computed(moment, **asked):
    """The same from the whole ledger."""
    view = LiveRatingView()
    view.setup(RequestFactory().get("/", {"as_of": moment.isoformat(), **asked}), category=CATEGORY)
    filterset = view.get_filterset(view.get_filterset_class())
    assert not filterset.is_bound or filterset.is_valid()
    keys = [row.pk for row in filterset.qs]
    found = [keys[first : first + ROWS] for first in range(0, len(keys), ROWS)] or [[]]
    return found + (found[-2::-1] or [[]])


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.lists(acts, max_size=8)), min_size=4, max_size=4),
    st.lists(acts, max_size=3),
    st.lists(st.integers(0, 24 * 30 * 4).map(lambda hours: MONTHS[0] + timedelta(hours=hours)), max_size=3),
    filters,
)
@settings(max_examples=at_most(40))
@pytest.mark.long
def test_every_page_has_the_rows_that_the_whole_ledger_gives(history, corrections, moments, asked):
    taken_back(lambda: check(history, corrections, moments, asked))


def check(history, corrections, moments, asked):
    people = [
        member(full_from=LONG_AGO, federation="NOR" if number % 2 else "POL") for number in range(PEOPLE)
    ]
    act(people, "open", 0, 1600, MONTHS[0])
    act(people, "open", 1, 1600, MONTHS[0])
    act(people, "open", 2, 1600, MONTHS[0])
    for month, (at_once, published, doings) in zip(MONTHS[1:], history, strict=True):
        with deferred() if at_once else nullcontext():
            for doing in doings:
                act(people, *doing)
        if published:
            publish(category=CATEGORY, month=month, at=month)
    for doing in corrections:
        act(people, *doing)
    for moment in (*moments, *MONTHS):
        assert pages(moment, **asked) == pages_computed(moment, **asked)


def an_arena():
    """Lists of April and May; Anna beats Boris in each month before."""
    anna, boris = (member(name, full_from=LONG_AGO) for name in ("anna", "boris"))
    opening(anna, 1600)
    opening(boris, 1600)
    games = [game(anna, boris, minute=10), game(anna, boris, minute=40 * 24 * 60)]
    for month in (APRIL, MAY):
        publish(category=CATEGORY, month=month, at=month)
    return games


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def month_of_basis(moment):
    basis = basis_of(CATEGORY, moment)
    return basis and basis.month.month


def test_the_basis_is_the_last_list_up_to_the_moment(arena):
    assert month_of_basis(APRIL - timedelta(microseconds=1)) is None
    assert month_of_basis(APRIL) == month_of_basis(MAY - timedelta(microseconds=1)) == 4
    assert month_of_basis(MAY) == month_of_basis(JUNE) == 5


def test_who_has_two_lines_since_the_list_stands_there_once_by_the_last_of_them(arena):
    winner, loser = arena[0].white, arena[0].black
    for day in (62, 63):
        game(winner, loser, minute=day * 24 * 60)
    last = RatingChange.objects.filter(occurred_at__gt=MAY).order_by("-occurred_at")[:2]
    rows = {row.member_id: row.pk for row in last}
    assert pages(JUNE)[0] == [rows[winner.pk], rows[loser.pk]]
    assert pages(JUNE) == pages_computed(JUNE)


def test_a_list_behind_which_a_game_was_voided_is_no_basis_until_it_is_revised(arena):
    _first, second = arena
    second.voided_at, second.void_reason = JUNE, "test"
    second.save()
    assert month_of_basis(JUNE) == 4
    publish(category=CATEGORY, month=MAY, at=JUNE, revise=True)
    assert month_of_basis(JUNE) == 5
    assert basis_of(CATEGORY, JUNE).revision == 2


def test_a_late_result_of_any_age_takes_the_list_behind_which_it_came_away(arena):
    games = [
        *arena,
        game(arena[0].white, arena[0].black, minute=1 + (MAY - APRIL).days * 24 * 60 + 29 * 24 * 60),
    ]
    assert games[-1].ended_at < MAY
    assert month_of_basis(JUNE) == 4


def test_a_list_of_a_version_that_noted_no_correction_is_no_basis(arena):
    RatingList.objects.filter(month=MAY).update(layout=1)
    assert month_of_basis(JUNE) == 4


def test_a_page_from_a_list_does_not_look_up_everybody(arena, django_assert_max_num_queries, client):
    queryset = ratings_as_of(CATEGORY, JUNE)
    assert [row.after for row in queryset] == sorted((row.after for row in queryset), reverse=True)
    assert str(queryset.query).count("last_event_at") == 1
    with django_assert_max_num_queries(12) as captured:
        assert client.get(f"/ratings/blitz/?as_of={JUNE:%Y-%m-%d}").status_code == 200
    assert not [query["sql"] for query in captured.captured_queries if "last_event_at" in query["sql"]]
