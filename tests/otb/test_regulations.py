"""FIDE's regulations over the board on pages of the site."""

import pytest
from django.template import Context, Template

from ratings.office.rule_books import cited, rule_books
from ratings.rules.b02.editions import EDITIONS
from ratings.rules.b02.editions.b02_2024 import ARTICLES
from ratings.rules.b02.time_controls import Chapter
from tests.rbb.rule_books import of_book

OF_RAPID_AND_BLITZ_ALONE = {"1.2", "7.3.1"}


def test_8_25_8_55_the_examples_are_computed(client):
    text = of_book(client, "b02", "B.02")
    assert (
        "8.25 In a round robin, d(p) is first multiplied by n ÷ (n + 1), where n is the number of opponents."
    ) in text
    # 8.1(a): p = 0.33 gives −125; 1800 − 125 × 9 ÷ 10 = 1687.5, rounded 1688.
    assert "in a round robin with an average of 1800: Ru = 1800 + (−125) × 9 ÷ 10, rounded to 1688." in text
    # 8.1(b): D = 100 gives 0.36; 2.5 − 4 × 0.36 = 1.06.
    assert "where 1.44 was expected. So ΣΔR = +1.06 and the change is +1.06 × 25 = +26.50." in text


def test_the_books_in_force_come_before_the_edition_of_2009():
    names = [book.cited_as for book in rule_books().values()]
    assert names[0] == "RBB"
    of_2024 = names.index("B.02 (2024)"), names.index("B.02 RB (2024)")
    assert of_2024[0] < of_2024[1] < names.index("B.02")


def test_the_edition_of_2009_says_for_which_lists_it_still_is(client):
    assert "We still use these rules for lists and tournaments that predate the newer regulations." in (
        of_book(client, "b02", "B.02")
    )


def test_8_2_8_3_the_examples_of_standard_are_computed(client):
    """The figures are those worked out by hand in the reading of 2024; PD of 600 is 0.98, of 400 0.92."""
    text = of_book(client, "b02-2024", "B.02 (2024)")
    assert "Ra = (9300 + 3600) ÷ 7, rounded to 1843." in text
    assert "p = 4½ ÷ 7, rounded to 0.64, and dp = 102: Ru = 1945." in text
    assert "5 out of 5 against opponents rated 2300: Ru = 2200, which is the maximum." in text
    assert "D = 600 counts as 400, so PD = 0.92 and the change is +0.80." in text
    assert (
        "A player rated 2700 with K = 10 beats a player rated 2100: D = 600, so PD = 0.98 and the change "
        "is +0.20." in text
    )
    # D = 100 gives 0.36; 2.5 − 4 × 0.36 = 1.06.
    assert "where 1.44 was expected. So ΣΔR = +1.06 and the change is +1.06 × 40 = +42.40." in text
    assert "K = 40 on the December 2026 list and K = 20 on the January 2027 list." in text
    assert "A player rated 2100 has K = 40 after 29 games and K = 20 after 30." in text
    assert "36 games in a period: K = 20 becomes 19, because 20 × 36 is more than 700." in text
    assert "A rating of 1500 and a change of −2.50: the new rating is 1497." in text
    assert "A rating of 1404 falls by 5.20 to 1399, so the player has no rating on the next list." in text
    assert "A player rated 1500 against a player rated 2150: each needs 90 minutes for 60 moves." in text


def test_7_1_9_1_lists_are_monthly_and_a_report_has_three_of_them(client):
    text = of_book(client, "b02-2024", "B.02 (2024)")
    assert "A tournament that starts on 14 May 2026 uses the list of 1 May 2026." in text
    assert "The list of 1 Jun 2026 closes on 29 May 2026. A tournament that ends a day later is rated" in text
    assert "rated for 1 Jul 2026." in text
    # 14 May 2026 is more than a year before 1 June 2027, and less before 1 May 2027.
    assert "A player whose last rated game was on 14 May 2026 is inactive on the list of 1 Jun 2027." in text
    assert "ends on 14 May 2026 can be rated for the list of 1 Aug 2026 at the latest." in text


def test_1_1_7_3_1_the_examples_of_rapid_and_blitz_are_computed(client):
    text = of_book(client, "b02-rapid-blitz-2024", "B.02 RB (2024)")
    assert "15 minutes plus 10 seconds per move makes 25 minutes: rapid." in text
    assert "3 minutes plus 2 seconds per move makes 5 minutes: blitz." in text
    assert (
        "A player rated 2600 with K = 10 beats a player rated 2000: D = 600 counts as 400, so PD = 0.92 "
        "and the change is +0.80." in text
    )
    assert "Players rated 2610 and 2010: rated in November 2024, not rated in December 2024." in text
    assert "8.3.1" not in text


@pytest.mark.parametrize("chapter", Chapter)
def test_whatever_an_edition_of_2024_decides_or_finds_is_on_its_page(chapter):
    edition = next(one for one in reversed(EDITIONS) if one.chapter is chapter)
    book = cited(edition.cited_as)
    numbers = {
        number
        for kind in ARTICLES
        for reason in ARTICLES[kind]
        for number in edition.article(reason).split(", ")
        if number
    }
    if chapter is Chapter.STANDARD:
        numbers -= OF_RAPID_AND_BLITZ_ALONE
    assert len(numbers) > 20
    assert [number for number in numbers if not book.has(number)] == []


def test_a_part_of_an_article_leads_to_the_article():
    template = Template("{% load regulations %}{{ told|with_citations }}")
    assert template.render(Context({"told": "B.02 8.55(c), 8.57"})) == (
        '<a class="cite in-text" href="/how-ratings-work/b02/#b02-8-55">B.02\u00a08.55(c)</a>, '
        '<a class="cite in-text" href="/how-ratings-work/b02/#b02-8-57">8.57</a>'
    )


def test_a_citation_leads_to_the_page_of_its_edition_and_chapter():
    template = Template("{% load regulations %}{{ told|with_citations }}")
    assert template.render(Context({"told": "B.02 (2024) 8.3.3; B.02 RB (2024) 7.3.1"})) == (
        '<a class="cite in-text" href="/how-ratings-work/b02-2024/#b02-2024-8-3-3">'
        "B.02 (2024)\u00a08.3.3</a>; "
        '<a class="cite in-text" href="/how-ratings-work/b02-rapid-blitz-2024/#b02-rapid-blitz-2024-7-3-1">'
        "B.02 RB (2024)\u00a07.3.1</a>"
    )
