"""Editions of RBB by date: which numbers apply when, and what gives them."""

from datetime import UTC, datetime

import pytest

from ratings.rules.rbb.editions import PRINTED, Amendment, Edition, Editions, KRule
from ratings.rules.rbb.rating import LedgerLine, first_rating, k_article, rate_game
from ratings.rules.time_controls import Category
from ratings.rules.units import LOSS

RAPID, BLITZ, BULLET = Category
MARCH, APRIL = (datetime(2027, month, 1, tzinfo=UTC) for month in (3, 4))
STRONG = Amendment(MARCH, k_rules=(KRule(15, (BLITZ,), ratings=(2000_00, 10**8)),))
BLITZ_16 = Amendment(APRIL, k=(None, 16, None), k_new=32)


def test_without_amendments_the_printed_regulations_apply_at_all_times():
    assert Editions().at(MARCH) is PRINTED
    assert (PRINTED.since, PRINTED.amendments) == (None, ())
    assert [PRINTED.k_for(one, 2100_00, 100, False) for one in Category] == [20, 20, 10]
    assert [PRINTED.k_for(BLITZ, 2100_00, games, True) for games in (29, 30)] == [40, 20]


@pytest.mark.parametrize("some", [(STRONG, BLITZ_16), (BLITZ_16, STRONG)])
def test_editions_follow_from_their_dates_and_not_from_the_order_in_which_they_were_decided(some):
    editions = Editions(some)
    before, between, after = (
        editions.at(moment) for moment in (datetime(2027, 2, 28, 23, 59, 59, tzinfo=UTC), MARCH, APRIL)
    )
    assert before is PRINTED
    assert (between.since, after.since) == (MARCH, APRIL)
    ratings = [(1999_99, 100, False), (2000_00, 100, False), (2000_00, 29, True)]
    assert [between.k_for(BLITZ, *one) for one in ratings] == [20, 15, 40]
    # What the later one doesn't mention stays.
    assert [after.k_for(BLITZ, *one) for one in ratings] == [16, 15, 32]
    assert after.k_for(RAPID, 2000_00, 100, False) == 20
    sources = [after.why_k(BLITZ, *one).by for one in ratings]
    assert sources == [BLITZ_16, STRONG, BLITZ_16]
    assert after.why_k(RAPID, 2000_00, 100, False).by is None


def test_a_later_rule_of_the_same_members_comes_before_an_earlier_one():
    again = PRINTED.amended(STRONG).amended(Amendment(APRIL, k_rules=(KRule(20, (BLITZ,)),)))
    assert again.k_for(BLITZ, 2100_00, 100, False) == 20


def test_a_shorter_time_with_the_k_of_new_members_gives_the_k_after_it():
    short = Amendment(MARCH, new_games=12)
    edition = PRINTED.amended(short)
    assert [edition.k_for(RAPID, 1500_00, games, True) for games in (11, 12)] == [40, 20]
    assert [edition.why_k(RAPID, 1500_00, games, True).by for games in (11, 12, 30)] == [short, short, None]


@pytest.mark.parametrize(
    ("amendment", "categories"),
    [
        (STRONG, (BLITZ,)),
        (Amendment(k=(None, None, 5)), (BULLET,)),
        (Amendment(k=(21, None, None), k_rules=(KRule(5, (BULLET,)),)), (RAPID, BULLET)),
        (Amendment(k_rules=(KRule(5),)), tuple(Category)),
        (Amendment(bonus=0), tuple(Category)),
        (Amendment(cap=400), tuple(Category)),
        (Amendment(k_new=30), tuple(Category)),
        (Amendment(new_games=30), tuple(Category)),
        (Amendment(), ()),
    ],
)
def test_an_amendment_says_which_categories_it_can_change(amendment, categories):
    assert amendment.categories == categories


def test_a_cap_counts_greater_differences_as_itself_and_leaves_d_as_it_is():
    one, other = (LedgerLine(rating, 100, False, peak=rating) for rating in (2000_00, 1200_00))
    edition = PRINTED.amended(Amendment(cap=400))
    white, black = rate_game(BLITZ, one, other, LOSS, edition)
    # Table 4.2: 0.92 for D = 400.
    assert (white.difference, white.expected, white.change) == (800, 92, -18_40)
    assert (black.difference, black.expected, black.change) == (800, 8, 18_40)
    assert rate_game(BLITZ, one, other, LOSS)[0].expected == 100
    assert rate_game(BLITZ, other, one, LOSS, edition)[0].expected == 8
    beyond = PRINTED.amended(Amendment(cap=2000))
    assert rate_game(BLITZ, one, other, LOSS, beyond) == rate_game(BLITZ, one, other, LOSS)


def test_another_bonus_is_that_of_a_first_rating_above_an_even_score():
    edition = PRINTED.amended(Amendment(bonus=15_50))
    assert first_rating(8, 5 * 1500_00, edition) == (1500_00, 46_50, 1546_50)
    assert first_rating(3, 5 * 1500_00, edition) == first_rating(3, 5 * 1500_00)


def test_k_is_cited_by_the_paragraph_that_gives_it():
    edition = PRINTED.amended(Amendment(k_new=32))
    assert [k_article(BLITZ, k, edition) for k in (32, 20)] == ["3.10.3", "3.10.1"]
    assert k_article(BULLET, 10, edition) == "3.10.2"


def test_an_edition_is_only_its_numbers_and_what_gave_them():
    assert PRINTED.amended(Amendment()) == Edition((Amendment(),))
