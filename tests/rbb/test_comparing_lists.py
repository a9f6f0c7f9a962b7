"""Two lists beside each other, and what lists show beside their rows."""

from datetime import UTC, datetime
from decimal import Decimal
from unittest.mock import patch

import pytest

from foa.web.columns import sparkline
from foa.web.listing import FilteredTableView
from members.models import Member
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.lists.comparing import ComparedPart, compared, revised_lines
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.top_lists import members_near_a_title, near_a_title
from ratings.rbb.lists.trends import earlier_ratings, last_lists
from ratings.rbb.models import Game, OpeningRating, Rating, Recalculation
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.decisions import decided
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db

APRIL, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5, 6))
DAY = 24 * 60
"""Minutes."""
COMPARE = "/lists/blitz/compare/"


def freeze(month):
    return publish(category=Category.BLITZ, month=month, at=month)[0]


def an_arena():
    """Until May Anna beats Boris and Carl beats Dora; Emil is new in May; Fay loses her rating (RBB 3.3)."""
    names = ("anna", "boris", "carl", "dora", "fay")
    people = {name: member(name, name=name.title()) for name in names}
    for who, points in zip(people.values(), (1600, 1600, 1700, 1500, 100), strict=True):
        opening(who, points)
    game(people["anna"], people["boris"], rated=False)
    game(people["anna"], people["boris"], "1/2-1/2")
    people["april"] = freeze(APRIL)
    game(people["anna"], people["boris"], minute=40 * DAY)
    game(people["carl"], people["dora"], minute=40 * DAY)
    opening(member("emil", name="Emil"), 1650, minute=40 * DAY)
    game(member("gil", name="Gil"), people["fay"], minute=41 * DAY)
    opening(member("hal", name="Hal"), 110, minute=40 * DAY)
    game(Member.objects.get(username="hal"), people["fay"], minute=42 * DAY)
    people["may"] = freeze(MAY)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def found(arena, part):
    return [line.username for line in compared(arena["april"], arena["may"], part)]


def test_gains_and_losses_are_sorted_by_the_exact_change(arena):
    """Table 4.2: D = 0 gives 0.50, so Anna + 10 and Boris − 10; D = 200 gives 0.76, so Carl + 4.80."""
    gains = compared(arena["april"], arena["may"], ComparedPart.GAINS)
    assert [(line.username, line.before, line.after, line.moved) for line in gains] == [
        ("anna", Decimal("1600.00"), Decimal("1610.00"), Decimal("10.00")),
        ("carl", Decimal("1700.00"), Decimal("1704.80"), Decimal("4.80")),
    ]
    assert found(arena, ComparedPart.LOSSES) == ["boris", "dora"]


def test_who_entered_and_who_left(arena):
    assert found(arena, ComparedPart.ENTERED) == ["emil", "hal"]
    assert found(arena, ComparedPart.LEFT) == ["fay"]


def test_the_same_list_twice_differs_in_nothing(arena):
    for part in ComparedPart:
        assert list(compared(arena["may"], arena["may"], part)) == []


def test_only_the_first_positions_are_compared(arena):
    lines = compared(arena["april"], arena["may"], ComparedPart.GAINS, most=1)
    assert [line.username for line in lines] == ["carl"]


def test_a_trend_has_the_last_revision_of_each_month_and_none_where_a_member_was_not_rated(arena):
    lists = last_lists(Category.BLITZ)
    assert lists == [arena["april"], arena["may"]]
    emil, anna = (Member.objects.get(username=name).pk for name in ("emil", "anna"))
    assert earlier_ratings([emil, anna], lists) == {emil: [None, 1650], anna: [1600, 1610]}
    assert last_lists(Category.BLITZ, APRIL) == [arena["april"]]


def test_a_sparkline_leaves_gaps_and_says_in_words_what_it_shows():
    line = sparkline([1600, None, 1650, 1700], "from <1600> to 1700")
    assert 'd="M2 16h0M42 9h0L62 2"' in line
    assert 'aria-label="from &lt;1600&gt; to 1700"' in line
    assert sparkline([None, 1600], "") == ""
    assert 'd="M2 9h0L62 9"' in sparkline([1600, 1600], "")


@pytest.mark.parametrize(
    ("points", "title", "near"),
    [
        ("1950", "", True),
        ("1949.99", "", False),
        ("1999.99", "", True),
        ("2000", "", False),
        ("1999", "AGM", False),
        ("1699", "AGM", False),
        ("1999", "AIM", True),
        ("1050", "", True),
    ],
)
def test_near_a_title_is_up_to_fifty_points_below_its_rating(points, title, near):
    """AGM 2000, AIM 1700, AFM 1400, ACM 1100: of a title that the member doesn’t have, nor a higher one."""
    opening(member("anna", title=title), points)
    assert Rating.objects.filter(near_a_title()).exists() is near
    assert members_near_a_title(Member.objects.all()).exists() is near


def corrected(arena):
    """The April list revised after the draw of Anna and Boris became a win for Boris, by a decision."""
    drawn = Game.objects.get(rated=True, white=arena["anna"], ended_at__lt=APRIL)
    asked = {**parameters_of(drawn, GAME_FIELDS), "game": [str(drawn.pk)], "result": ["0-1"]}
    change_set = decided("correct-game", **asked)
    revision, is_new = publish(category=Category.BLITZ, month=APRIL, at=MAY, revise=True)
    assert (revision.revision, is_new) == (2, True)
    return change_set, revision


def lines_of(revised):
    return [
        (line.entry.username, line.before, line.after, line.games_before, line.games, line.decisions)
        for line in revised
    ]


def test_each_line_of_a_revision_has_the_decision_that_changed_it(arena):
    """Table 4.2: D = 0 gives 0.50, so with K = 20 Boris + 10 and Anna − 10."""
    change_set, revision = corrected(arena)
    found = lines_of(revised_lines(arena["april"], revision, most=10))
    assert found == [
        ("boris", Decimal("1600.00"), Decimal("1610.00"), 1, 1, [change_set]),
        ("anna", Decimal("1600.00"), Decimal("1590.00"), 1, 1, [change_set]),
    ]
    assert [line.entry.username for line in revised_lines(arena["april"], revision, most=1)] == ["boris"]


def test_a_decision_that_only_adds_lines_is_their_cause_too(arena):
    """A first rating carried in late (RBB 3.4) has a new line of the ledger, and no older line changes."""
    late = member("ina", name="Ina")
    asked = parameters_of(OpeningRating.objects.first(), OPENING_FIELDS)
    asked |= {"member": [str(late.pk)], "rating": ["1200.00"]}
    change_set = decided("enter-opening", **asked)
    revision, _is_new = publish(category=Category.BLITZ, month=APRIL, at=MAY, revise=True)
    found = lines_of(revised_lines(arena["april"], revision, most=10))
    assert found == [("ina", None, Decimal("1200.00"), None, 0, [change_set])]


def test_a_late_result_is_named_by_its_entry_of_the_register(arena):
    game(arena["carl"], arena["dora"], minute=10)
    late = ChangeSet.objects.latest("pk")
    assert late.kind == "late-facts"
    revision, _is_new = publish(category=Category.BLITZ, month=APRIL, at=MAY, revise=True)
    assert lines_of(revised_lines(arena["april"], revision, most=10)) == [
        ("carl", Decimal("1700.00"), Decimal("1704.80"), 0, 1, [late]),
        ("dora", Decimal("1500.00"), Decimal("1495.20"), 0, 1, [late]),
    ]


def test_what_was_recalculated_before_there_were_entries_is_a_late_result(client, arena):
    game(arena["carl"], arena["dora"], minute=10)
    Recalculation.objects.update(change_set=None)
    publish(category=Category.BLITZ, month=APRIL, at=MAY, revise=True)
    page = words(client.get(f"{COMPARE}?from=2026-04.1&to=2026-04.2"))
    assert "Carl – 1700 1705 +4.80 0 → 1 Late result" in page


def test_who_is_only_on_the_earlier_revision_comes_last(arena):
    """Emil, who has no games, was never carried in."""
    OpeningRating.objects.get(member__username="emil").delete()
    game(arena["carl"], arena["dora"], minute=41 * DAY)
    revision, _is_new = publish(category=Category.BLITZ, month=MAY, at=JUNE, revise=True)
    found = lines_of(revised_lines(arena["may"], revision, most=10))
    assert [line[0] for line in found] == ["carl", "dora", "emil"]
    assert found[-1][1:5] == (Decimal("1650.00"), None, 0, None)


@pytest.mark.rendered
class TestPages:
    def test_revisions_of_a_list_are_compared_with_the_cause_of_each_line(self, client, arena):
        change_set, revision = corrected(arena)
        page = client.get(f"{COMPARE}?from=2026-04.1&to=2026-04")
        text = words(page)
        assert "The April 2026 list, from revision 1 to revision 2 , published on 1 May 2026" in text
        assert f"Boris – 1600 1610 +10.00 1 {change_set}" in text
        assert f'<a href="{change_set.get_absolute_url()}">' in page.text
        assert f"Anna – 1600 1590 −10.00 1 {change_set}" in text
        assert "April 2026, revision 1" in text
        old, new = (client.get(one.get_absolute_url()).text for one in (arena["april"], revision))
        assert f"{COMPARE}?from=2026-04.1&amp;to=2026-04" in old
        assert f"{COMPARE}?from=2026-04.1&amp;to=2026-04.2" in new

    def test_a_closed_account_is_not_named_by_the_cause_of_a_line(self, client, arena):
        """The register doesn’t say whose ratings such a decision moved."""
        asked = {
            "member": [str(arena["anna"].pk)],
            "closed_from": ["2026-03-01T00:00"],
            "category": ["fair-play"],
            "games": ["all"],
            "since": ["2026-03-01"],
        }
        change_set = decided("close-account", **asked)
        publish(category=Category.BLITZ, month=MAY, at=JUNE, revise=True)
        page = client.get(f"{COMPARE}?from=2026-05.1&to=2026-05")
        assert "Boris – 1590 1600 +10.00 2 → 0 Correction" in words(page)
        assert change_set.get_absolute_url() not in page.text

    def test_the_page_compares_the_last_two_lists_unless_asked_for_others(self, client, arena):
        page = words(client.get(COMPARE))
        assert "From the April 2026 list to the May 2026 list ." in page
        assert "Anna – 1600 1610 +10.00" in page
        page = words(client.get(f"{COMPARE}?from=2026-05&to=2026-04&show=losses"))
        assert "From the May 2026 list to the April 2026 list ." in page
        assert "Anna – 1610 1600 −10.00" in page

    def test_what_makes_no_sense_is_refused(self, client, arena):
        for query, status in (
            ("from=x", 400),
            ("to=2026-13", 400),
            ("show=x", 400),
            ("to=2026-05.x", 400),
            ("to=2026-05.9", 404),
            ("from=1999-01", 404),
        ):
            answer = client.get(f"{COMPARE}?{query}")
            assert (query, answer.status_code) == (query, status)
            assert is_friendly(answer)

    @pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
    def test_every_bad_query_gets_a_friendly_page(self, client, arena, query, status):
        answer = client.get(f"{COMPARE}?{query}")
        assert answer.status_code == status
        assert is_friendly(answer)

    def test_pages_go_on_by_the_change(self, client, arena):
        with patch.object(FilteredTableView, "rows_per_page", 1):
            first = client.get(COMPARE)
            key = first.context["table"].page.next
            second = client.get(f"{COMPARE}?after={key}")
            assert [row.username for row in second.context["table"].page.rows] == ["carl"]
            back = client.get(f"{COMPARE}?before={second.context['table'].page.previous}")
            assert [row.username for row in back.context["table"].page.rows] == ["anna"]

    def test_the_file_has_the_same_rows(self, client, arena):
        response = client.get(f"{COMPARE}?show=left&format=csv")
        assert 'filename="blitz-2026-04-2026-05-left.csv"' in response["Content-Disposition"]
        assert b"".join(response.streaming_content).decode() == (
            "username,fide_id,name,title,federation,before,after,change\r\nfay,,Fay,,,100.00,,\r\n"
        )

    def test_lists_show_rank_change_and_trend(self, client, arena):
        live = client.get("/ratings/blitz/")
        assert "1 Carl – 1705 0" in words(live)
        assert 'aria-label="from 1700 to 1705"' in live.content.decode()
        listed = words(client.get("/lists/blitz/2026-05/1/"))
        assert "2 Emil – 1650 new" in listed
        assert "3 Anna – 1610 +10" in listed
        assert "Unchanged since." in listed

    def test_ranks_of_further_pages_are_those_of_the_whole_list(self, client, arena):
        with patch.object(FilteredTableView, "rows_per_page", 2):
            key = client.get("/ratings/blitz/").context["table"].page.next
            assert "3 Anna" in words(client.get(f"/ratings/blitz/?after={key}"))
        assert "3 Anna" in words(client.get("/ratings/blitz/?member=anna"))

    def test_a_short_list_sorts_by_name_and_games_and_a_long_one_says_why_not(self, client, arena):
        address = "/lists/blitz/2026-05/1/"
        rows = client.get(f"{address}?sort=member").context["table"].page.rows
        assert [row.username for row in rows][:2] == ["anna", "boris"]
        with patch("foa.web.listing.SORTED_AT_MOST", 1):
            page = client.get(f"{address}?sort=member")
            assert [row.username for row in page.context["table"].page.rows][:2] == ["carl", "emil"]
            assert "too long to sort by name or games" in words(page)

    def test_a_phone_shows_the_other_columns_below_with_their_headings(self, client, arena):
        page = client.get("/lists/blitz/2026-05/1/").content.decode()
        assert '<td class="folded" data-label="Federation">' in page
        assert page.count('aria-label="Show details"') == 6
        assert 'data-label="Rating"' not in page

    def test_a_page_takes_the_same_queries_for_any_number_of_rows(self, client, arena):
        addresses = ("/ratings/blitz/", "/lists/blitz/2026-05/1/", COMPARE)
        found = [queries(client, address) for address in addresses]
        for number in range(20):
            opening(member(), 1500 + number, minute=50 * DAY)
        freeze(JUNE)
        addresses = ("/ratings/blitz/", "/lists/blitz/2026-06/1/", f"{COMPARE}?show=entered")
        assert [queries(client, address) for address in addresses] == found

    def test_unrated_and_active_members_are_found(self, client, arena):
        def names(query):
            return {row.username for row in client.get(f"/members/?{query}").context["table"].page.rows}

        assert names("rated=none") == {"fay", "gil"}
        with patch("django.utils.timezone.now", return_value=JUNE):
            assert "emil" not in names("active=yes")
            assert {"anna", "boris", "carl", "dora"} <= names("active=yes")

    def test_a_federation_is_found_by_its_name_in_any_case_and_without_accents(self, client):
        member("anna", federation="TUR")
        for text in ("Türkiye", "turkiye", "TUR", "tur"):
            assert "anna" in words(client.get("/members/", {"federation": text})), text
        answer = client.get("/members/?federation=Atlantis")
        assert answer.status_code == 400
        assert "No federation is called “Atlantis”. Use its name or FIDE’s code, such as NOR." in words(
            answer
        )
