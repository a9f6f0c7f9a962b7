"""The league's rules on a page of the site."""

from ratings.office.rule_books import cited
from ratings.rules.bal.cycles import Crossing, Formula, GameReason
from tests.rbb.rule_books import of_book


def test_the_examples_are_computed(client):
    text = of_book(client, "bal", "BAL")
    # (1600 + 1600 + 400 × (1.5 − 0.5)) ÷ 2 = 1800
    assert (
        "A new player beats one player rated 1600 and draws with another: the first rating is 1800.00."
        in text
    )
    assert "A rating rises from 2090 to 2110: 2100 + 10 × 0.75 = 2107.5." in text


def test_every_heading_that_is_cited_is_there():
    headings = {one.article for kind in (GameReason, Formula, Crossing) for one in kind}
    assert [one for one in headings if not cited("BAL").has(one)] == []
