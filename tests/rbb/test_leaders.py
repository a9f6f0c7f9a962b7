"""The leaders of each category now: groups, ranks, gains and games of thirty days, and who isn’t there."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from members.models import AccountClosure, Member
from ratings.rbb.lists.leaders import first_leaders, leaders, leading_federations
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.top_lists import EVERYBODY, GROUPS, of_federation
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

BLITZ = Category.BLITZ
YEAR = timezone.now().year


def ago(days):
    return timezone.now() - timedelta(days=days)


def played(white, black, result="1-0", *, days):
    """A rated game of blitz that ended so many days ago."""
    ended = ago(days)
    return game(white, black, result, started_at=ended - timedelta(minutes=5), ended_at=ended)


def an_arena():
    """Five rated in blitz since March; Anna is a junior, Carl and Dora are seniors."""
    people = {
        name: member(name, name=name.title(), sex=sex, birth_year=year, federation=federation)
        for name, sex, year, federation in (
            ("anna", "F", YEAR - 20, "NOR"),
            ("bob", "M", YEAR - 21, "NOR"),
            ("carl", "M", YEAR - 50, "POL"),
            ("dora", "F", YEAR - 50, "POL"),
            ("emil", "", None, ""),
        )
    }
    for who, points in zip(people.values(), ("1600", "1700", "1800", "1600.40", "1500"), strict=True):
        opening(who, points)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def found(group, category=BLITZ):
    """Rank, username."""
    cache.clear()
    return [(row.rank, row.member.username) for row in leaders(category, group, timezone.now())]


def test_each_group_has_its_members_best_first_and_equal_displayed_ratings_share_a_rank(arena):
    assert found(EVERYBODY) == [(1, "carl"), (2, "bob"), (3, "dora"), (3, "anna"), (5, "emil")]
    assert found(GROUPS["women"]) == [(1, "dora"), (1, "anna")]
    assert found(GROUPS["juniors"]) == [(1, "anna")]
    assert found(GROUPS["seniors"]) == [(1, "carl"), (2, "dora")]
    assert found(of_federation("NOR")) == [(1, "bob"), (2, "anna")]


def test_a_group_is_the_same_as_on_a_list_published_now(arena):
    now = timezone.now()
    month = datetime(now.year, now.month, 1, tzinfo=UTC)
    published, *_ = publish(category=BLITZ, month=month, at=now)
    for slug in ("women", "juniors", "seniors"):
        lines = GROUPS[slug].lines(published)
        assert {who for _rank, who in found(GROUPS[slug])} == {line.username for line in lines} != set()


def test_birth_year_and_sex_that_are_hidden_put_nobody_into_a_group(arena):
    Member.objects.filter(username="dora").update(hides_birth=True)
    assert found(GROUPS["women"]) == [(1, "anna")]
    assert found(GROUPS["seniors"]) == [(1, "carl")]
    assert (3, "dora") in found(EVERYBODY)


def test_erased_members_and_closed_accounts_are_not_among_the_leaders(arena):
    Member.objects.filter(username="carl").update(withdrawn_at=timezone.now())
    AccountClosure(
        member=arena["bob"], closed_from=ago(1), category="fair-play", decided_at=timezone.now()
    ).save()
    assert found(EVERYBODY) == [(1, "dora"), (1, "anna"), (3, "emil")]


def test_an_account_that_is_open_again_is_among_the_leaders(arena):
    AccountClosure(
        member=arena["bob"],
        closed_from=ago(9),
        closed_until=ago(1),
        category="request",
        decided_at=timezone.now(),
    ).save()
    assert (2, "bob") in found(EVERYBODY)


def test_who_is_erased_is_gone_at_once_although_groups_are_cached_for_a_minute(arena, client):
    assert "Carl" in words(client.get("/leaders/blitz/top/"))
    Member.objects.filter(username="carl").update(withdrawn_at=timezone.now())
    assert "Carl" not in words(client.get("/leaders/blitz/top/"))


def test_who_hides_birth_year_and_sex_is_gone_at_once_although_groups_are_cached(arena, client):
    for page in ("women", "seniors"):
        assert "Dora" in words(client.get(f"/leaders/blitz/{page}/"))
    Member.objects.filter(username="dora").update(hides_birth=True)
    for page in ("women", "seniors"):
        assert "Dora" not in words(client.get(f"/leaders/blitz/{page}/"))
    assert "Dora" in words(client.get("/leaders/blitz/top/"))


def test_most_improved_gained_in_thirty_days_by_the_exact_change(arena):
    """Table 4.2, K = 20: D = 100 gives 0.36, so Anna + 12.80, Bob − 12.80; 300 gives 0.15, so Emil + 17.00.

    The draw of Dora and Carl is older.
    """
    played(arena["dora"], arena["carl"], "1/2-1/2", days=31)
    played(arena["anna"], arena["bob"], days=29)
    played(arena["emil"], arena["carl"], days=2)
    rows = leaders(BLITZ, GROUPS["improved"], timezone.now())
    assert [(row.rank, row.member.username, row.change) for row in rows] == [
        (1, "emil", Decimal("17.00")),
        (2, "anna", Decimal("12.80")),
    ]


def test_who_was_unrated_thirty_days_ago_has_not_improved_but_may_be_active(arena):
    newcomer = member("newcomer")
    for days in range(5, 0, -1):
        played(newcomer, arena["emil"], days=days)
    assert newcomer.ratings.get(category=BLITZ).rating is not None
    assert "newcomer" not in [who for _rank, who in found(GROUPS["improved"])]
    assert found(GROUPS["active"])[0] == (1, "newcomer")


def test_a_first_rating_that_was_added_without_a_game_is_no_activity(arena):
    assert found(GROUPS["active"]) == found(GROUPS["improved"]) == []


def test_most_active_played_the_most_rated_games_in_thirty_days(arena):
    played(arena["anna"], arena["bob"], days=31)
    played(arena["anna"], arena["bob"], days=3)
    played(arena["anna"], arena["carl"], days=2)
    rows = leaders(BLITZ, GROUPS["active"], timezone.now())
    assert [(row.rank, row.member.username, row.period_games) for row in rows] == [
        (1, "anna", 2),
        (2, "carl", 1),
        (2, "bob", 1),
    ]


def test_federations_stand_by_the_average_of_their_ten_best_live_ratings(arena):
    for number in range(11):
        opening(member(f"g{number}", federation="GER"), 1400 - number)
    assert [(one.code, one.members, one.average) for one in leading_federations(BLITZ, timezone.now())] == [
        # Of the eleven the last, 1390, doesn't count.
        ("GER", 11, Decimal("1395.50")),
        ("POL", 2, Decimal("1700.20")),
        ("NOR", 2, Decimal("1650.00")),
    ]


def test_erased_members_and_closed_accounts_count_for_no_federation(arena):
    Member.objects.filter(username="carl").update(withdrawn_at=timezone.now())
    AccountClosure(
        member=arena["bob"], closed_from=ago(1), category="fair-play", decided_at=timezone.now()
    ).save()
    cache.clear()
    assert {one.code: one.average for one in leading_federations(BLITZ, timezone.now())} == {
        "POL": Decimal("1600.40"),
        "NOR": Decimal("1600.00"),
    }


def test_who_leads_several_groups_has_a_rank_in_each_of_them(arena):
    groups = [EVERYBODY, *GROUPS.values()]
    both = first_leaders(BLITZ, groups, timezone.now(), 5)
    assert [row.rank for row in both["top"] if row.member.username == "dora"] == [3]
    assert [row.rank for row in both["women"] if row.member.username == "dora"] == [1]


def test_home_leads_to_the_best_women_in_blitz_with_one_link(arena, client):
    page = client.get("/").text
    assert 'href="/leaders/blitz/women/"' in page
    assert "Top 100 women" in words(client.get("/leaders/blitz/women/"))


def test_the_menu_and_the_sitemap_have_the_leaders(client):
    assert '<li><a href="/leaders/">Leaders</a></li>' in client.get("/records/").text
    assert "/leaders/</loc>" in client.get("/sitemap-pages.xml").text


@pytest.mark.parametrize(
    ("slug", "of_month"),
    [
        ("top", ""),
        ("women", "top/women/"),
        ("improved", "top/improved/"),
        ("active", "top/active/"),
        ("federations", "federations/"),
        ("NOR", "top/NOR/"),
    ],
)
def test_every_group_leads_to_the_same_of_the_latest_published_month(arena, client, slug, of_month):
    assert "The same on" not in words(client.get(f"/leaders/blitz/{slug}/"))
    publish(category=BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    address = f"/lists/blitz/2026-04/1/{of_month}"
    page = client.get(f"/leaders/blitz/{slug}/")
    assert f'<a href="{address}">See this ranking on the April 2026 list</a>' in page.text
    assert client.get(address).status_code == 200


def test_the_page_says_who_belongs_to_a_group_and_of_which_days_a_gain_is(arena, client):
    assert f"Born in {YEAR - 20} or later" in words(client.get("/leaders/blitz/juniors/"))
    assert f"Born in {YEAR - 50} or earlier" in words(client.get("/leaders/blitz/seniors/"))
    assert "in the last 30 days" in words(client.get("/leaders/blitz/improved/"))
    assert "average rating of their top ten players" in words(client.get("/leaders/blitz/federations/"))


@pytest.mark.parametrize("slug", ["", "top/", *(f"{slug}/" for slug in GROUPS), "federations/"])
def test_an_empty_office_has_leaders_pages_without_anybody(client, slug):
    for category in Category:
        response = client.get(f"/leaders/{category.slug}/{slug}")
        assert response.status_code == 200
        text = words(response)
        assert "Nobody yet." in text or "None yet." in text


@pytest.mark.parametrize("page", ["blitz/men/", "blitz/nor/", "blitz/XYZ/", "chess960/", "chess960/women/"])
def test_what_is_no_group_is_answered_with_a_page(arena, client, page):
    response = client.get(f"/leaders/{page}")
    assert response.status_code == 404
    assert is_friendly(response)


def plan_of(slug, table):
    """How the database finds the rows of a table for a group."""
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        leaders(BLITZ, GROUPS[slug], timezone.now())
    sql = next(one["sql"] for one in captured if f'FROM "{table}"' in one["sql"])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # So few rows are read as a whole more cheaply; a million are not.
            others = ("seqscan", "bitmapscan", "sort")
            cursor.execute("; ".join(f"SET LOCAL enable_{one} = off" for one in others))
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' * (connection.vendor == 'sqlite')}{sql}")
        return "\n".join(str(row) for row in cursor.fetchall())


def test_a_group_is_found_by_the_index_of_ratings_and_thirty_days_by_the_index_of_moments(arena):
    assert "rating_list" in plan_of("women", "ratings_rating")
    assert "change_by_moment" in plan_of("active", "ratings_ratingchange")


@pytest.mark.parametrize("page", ["", "blitz/women/", "blitz/improved/", "blitz/federations/"])
def test_the_number_of_statements_does_not_grow_with_members_and_games(arena, client, page):
    played(arena["anna"], arena["bob"], days=3)
    before = queries(client, f"/leaders/{page}")
    for number in range(12):
        who = member(f"w{number}", sex="F", federation="NOR")
        opening(who, 1500)
        played(who, arena["carl"], days=2)
    cache.clear()
    assert queries(client, f"/leaders/{page}") == before <= 5


def test_a_federation_that_had_nobody_on_the_list_has_no_link_to_it(arena, client):
    publish(category=BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    opening(member("ella", federation="IRL"), "1500.00")
    assert "ella" in words(client.get("/leaders/blitz/IRL/"))
    assert "See this ranking on the April 2026 list" not in words(client.get("/leaders/blitz/IRL/"))
