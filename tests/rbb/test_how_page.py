"""The page “How ratings work”: every article, its examples from the rules, and both tables in full."""

import ast
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.template import Context, Template

from ratings.office.rule_books import cited
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import GameReason, Outcome, Topic
from ratings.rules.rbb import rating, what_if
from ratings.rules.rbb.rating import Reason
from ratings.rules.tables import DP, PD_ROWS
from ratings.rules.time_controls import RATED_CONTROLS, Category
from tests.pages import is_friendly, words
from tests.rbb.rule_books import of_book

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    """The page, which needs no database."""
    response = client.get("/how-ratings-work/")
    assert response.status_code == 200
    assert is_friendly(response)
    return response


@pytest.fixture
def ids(page):
    """What can be linked to."""
    found = re.findall(r' id="([^"]+)"', page.content.decode())
    assert len(found) == len(set(found))
    return set(found)


def test_every_article_of_the_regulations_is_there_in_its_order(ids):
    articles = [article.title for article in cited("RBB").page.articles]
    assert " ".join(articles) == (
        "1.1 1.2 1.3 1.4 2.1 2.2 2.3 2.3.1 2.3.2 2.3.3 2.4 3.1 3.2 3.3 3.4 3.4.1 3.4.2 3.4.3 3.5 3.6 3.6.1 "
        "3.6.2 3.7 3.7.1 3.7.2 3.7.3 3.7.4 3.7.5 3.8 3.9 3.9.1 3.9.2 3.10 3.10.1 3.10.2 3.10.3 3.11 3.12 "
        "3.13 3.14 3.15 4.1 4.2"
    )
    assert {f"rbb-{number.replace('.', '-')}" for number in articles} <= ids


def test_whatever_the_rules_cite_is_there():
    named = {number for reason in Reason for number in reason.article.split(", ")}
    named |= {rating.k_article(category, k) for category in Category for k in (10, 20, 40)}
    named |= {rating.first_rating_article(half_points) for half_points in range(11)}
    named |= {
        outcome.article
        for points in (200_00, 1500_00)
        for outcome in what_if.outcomes(rating.UNRATED, points)
    }
    assert [number for number in named if not cited("RBB").has(number)] == []


def test_all_links_of_the_page_lead_somewhere(page, ids):
    assert set(re.findall(r'href="#([^"]+)"', page.content.decode())) - {"content"} <= ids
    assert "content" in ids


def test_the_seventeen_controls_are_named(page):
    text = words(page)
    assert (
        "Rapid: 15 min, 25 min, 45 min, 10 min + 10 s, 15 min + 10 s, 25 min + 10 s, 45 min + 10 s." in text
    )
    assert "Blitz: 3 min, 5 min, 10 min, 3 min + 2 s, 3 min + 3 s, 5 min + 3 s." in text
    assert "Bullet: 1 min, 2 min, 1 min + 1 s, 1 min + 2 s." in text
    assert len(RATED_CONTROLS) == 17


def test_both_tables_are_printed_in_full(page, ids):
    text = words(page)
    assert len([anchor for anchor in ids if anchor.startswith("table-4-1-")]) == len(DP) == 101
    assert len([anchor for anchor in ids if anchor.startswith("table-4-2-")]) == len(PD_ROWS) == 51
    assert "1.00 800 0.99 677" in text
    assert "0.01 −677 0.00 −800" in text
    assert "D H L 0–3 0.50 0.50 4–10 0.51 0.49" in text
    assert "620–735 0.99 0.01 > 735 1.00 0.00" in text


def test_the_minute_before_the_first_article_rates_a_game_by_the_rules(page):
    text = words(page)
    # RBB 4.2: D = 100 gives 0.36 to the lower-rated player, and 20 × 0.64 = 12.80.
    figures = "(1 scored − 0.36) expected × 20 K = +12.80 change in points"
    assert text.index("In one minute") < text.index(figures) < text.index("1.1 Games between")


def test_the_formula_has_a_page_of_its_own_and_as_json_the_same(client):
    # The formula page itself prints 0.36 for D = −100, and 20 × 0.64 = 12.80.
    text = of_book(client, "formula", "formula")
    assert (
        "A player rated 1500 with K = 20 beats a player rated 1600: the change is +12.80, rounded to "
        "two decimals, so the new rating is 1512.80." in text
    )


def test_the_formula_page_has_all_six_rules_of_fides_page_and_where_to_read_more(client):
    response = client.get("/how-ratings-work/formula/")
    assert "1 FIDE calculates and publishes ratings every month. Each list is published on the 1st" in (
        words(response)
    )
    articles = [article.anchor for article in cited("formula").page.articles]
    assert [anchor for anchor in articles if anchor[-1].isdigit()] == [f"formula-{n}" for n in range(1, 7)]
    for link in (
        "https://handbook.fide.com/",
        "https://handbook.fide.com/chapter/B022017",
        "https://ratings.fide.com/",
        "https://www.fide.com/",
        "https://www.fide.com/FIDE/handbook/Rating_Regulations_effective_from_July_2017.pdf",
    ):
        assert f'<a href="{link}">' in response.content.decode()


def test_there_is_one_address_for_each_book(client):
    assert client.get("/how-ratings-work/rbb/").status_code == 404
    assert client.get("/how-ratings-work/nothing/").status_code == 404


OF_2024 = ("B.02 (2024)", "B.02 RB (2024)")
_NUMBER = r"\d+\.\d+(?:\.\d+)?(?:\([a-z]\))?"
_NUMBERS = rf"{_NUMBER}(?:(?:, | to | and |–){_NUMBER})*"


def _citations():
    """Every citation in the strings and templates of the site: its books, one of which must have it."""
    root = Path(settings.BASE_DIR)
    for path in [
        *root.glob("ratings/**/*.py"),
        *root.glob("members/**/*.py"),
        *root.glob("templates/**/*.html"),
    ]:
        text = path.read_text()
        strings = [text]
        if path.suffix == ".py":
            strings = [node.value for node in ast.walk(ast.parse(text)) if _is_text(node)]
        for string in strings:
            named = rf"(RBB|B\.02(?: RB)?(?: \(2024\))?)(?: |&nbsp;)({_NUMBERS})"
            for book, numbers in re.findall(named, string):
                yield from (((book,), number, path) for number in re.findall(_NUMBER, numbers))
            if (
                re.fullmatch(_NUMBERS, string)
                and "/otb/" in str(path)
                and not {"models", "migrations"} & set(path.parts)
            ):
                books = OF_2024 if path.stem.endswith("_2024") else ("B.02", *OF_2024)
                yield from ((books, number, path) for number in re.findall(_NUMBER, string))


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_citation_of_the_site_has_its_article():
    found = set(_citations())
    of_2024_alone = {"1.2", "7.3.1", "9.1"}
    found |= {
        (("B.02",), number, kind)
        for kind in (Finds, GameReason, Outcome, Topic)
        for one in kind
        for number in one.article.split(", ")
        if number and number not in of_2024_alone
    }
    assert len(found) > 300
    # A room that is not installed takes its rule book with it.
    books = {names: [book for name in names if (book := cited(name))] for names, _number, _place in found}
    missing = [one for one in found if not any(book.has(one[1]) for book in books[one[0]])]
    assert [one for one in missing if books[one[0]]] == []


def test_a_citation_in_a_sentence_is_a_link_and_in_a_link_or_a_field_it_is_not():
    template = Template(
        "{% load regulations %}{% citations %}{{ told }} <a>RBB 3.2</a> <option>RBB 3.2</option> "
        'RBB 9.9 <i title="RBB 3.2">RBB 3.3</i>{% endcitations %}'
    )
    link = '<a class="cite in-text" href="/how-ratings-work/{}">{}</a>'.format
    first, second = link("#rbb-3-4-1", "RBB\u00a03.4.1"), link("#rbb-3-4-3", "3.4.3")
    third = link("#rbb-3-3", "RBB\u00a03.3")
    assert template.render(Context({"told": "<b> RBB 3.4.1 to 3.4.3"})) == (
        f"&lt;b&gt; {first} to {second} <a>RBB 3.2</a> <option>RBB 3.2</option> "
        f'RBB\u00a09.9 <i title="RBB 3.2">{third}</i>'
    )


@pytest.mark.parametrize(
    ("article", "text"),
    [
        ("3.2", "A player rated 110.00 loses to a player rated 110.00 and keeps a rating of 100.00."),
        (
            "3.2",
            "A player rated 109.99 loses to a player rated 109.99. "
            "The new rating would be 99.99, so it is lost.",
        ),
        ("3.6.1", "After two losses and a draw, 1 result counts so far."),
        ("3.7.3", "Ra = 1500.00, 2.5 points out of 5: Rf = 1500.00."),
        (
            "3.7.4",
            "Ra = 1500.00, 4 points out of 5, 3 half points over 50%: Rf = 1500.00 + 60.00 = 1560.00.",
        ),
        ("3.7.5", "Ra = 1500.00, 1.5 points out of 5: p = 0.30, dp = −149.00, Rf = 1351.00."),
        ("3.8", "A player rated 1500.00 loses to an unrated player and is still rated 1500.00."),
        (
            "3.9.1",
            "Players rated 1814.50 and 1800.00: D = 14.50, rounded to 15. PD is 0.52 for the "
            "higher-rated player and 0.48 for the other.",
        ),
        (
            "3.9.1",
            "A player rated 2400.00 beats a player rated 1600.00: D is 800, PD is 1.00, and the "
            "rating changes by 0.00.",
        ),
        ("3.9.1", "A player rated 2400.00 loses to a player rated 1600.00: the rating changes by −20.00."),
        (
            "3.10.1",
            "A player rated 1500.00 beats a player rated 1600.00: PD is 0.36, K is 20, and the new "
            "ratings are 1512.80 and 1587.20.",
        ),
        (
            "3.10.2",
            "A player rated 1500.00 beats a player rated 1600.00: PD is 0.36, K is 10, and the new "
            "ratings are 1506.40 and 1593.60.",
        ),
        ("3.10.3", "In blitz, K is 40 for game 6, 40 for game 30 and 20 for game 31."),
        ("3.13", "2215.49 is shown as 2215, 2215.50 as 2216."),
        (
            "3.14",
            "A player rated 1799.60 beats a player rated 1279.60. The rating changes by +0.60 to "
            "1800.20. It is displayed as 1800 before the game and as 1800 after it.",
        ),
        ("3.15", "A rating of 1500.00 and a FIDE rating change of −12.00: the new rating is 1488.00."),
    ],
)
def test_examples_are_what_the_rules_give(page, article, text):
    under = page.content.decode().partition(f'id="rbb-{article.replace(".", "-")}"')[2]
    assert f"Example: {text}" in words(HttpResponse(re.split("<h[234] ", under)[0]))


def test_3_2_the_examples_of_the_floor_are_true():
    lost, stays = (
        rating.rate_game(Category.BLITZ, rating.LedgerLine(points), rating.LedgerLine(points), 0)[0]
        for points in (109_99, 110_00)
    )
    assert (lost.rating, stays.rating) == (None, 100_00)


def test_readings_are_shown_as_readings(page):
    assert "Our reading: The exact rating counts: a rating of 100.00 is kept, but 99.99 is lost" in words(
        page
    )


def test_a_page_cites_an_article_with_one_tag():
    template = Template('{% load regulations %}{% article "3.9.1" %} {% article "3.7, 3.2" %}')
    assert template.render(Context()) == (
        '<a class="cite" href="/how-ratings-work/#rbb-3-9-1">RBB\u00a03.9.1</a> '
        '<a class="cite" href="/how-ratings-work/#rbb-3-7">RBB\u00a03.7</a>, '
        '<a class="cite" href="/how-ratings-work/#rbb-3-2">RBB\u00a03.2</a>'
    )
