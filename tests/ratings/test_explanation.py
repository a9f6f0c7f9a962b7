"""A line of the ledger, explained in the numbers of the regulations."""

import json
from dataclasses import asdict
from decimal import Decimal

import pytest

from ratings.explanation import explain
from ratings.models import OtbAdjustment, RatingChange
from ratings.rules.rbb import Reason
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, START, at, game, member, opening, rated

pytestmark = pytest.mark.django_db


def explained(who, played=None):
    """The explanation of his line of this game, or of his last line."""
    rows = RatingChange.objects.filter(member=who)
    return explain(rows.get(game=played) if played else rows.latest("occurred_at", "id"))


def test_rbb_3_14_a_win_moves_the_exact_rating_and_not_the_displayed_one():
    who, other = rated("1799.60"), rated("1259.60")
    explanation = explained(who, game(who, other))
    assert explanation.arithmetic == "1799.60 + 20 × (1 − 0.97) = 1800.20"
    assert explanation.after == Decimal("1800.20")
    assert (explanation.displayed_before, explanation.displayed_after) == (1800, 1800)
    step = explanation.game
    assert (step.exact_difference, step.difference) == (Decimal("540.00"), 540)
    assert (step.row_first, step.row_last, step.higher, step.expected) == (518, 559, True, Decimal("0.97"))
    assert (step.score, step.k, step.k_article) == ("1", 20, "3.10.1")


def test_the_lower_rated_player_has_the_other_column_of_table_4_2():
    who, other = rated("1800.00"), rated("1814.50")
    explanation = explained(who, game(who, other, "1/2-1/2"))
    assert explanation.game.exact_difference == Decimal("14.50")
    assert explanation.game.difference == 15
    assert explanation.game.higher is False
    assert explanation.arithmetic == "1800.00 + 20 × (0.5 − 0.48) = 1800.40"


def test_the_last_row_of_table_4_2_is_open():
    who, other = rated("2400"), rated("1600")
    explanation = explained(who, game(who, other, "0-1"))
    assert (explanation.game.row_first, explanation.game.row_last) == (736, None)
    assert explanation.arithmetic == "2400.00 + 20 × (0 − 1.00) = 2380.00"


def test_k_cites_its_article():
    new = rated(1500, previously_unrated=True, games=6)
    assert explained(new, game(new, rated(1500))).game.k_article == "3.10.3"
    fast, other = rated(1500, Category.BULLET), rated(1500, Category.BULLET)
    played = game(fast, other, notation=CONTROL[Category.BULLET])
    assert (explained(fast, played).game.k, explained(fast, played).game.k_article) == (10, "3.10.2")


def test_nothing_is_computed_against_an_unrated_opponent():
    who, other = rated(1500), member()
    explanation = explained(who, game(who, other))
    assert explanation.reason is Reason.OPPONENT_UNRATED
    assert explanation.arithmetic == ""
    assert explanation.game is None
    assert explanation.before == explanation.after == Decimal("1500.00")


@pytest.mark.parametrize(
    ("results", "article", "arithmetic"),
    [
        # RBB 3.7.3: Ra = (1500 + 1500 + 1500 + 1500 + 1503) / 5 = 1500.60
        (["1/2-1/2"] * 5, "3.7.3", "1500.60 + 0.00 = 1500.60"),
        # RBB 3.7.4: four wins and a draw are four half points over 50 %, 20 each
        (["1/2-1/2", *["1-0"] * 4], "3.7.4", "1500.60 + 80.00 = 1580.60"),
        # RBB 3.7.5: 1.5 of 5, dp(.30) = -149
        (["1-0", "1/2-1/2", *["0-1"] * 3], "3.7.5", "1500.60 − 149.00 = 1351.60"),
    ],
)
def test_a_first_rating_is_explained_by_ra_and_rf(results, article, arithmetic):
    who = member()
    for number, result in enumerate(results):
        last = game(who, rated(1503 if number == 4 else 1500), result, minute=10 + number)
    explanation = explained(who, last)
    assert explanation.reason is Reason.FIRST_RATING
    assert explanation.first.average == Decimal("1500.60")
    assert explanation.first.article == article
    assert explanation.arithmetic == arithmetic
    assert explanation.first.rating == explanation.after


def test_results_towards_the_first_rating_are_counted():
    who = member()
    game(who, rated(1500), "1/2-1/2", minute=10)
    explanation = explained(who, game(who, rated(1600), "0-1", minute=20))
    assert (explanation.progress.results, explanation.progress.needed) == (2, 5)
    assert explanation.progress.score == Decimal("0.5")
    assert explanation.progress.opponents == Decimal("3100.00")
    assert explanation.first is None


def test_the_game_after_the_first_rating_does_not_explain_it_again():
    who = member()
    for minute in range(10, 15):
        game(who, rated(1500), minute=minute)
    explanation = explained(who, game(who, rated(1500), minute=15))
    assert explanation.first is explanation.progress is None
    assert explanation.game.k == 40


def test_a_first_rating_under_the_floor_shows_what_it_would_have_been():
    who = member()
    for minute in range(10, 15):
        game(who, rated(150), "1/2-1/2" if minute == 10 else "0-1", minute=minute)
    explanation = explained(who)
    assert explanation.reason is Reason.FIRST_RATING_BELOW_FLOOR
    assert explanation.arithmetic == "150.00 − 366.00 = −216.00"
    assert explanation.after is None


def test_a_rating_lost_under_the_floor_shows_the_sum_that_lost_it():
    who, other = rated("100.50"), rated("100.50")
    explanation = explained(who, game(who, other, "0-1"))
    assert explanation.reason is Reason.LOST_UNDER_FLOOR
    assert explanation.arithmetic == "100.50 + 20 × (0 − 0.50) = 90.50"
    assert (explanation.after, explanation.displayed_after) == (None, None)


def test_an_opening_has_no_arithmetic_and_an_adjustment_has():
    who = rated(1800)
    assert explained(who).arithmetic == ""
    assert explained(who).before is None
    OtbAdjustment.objects.create(
        member=who,
        category=Category.BLITZ,
        period=START.date(),
        change=Decimal("-12"),
        effective_at=at(5),
        source="list",
    )
    assert explained(who).arithmetic == "1800.00 − 12.00 = 1788.00"


def test_an_opening_that_came_too_late_says_so():
    who = rated(1800)
    opening(who, 1900, minute=5)
    assert explained(who).reason is Reason.OPENING_NOT_APPLIED
    assert explained(who).arithmetic == ""


def test_an_explanation_goes_into_json():
    who = rated("1799.60")
    explanation = explained(who, game(who, rated("1259.60")))
    assert json.loads(json.dumps(asdict(explanation), default=str))["game"]["expected"] == "0.97"
