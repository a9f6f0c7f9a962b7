"""Pages by key: whoever walks through a list meets every row once, in order, in both directions."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from foa.web.paging import page_of
from members.models import Member
from ratings.rbb.models import Game, Rating, RatingChange
from tests.arena import START, control, game, member, rated


def walk(queryset, size, direction="after", mark=None):
    """All rows, page by page; with ``before`` from the last row backwards."""
    rows = []
    while True:
        page = page_of(queryset, QueryDict(f"{direction}={mark}" if mark else ""), size)
        rows = [*rows, *page.rows] if direction == "after" else [*page.rows, *rows]
        mark = page.next if direction == "after" else page.previous
        if mark is None:
            return rows


class EveryOrder(TestCase):
    """Ties and empty values included."""

    @settings(max_examples=30)
    @given(
        minutes=st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=12),
        size=st.integers(1, 5),
        order=st.sampled_from([(), ("ended_at", "-pk"), ("-white__name", "started_at", "pk")]),
    )
    def test_a_walk_forwards_and_one_backwards_meet_every_row_in_order(self, minutes, size, order):
        names = [member(name="Li, Wei"), member(name="Ba, Na")]
        blitz = control("180+2")
        Game._base_manager.all()._raw_delete("default")
        for minute in minutes:
            ended = None if minute is None else START + timedelta(minutes=minute)
            Game.objects.create(
                white=names[len(minutes) % 2],
                black=names[1 - len(minutes) % 2],
                time_control=blitz,
                rated=False,
                started_at=START,
                ended_at=ended,
                result="" if ended is None else "1-0",
            )
        queryset = Game.objects.order_by(*order) if order else Game.objects.all()
        expected = list(
            Game.objects.order_by(F("ended_at").asc(nulls_first=True), "-pk")
            if order[:1] == ("ended_at",)
            else queryset
        )
        assert walk(queryset, size) == expected
        backwards = walk(queryset, size, "before", expected[-1].pk)
        assert backwards == expected[:-1]


@pytest.mark.django_db
@pytest.mark.parametrize("order", [("fide_id", "pk"), ("-fide_id", "pk"), ("title", "-fide_id", "pk")])
def test_a_list_sorted_by_a_column_with_empty_values_loses_no_row(order):
    for number in (3, None, 1, None, None, 2):
        member(fide_id=number, title="GM" if number == 1 else "")
    empty_last = F("fide_id").desc(nulls_last=True), F("fide_id").asc(nulls_first=True)
    expected = Member.objects.order_by(
        *(empty_last[term == "fide_id"] if "fide_id" in term else term for term in order)
    )
    for size in (1, 2, 5):
        assert walk(Member.objects.order_by(*order), size) == list(expected)
        last = expected.reverse()[0].pk
        backwards = walk(Member.objects.order_by(*order), size, "before", last)
        assert backwards == list(expected)[:-1]


@pytest.mark.django_db
def test_a_page_knows_whether_it_has_neighbours():
    first, second, third = (member(f"m{number}") for number in range(3))
    by_name = Member.objects.order_by("username", "pk")

    def page(query):
        found = page_of(by_name, QueryDict(query), 2)
        return found.rows, found.previous, found.next

    assert page("") == ([first, second], None, second.pk)
    assert page(f"after={second.pk}") == ([third], third.pk, None)
    assert page(f"before={third.pk}") == ([first, second], None, second.pk)
    assert page(f"before={second.pk}") == ([first], None, first.pk)
    assert page(f"after={third.pk}") == ([], None, None)


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has another planner")
@pytest.mark.parametrize(
    ("address", "table"),
    [
        ("/members/?after={member}", "members_member"),
        ("/members/?sort=federation&after={member}", "members_member"),
        ("/members/?sort=-rapid&after={member}", "members_member"),
        ("/members/?sort=-blitz&after={member}", "members_member"),
        ("/members/?sort=-blitz&before={member}", "members_member"),
        ("/games/?after={game}", "ratings_game"),
        ("/games/?before={game}", "ratings_game"),
        ("/changes/?after={change}", "ratings_ratingchange"),
        ("/ratings/blitz/?after={rating}", "ratings_rating"),
    ],
)
def test_a_page_in_the_middle_is_found_by_an_index(client, address, table):
    for minute in range(10, 40):
        game(rated(1800), rated(1700), minute=minute)
    marks = {
        name: model.objects.order_by("pk")[20].pk
        for name, model in {"member": Member, "game": Game, "change": RatingChange, "rating": Rating}.items()
    }
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # So few rows are sorted or read as a whole more cheaply; a million are not.
        for costly in ("seqscan", "sort", "hashjoin", "mergejoin"):
            cursor.execute(f"SET LOCAL enable_{costly} = off")
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address.format(**marks)).status_code == 200
        listing = [
            query["sql"]
            for query in captured.captured_queries
            if f'FROM "{table}"' in query["sql"] and "LIMIT 51" in query["sql"]
        ]
        assert listing
        for sql in listing:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert f"Seq Scan on {table}" not in plan
            assert "Index Cond" in plan, plan
