"""FOA titles: AGM 2000, AIM 1700, AFM 1400, ACM 1100, held for 50 rapid, 100 blitz or 150 bullet games."""

import pytest

from ratings.rules.rbb.titles import title_progress
from ratings.rules.time_controls import Category


def progress(category, ratings):
    """(current, best, held) by title."""
    return {step.title: (step.current, step.best, step.held) for step in title_progress(category, ratings)}


@pytest.mark.parametrize(
    ("title", "rating"), [("AGM", 2000_00), ("AIM", 1700_00), ("AFM", 1400_00), ("ACM", 1100_00)]
)
@pytest.mark.parametrize(
    ("category", "games"), [(Category.RAPID, 50), (Category.BLITZ, 100), (Category.BULLET, 150)]
)
def test_a_title_needs_its_rating_after_so_many_games_of_the_category(title, rating, category, games):
    assert progress(category, [rating] * games)[title] == (games, games, True)
    assert progress(category, [rating] * (games - 1))[title] == (games - 1, games - 1, False)
    assert {step.title: step.needed for step in title_progress(category, [])}[title] == games


def test_titles_come_highest_first_with_their_ratings():
    assert [(step.title, step.rating) for step in title_progress(Category.RAPID, [])] == [
        ("AGM", 2000_00),
        ("AIM", 1700_00),
        ("AFM", 1400_00),
        ("ACM", 1100_00),
    ]


def test_the_exact_rating_is_held_and_not_the_displayed_one():
    # 1399.60 shows 1400 (RBB 3.12), 1400.00 is 1400.
    assert progress(Category.RAPID, [1400_00, 1399_60, 1400_00])["AFM"] == (1, 1, False)
    assert progress(Category.RAPID, [1400_00, 1399_99])["AFM"] == (0, 1, False)


def test_a_lower_rating_breaks_the_run_and_the_best_one_stays():
    ratings = [*[1400_00] * 37, 1399_99, *[1450_00] * 12]
    assert progress(Category.RAPID, ratings)["AFM"] == (12, 37, False)
    assert progress(Category.RAPID, ratings)["ACM"] == (50, 50, True)


def test_a_lost_rating_breaks_every_run():
    ratings = [*[2100_00] * 50, None, None, *[1500_00] * 3]
    assert progress(Category.RAPID, ratings) == {
        "AGM": (0, 50, True),
        "AIM": (0, 50, True),
        "AFM": (3, 50, True),
        "ACM": (3, 50, True),
    }


def test_a_title_once_earned_is_not_lost_by_a_later_fall():
    assert progress(Category.BLITZ, [*[1700_00] * 100, 1699_99])["AIM"] == (0, 100, True)


def test_without_a_game_nothing_is_held():
    assert set(progress(Category.BULLET, []).values()) == {(0, 0, False)}
