"""How ratings are spread: counted live, read from the ranks of a published list."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.rbb.lists.distribution import Band, Distribution, list_distribution, live_distribution
from ratings.rbb.lists.publishing import publish
from ratings.rbb.views.distribution import chart
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
POINTS = ("1800", "1700.49", "1699.50", "1699.49", "1600", "1600", "130")


def an_arena():
    """Seven members; the two of the middle are shown as 1700 and the next as 1699 (RBB 3.12)."""
    people = [member(f"m{number}") for number, _ in enumerate(POINTS)]
    for who, points in zip(people, POINTS, strict=True):
        opening(who, points)
    game(people[0], people[1], "1/2-1/2", rated=False)
    game(people[0], people[1], "1/2-1/2", minute=20, notation="60+0")
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


@pytest.fixture
def april(arena):
    return publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=1))[0]


COUNTS = ((130, 1), (1600, 2), (1699, 1), (1700, 2), (1800, 1))


def test_live_ratings_are_counted_as_they_are_displayed(arena):
    assert live_distribution(Category.BLITZ).counts == COUNTS
    assert live_distribution(Category.RAPID).counts == ()


def test_a_published_list_has_the_same_counts_and_keeps_them(april):
    assert list_distribution(april).counts == COUNTS
    opening(member("later"), "2000", minute=60 * 24 * 40)
    cache.clear()
    assert list_distribution(april).counts == COUNTS


def test_an_empty_list_is_spread_over_nothing(arena):
    empty, _new = publish(category=Category.RAPID, month=APRIL, at=APRIL + timedelta(hours=1))
    assert list_distribution(empty).counts == ()
    assert Distribution(()).bands == []
    assert Distribution(()).percentile(1500) is None
    assert Distribution(()).median is None


def test_bands_of_fifty_points_follow_each_other_with_empty_ones_between():
    bands = Distribution(COUNTS).bands
    assert len(bands) == 1 + (1800 - 100) // 50
    assert bands[0] == Band(100, 149, 1)
    assert bands[1] == Band(150, 199, 0)
    assert bands[-3:] == [Band(1700, 1749, 2), Band(1750, 1799, 0), Band(1800, 1849, 1)]


@pytest.mark.parametrize(
    ("displayed", "percentile", "rank"),
    [(1800, 85, 1), (1700, 57, 2), (1699, 42, 4), (1600, 14, 5), (130, 0, 7), (2900, 100, 1)],
)
def test_the_percentile_is_the_share_of_members_with_a_lower_rating(displayed, percentile, rank):
    """6, 4, 3, 1 and none of seven are lower."""
    distribution = Distribution(COUNTS)
    assert distribution.percentile(displayed) == percentile
    assert distribution.rank(displayed) == rank


def test_half_of_the_members_reach_the_median():
    assert Distribution(COUNTS).median == 1699
    assert Distribution(((1500, 1), (1600, 1))).median == 1500


def test_a_list_is_read_by_its_index_alone(april):
    with CaptureQueriesContext(connection) as captured:
        list_distribution(april)
    (query,) = captured.captured_queries
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' * (connection.vendor == 'sqlite')}{query['sql']}")
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert "list_entry_rating" in plan
    assert "SCAN ratings_ratinglistentry" not in plan
    assert "Seq Scan" not in plan


@pytest.mark.parametrize(
    ("most", "lines"),
    [
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (7, [2, 4, 6]),
        (19, [5, 10, 15]),
        (50, [10, 20, 30, 40, 50]),
        (99_999, [20_000, 40_000, 60_000, 80_000]),
    ],
)
def test_lines_across_the_chart_are_round_numbers_of_members(most, lines):
    drawn = chart(Distribution(((1500, most), (1600, 1))), None)
    assert [line.members for line in drawn.grid] == lines
    assert all(line.y >= drawn.bars[0].y for line in drawn.grid)


def test_bars_are_counted_where_their_numbers_have_room():
    few = Distribution(tuple((rating, 12) for rating in range(500, 2500, 50)))
    many = Distribution(tuple((rating, 1_200) for rating in range(500, 2500, 50)))
    assert chart(few, None).counted
    assert not chart(many, None).counted


def test_nobody_rated_makes_a_chart_without_bars_or_lines():
    assert (chart(Distribution(()), None).bars, chart(Distribution(()), None).grid) == ((), ())


@pytest.mark.rendered
class TestPage:
    def test_each_bar_says_how_many_members_it_has(self, client, april):
        page = words(client.get("/ratings/blitz/distribution/"))
        # In the order of the chart, without the empty ones.
        assert re.findall(r"(\d+–\d+: \d+ members?) ", page) == [
            "100–149: 1 member",
            "1600–1649: 2 members",
            "1650–1699: 1 member",
            "1700–1749: 2 members",
            "1800–1849: 1 member",
        ]

    @pytest.mark.parametrize(
        "address", ["/ratings/blitz/distribution/", "/lists/blitz/2026-04/1/distribution/"]
    )
    def test_it_says_where_a_member_is(self, client, arena, april, address):
        page = words(client.get(f"{address}?member={arena[3].pk}"))
        assert "m3 1699 Higher than 42% of rated members. Rank 4." in page
        assert "▼ m3: 1699" in page
        assert "You are here" not in page
        arena[3].user = get_user_model().objects.create_user("m3")
        arena[3].save()
        client.force_login(arena[3].user)
        assert "▼ You are here: 1699" in words(client.get(f"{address}?member={arena[3].pk}"))

    def test_it_says_where_a_rating_would_be(self, client, april):
        page = words(client.get("/ratings/blitz/distribution/?rating=1750"))
        assert "1750 Higher than 85% of rated members. Rank 2." in page

    def test_it_is_also_json(self, client, april):
        found = client.get("/lists/blitz/2026-04/1/distribution/?rating=1600&format=json").json()
        assert found["checksum"] == april.checksum
        assert (found["members"], found["median"], found["rating"], found["percentile"]) == (
            7,
            1699,
            1600,
            14,
        )
        assert {"lowest": 1600, "highest": 1649, "members": 2} in found["bands"]

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("member=x", 400),
            ("rating=x", 400),
            ("member=99999", 404),
            # Python converts at most 4,300 digits.
            (f"member={'1'.zfill(20)}{'9' * 5000}", 400),
            (f"rating={'1'.zfill(20)}{'9' * 5000}", 400),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, client, april, query, status):
        answer = client.get(f"/ratings/blitz/distribution/?{query}")
        assert answer.status_code == status
        assert is_friendly(answer)

    def test_a_member_without_a_rating_is_told_so(self, client, april):
        page = words(client.get(f"/ratings/blitz/distribution/?member={member('new', name='Nia New').pk}"))
        assert "Nia New has no rating here." in page

    def test_pages_lead_to_the_lists_before_and_after(self, client, april):
        may = datetime(2026, 5, 1, tzinfo=UTC)
        publish(category=Category.BLITZ, month=may, at=may)
        assert "April 2026" in words(client.get("/lists/blitz/2026-05/1/distribution/"))
        assert "May 2026" in words(client.get("/lists/blitz/2026-04/1/distribution/"))

    def test_it_takes_few_queries(self, client, april):
        queries(client, "/lists/blitz/2026-04/1/distribution/")
        assert queries(client, "/lists/blitz/2026-04/1/distribution/") <= 6
