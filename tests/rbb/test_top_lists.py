"""The first hundred of each group on a published list, and its federations: from frozen lines alone."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from members.models import Member
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.files import LIST_FORMATS
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.top_lists import GROUPS, federations, of_federation, top_list
from ratings.rbb.models import RatingListEntry
from ratings.rbb.models.lists import entry_id
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

APRIL, MAY = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
DAY = 24 * 60
"""Minutes."""


def freeze(month, **options):
    return publish(category=Category.BLITZ, month=month, at=month + timedelta(hours=1), **options)[0]


def found(published, group):
    """Rank in the group, rank on the whole list, name."""
    return [(rank, entry.rank, entry.username) for rank, entry in top_list(published, group)]


def an_arena():
    """Two women and two men of three ages; in April Anna beats Bob, Dora and Emil draw."""
    people = {
        name: member(name, name=name.title(), sex=sex, birth_year=year, federation=federation)
        for name, sex, year, federation in (
            ("anna", "F", 2006, "NOR"),
            ("bob", "M", 2005, "NOR"),
            ("carl", "M", 1976, "POL"),
            ("dora", "F", 1977, "POL"),
            ("emil", "", None, ""),
        )
    }
    for who, points in zip(people.values(), ("1600", "1700", "1800", "1600.40", "1500"), strict=True):
        opening(who, points)
    game(people["carl"], people["emil"], "1/2-1/2", minute=10, rated=False)
    game(people["dora"], people["bob"], "1/2-1/2", minute=20)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


@pytest.fixture
def april(arena):
    """The list of April: Carl 1800, Bob 1697, Dora 1603, Anna 1600, Emil 1500."""
    return freeze(APRIL)


def may_after(arena):
    """The list of May, before which Anna has beaten Bob and lost to Carl, and Dora has beaten Emil."""
    game(arena["anna"], arena["bob"], minute=31 * DAY + 10)
    game(arena["carl"], arena["anna"], minute=31 * DAY + 20)
    game(arena["dora"], arena["emil"], minute=31 * DAY + 30)
    return freeze(MAY)


def more_lines(published, ratings, **facts):
    """Add lines with these ratings at the end of a list."""
    people = Member.objects.bulk_create(Member(username=f"w{number}") for number in range(len(ratings)))
    RatingListEntry.objects.bulk_create(
        RatingListEntry(
            id=entry_id(published.pk, place),
            rating_list=published,
            position=place,
            rank=place,
            member=who,
            username=who.username,
            rating=rating,
            games=1,
            **facts,
        )
        for place, (who, rating) in enumerate(zip(people, ratings, strict=True), 10)
    )


def test_women_stand_with_their_rank_among_women_and_on_the_whole_list(april):
    assert found(april, GROUPS["women"]) == [(1, 3, "dora"), (2, 4, "anna")]


def test_juniors_do_not_turn_21_in_the_year_of_the_list(april):
    assert found(april, GROUPS["juniors"]) == [(1, 4, "anna")]


def test_seniors_turn_at_least_50_in_the_year_of_the_list(april):
    assert found(april, GROUPS["seniors"]) == [(1, 1, "carl")]


def test_a_federation_has_its_own_list(april):
    assert found(april, of_federation("NOR")) == [(1, 2, "bob"), (2, 4, "anna")]
    assert found(april, of_federation("XYZ")) == []


def test_equal_displayed_ratings_share_the_rank_in_the_group():
    # 1600.40 and 1600.00 both show as 1600; between them stands a man with 1600.49.
    for name, sex, points in (
        ("a", "F", "1600.40"),
        ("b", "M", "1600.49"),
        ("c", "F", "1600"),
        ("d", "F", "1599.49"),
        ("e", "F", "1700"),
    ):
        opening(member(name, name=name, sex=sex), points)
    game(*Member.objects.filter(username__in="ab"), rated=False)
    assert found(freeze(APRIL), GROUPS["women"]) == [(1, 1, "e"), (2, 2, "a"), (2, 2, "c"), (4, 5, "d")]


def test_most_improved_are_risers_who_played_by_the_exact_change(arena, april):
    """Carl rose by his game with Anna, Dora by hers; Bob fell, Emil fell, and Anna rose in sum."""
    may = may_after(arena)
    # Table 4.2: D = 97 gives 0.63 (Anna + 12.60), 187 gives 0.74, 0.26 (Carl + 5.20), 103 gives 0.36 (Dora).
    changes = {entry.username: entry.change for entry in may.entries}
    assert changes == {
        "anna": Decimal("7.40"),
        "bob": Decimal("-12.60"),
        "carl": Decimal("5.20"),
        "dora": Decimal("7.20"),
        "emil": Decimal("-7.20"),
    }
    assert found(may, GROUPS["improved"]) == [(1, 4, "anna"), (2, 3, "dora"), (3, 1, "carl")]


def test_nobody_improves_on_a_first_list_nor_without_a_game(arena, april):
    assert found(april, GROUPS["improved"]) == []
    may = freeze(MAY)
    may.entries.filter(username="anna").update(previous=Decimal("1500"), period_games=0)
    may.entries.filter(username="bob").update(previous=Decimal("1690"), period_games=1)
    assert [row[2] for row in found(may, GROUPS["improved"])] == ["bob"]


def test_equal_changes_share_the_rank_of_the_most_improved(april):
    for entry in april.entries:
        entry.previous, entry.period_games = entry.rating - (5 if entry.username != "carl" else 3), 1
        entry.save()
    assert [row[0] for row in found(april, GROUPS["improved"])] == [1, 1, 1, 1, 5]


def test_most_active_are_those_who_played_most_since_the_list_before(arena, april):
    """In April Anna plays twice, Bob, Carl, Dora and Emil once: they share a rank, by rating."""
    assert found(may_after(arena), GROUPS["active"]) == [
        (1, 4, "anna"),
        (2, 1, "carl"),
        (2, 2, "bob"),
        (2, 3, "dora"),
        (2, 5, "emil"),
    ]


def test_a_top_list_ends_with_a_hundred(april):
    pattern = april.entries.get(username="dora")
    more_lines(april, [Decimal(1400 - number) for number in range(120)], sex="F", federation="POL")
    ranked = top_list(april, GROUPS["women"])
    assert (ranked[0][1], len(ranked), ranked[-1][0]) == (pattern, 100, 100)
    assert ranked[-1][1].username == "w97"


@pytest.mark.long
@pytest.mark.parametrize("slug", [*GROUPS, "NOR", "POL"])
@pytest.mark.parametrize("name", LIST_FORMATS)
def test_page_and_files_have_the_same_rows_and_nothing_later_alters_them(arena, client, april, slug, name):
    may = may_after(arena)
    may.entries.filter(username="anna").update(fide_id=1500001)
    address = f"{may.get_absolute_url()}top/{slug}/"
    page = client.get(address)
    names = [row.username for row in page.context["table"].data]
    response = client.get(f"{address}?format={name}")
    assert response["Content-Disposition"] == f'attachment; filename="blitz-2026-05-{slug}.{name}"'
    file = b"".join(response.streaming_content)
    if name == "csv":
        rows = list(csv.DictReader(io.StringIO(file.decode(), newline="")))
        assert [(row["top_rank"], row["username"]) for row in rows] == [
            (str(rank), entry.username) for rank, entry in page.context["ranked"]
        ]
    elif name == "json":
        assert [row["username"] for row in json.loads(file)["members"]] == names
        assert json.loads(file)["top"] == slug
    elif name != "xlsx":
        # FIDE's layouts have only members with a FIDE ID.
        assert [who for who in names if who in file.decode().lower()] == [w for w in names if w == "anna"]
    Member.objects.update(name="X", federation="GER", sex="M", birth_year=1900)
    game(arena["bob"], arena["anna"], minute=70 * DAY)
    cache.clear()
    assert b"".join(client.get(f"{address}?format={name}").streaming_content) == file
    assert client.get(address).content == page.content


def test_the_file_has_the_rank_in_the_group_before_the_columns_of_the_list(april, client):
    file = b"".join(client.get(f"{april.get_absolute_url()}top/women/?format=csv").streaming_content)
    assert file.decode().splitlines() == [
        "top_rank,rank,username,fide_id,name,title,federation,rating,games,previous,change,period_games,k,"
        "late_games,withdrawn_games,exact_change,games_change,adjustments_change,openings_change,"
        "earlier_change,exact_rating",
        "1,3,dora,,Dora,,POL,1603,1,,,1,20,0,0,,2.80,0.00,1600.40,0.00,1603.20",
        "2,4,anna,,Anna,,NOR,1600,0,,,0,20,0,0,,0.00,0.00,1600.00,0.00,1600.00",
    ]


def test_the_page_tells_of_the_group_and_leads_to_the_members_and_the_list(arena, april, client):
    page = client.get(f"{april.get_absolute_url()}top/juniors/")
    text = words(page)
    assert "Top 100 juniors Blitz, April 2026 list" in text
    assert "Born in 2006 or later: 20 or younger at the end of the list’s year." in text
    assert f'href="/members/{arena["anna"].pk}/"' in page.content.decode()
    assert f'href="{april.get_absolute_url()}"' in page.content.decode()
    assert "Born in 1976 or earlier" in words(client.get(f"{april.get_absolute_url()}top/seniors/"))
    assert "Top 100 from Norway" in words(client.get(f"{april.get_absolute_url()}top/NOR/"))
    assert "Nobody." in words(client.get(f"{april.get_absolute_url()}top/improved/"))


def test_the_list_leads_to_all_groups(april, client):
    content = client.get(april.get_absolute_url()).content.decode()
    for slug in GROUPS:
        assert f'href="{april.get_absolute_url()}top/{slug}/"' in content
    assert f'href="{april.get_absolute_url()}federations/"' in content


def test_the_top_list_of_a_superseded_revision_says_so(arena, april, client):
    played = arena["dora"].games_as_white.order_by("ended_at").first()
    void_games(games=[played], by=None, reason="engine", at=timezone.now())
    assert freeze(APRIL, revise=True).revision == 2
    for page in ("top/women/", "federations/"):
        assert "Replaced by revision 2" in words(client.get(april.get_absolute_url() + page))
        assert "A correction changed" not in words(client.get(f"/lists/blitz/2026-04/2/{page}"))


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("top/men/", 404),
        ("top/XYZ/", 404),
        ("top/XYZ/?format=csv", 404),
        ("top/nor/", 404),
        ("top/NORW/", 404),
        ("top/women/?format=exe", 400),
        ("top/women/?format=", 400),
        ("top/women/?after=x&sort=%FF", 200),
        ("top/women/?x=%00", 400),
        ("federations/?format=csv", 200),
        ("top/", 404),
    ],
)
def test_what_is_no_top_list_is_answered_with_a_page(april, client, page, status):
    response = client.get(april.get_absolute_url() + page)
    assert response.status_code == status
    assert is_friendly(response)


@pytest.mark.parametrize("page", ["top/women/", "federations/"])
def test_of_a_list_that_was_not_published_there_is_no_top_list(april, client, page):
    for place in ("blitz/2026-05/1", "rapid/2026-04/1", "blitz/2026-04/2", "blitz/2026-04/" + "9" * 30):
        assert client.get(f"/lists/{place}/{page}").status_code == 404


def test_a_top_list_reads_the_list_once(april, client):
    address = f"{april.get_absolute_url()}top/women/"
    # The list, the one that replaced it, those before and after it, two menus of lists, and the lines.
    assert queries(client, address) == 7
    with CaptureQueriesContext(connection) as captured:
        top_list(april, GROUPS["improved"])
    assert len(captured) == 1
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        federations(april)
        federations(april)
    assert len(captured) == 1


def test_federations_stand_by_the_average_of_their_ten_best(april):
    """Ten of GER, of whom one more does not count; NOR and POL have fewer than ten and come after."""
    more_lines(april, [1400 - Decimal(number) / 100 for number in range(11)], federation="GER")
    assert [(one.code, one.members, one.best, one.average) for one in federations(april)] == [
        # 1400.00 − 0.045: half up to 1399.96.
        ("GER", 11, Decimal("1400.00"), Decimal("1399.96")),
        ("POL", 2, Decimal("1800.00"), Decimal("1701.60")),
        ("NOR", 2, Decimal("1697.20"), Decimal("1648.60")),
    ]


def test_the_page_of_federations_leads_to_their_lists(april, client):
    page = client.get(f"{april.get_absolute_url()}federations/")
    text = words(page)
    assert "Federations Blitz, April 2026 list" in text
    assert text.index("Poland") < text.index("Norway")
    assert f'href="{april.get_absolute_url()}top/POL/"' in page.content.decode()


def test_a_list_has_a_menu_for_months_categories_groups_changes_and_files(april, client):
    page = client.get(f"{april.get_absolute_url()}top/women/").content.decode()
    menu = page.partition('<nav class="menus"')[2].partition("</nav>")[0]
    # What is chosen; for those who don't see the menu also of what.
    assert [re.sub("<.*?>", "", one) for one in re.findall("<summary>(.*?)</summary>", menu)] == [
        "Month: April 2026",
        "Category: Blitz",
        "Group: Top 100 women",
        "Changes",
        "Download",
    ]
    assert 'href="/lists/blitz/2026-04/1/top/women/" aria-current="page">Women</a>' in menu
    assert 'href="?format=csv" download>CSV</a>' in menu
