"""What explanations and the pages of the rule books show as equal is equal, or says that it is rounded."""

import random

import pytest

from ratings.calculators import what_if
from ratings.calculators.games import TypedGame
from ratings.office.rule_books import rule_books
from ratings.rbb.models.editions import DecidedEditions
from ratings.rules.rbb.rating import UNRATED
from ratings.rules.time_controls import Category
from tests.arena import START
from tests.equations import check_explanation, check_text


@pytest.mark.parametrize(
    ("text", "equations"),
    [
        ("Ra = 1218.16 ÷ 5 = 243.632, rounded to 243.63: the opponents’ average rating.", 2),
        ("D = 1814.50 − 1800.00 = 14.50, rounded to 15.", 2),
        ("Ra = Rar − d(pa) × n ÷ (n + 1) = 2140 − (−42.6) × 5 ÷ 6 = 2175.5, rounded to 2176.", 2),
        ("Rn = Ro + K × ΔR = 1500.00 + 20 × (−0.52) = 1489.60.", 1),
        ("ΣW = 1.5; ΣWe ≈ 0.4856 + 0.7571 ≈ 1.2427, the sum of the expected wins.", 1),
        ("4½ out of 9 is 50%: Ru = Rc = 1800.", 0),
        ("3 out of 9 is less than 50%: p ≈ 0.33, and d(p) = −125.", 1),
        ("K = 20 for blitz: K = 40 ended after game 30.", 0),
    ],
)
def test_equations_are_found_in_sentences(text, equations):
    assert check_text(text) == equations


@pytest.mark.parametrize(
    "text",
    [
        "Ra = 1218.16 ÷ 5 = 243.63, the opponents’ average rating.",
        "Ra = 1218.16 ÷ 5 = 243.632, rounded to 243.64.",
        "D = 14.50, rounded to 14.",
        "Rar ≈ 1933.33, then Ra = 1933.33 − (−29.67) × 9 ÷ 10 = 1960.03, rounded to 1960.",
        "ΣWe ≈ 0.4856 + 0.7571 ≈ 1.3427.",
        "3 out of 9 is less than 50%: p = 0.33, and d(p) = −125.",
    ],
)
def test_a_rounded_figure_that_does_not_say_so_is_found(text):
    with pytest.raises(AssertionError):
        check_text(text)


@pytest.mark.parametrize(
    "text",
    ["PD = .64", "p = 4½ : 7 ≈ 0.64", "Ra = (9300 + 3600) / 7", "n : (n + 1)", "20 × (-0.52)", "20 * 0.36"],
)
def test_a_figure_that_is_not_written_as_everywhere_is_found(text):
    with pytest.raises(AssertionError):
        check_text(text)


def test_the_examples_of_every_rule_book_are_true():
    texts = [
        line
        for book in rule_books().values()
        for line in book.page.markdown.splitlines()
        if line.startswith("- **Example:**")
    ]
    assert len(texts) > 50
    assert sum(map(check_text, texts)) >= 6


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(20))
def test_3_7_3_9_what_random_games_of_a_member_without_a_rating_give_is_shown_truly(seed):
    """First ratings from opponents whose mean has three decimals, floors that are lost, K = 40 and 20."""
    dice = random.Random(seed)
    lowest = dice.choice((10_000, 100_000))
    games = [
        TypedGame(number, f"{dice.randrange(lowest, 2 * lowest) / 100:.2f}", dice.choice((0, 1, 2)))
        for number in range(1, 41)
    ]
    steps = what_if.steps(dice.choice(list(Category)), UNRATED, None, games, DecidedEditions(), at=START)
    assert sum(check_explanation(step.explanation) for step in steps) > 40
    means = [
        (one.text, step.row.first_opponents / 5, one.values["average"])
        for step in steps
        for one in step.explanation.steps
        if one.name == "average"
    ]
    assert means
    for text, exact, shown in means:
        assert (f"= {exact}, rounded to {shown}:" in text) == (exact != shown)
