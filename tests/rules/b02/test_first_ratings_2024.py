"""FIDE's regulations of 1 March 2024, 7.1.4 and 8.2: first ratings."""

from datetime import date

import pytest

from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.first_ratings import (
    CountedEvent,
    Publication,
    Score,
    new_player_2024,
    performance_2024,
)
from ratings.rules.b02.types import Outcome

LIST = date(2026, 12, 1)
BOOK = edition_in_force(LIST)


@pytest.mark.parametrize(
    ("ratings", "half_points", "average", "p", "dp", "rating"),
    [
        # Ra 1842.857 + 102 = 1944.857
        ((1900, 1850, 2000, 1750, 1800), 7, 1843, 64, 102, 1945),
        ((1450,) * 5, 0, 1550, 14, -309, 1241),
        # Ra 2157.14 + 309 = 2466
        ((2300,) * 5, 10, 2157, 86, 309, 2200),
        # Half of all is p = 0.50, above 50 % the table goes on.
        ((1800, 1800), 2, 1800, 50, 0, 1800),
        # p = 4.5/6 = 0.75; Ra = 1883.33, 2076.33
        ((1900, 1950, 1950, 1900), 7, 1883, 75, 193, 2076),
        # p = 1.5/4 = 0.375: half up. Ra 1700 - 87
        ((1600, 1600), 1, 1700, 38, -87, 1613),
    ],
)
def test_8_2_2_two_hypothetical_opponents_of_1800_are_drawn_with(
    ratings, half_points, average, p, dp, rating
):
    score = Score(len(ratings), half_points, len(ratings), sum(ratings))
    ru = performance_2024(score)
    assert (ru.article, ru.average, ru.p, ru.dp, ru.rating) == ("8.2.3", average, p, dp, rating)
    assert (ru.games, ru.half_points, ru.over, ru.opponents) == (
        len(ratings),
        half_points,
        half_points - len(ratings),
        None,
    )


def test_8_2_3_at_most_2200():
    # p = 6/7: dp 309; sums of 13237 - 3600 and one more on either side of 1891 × 7.
    assert performance_2024(Score(5, 10, 5, 1891 * 7 - 3600)).rating == 2200
    assert performance_2024(Score(5, 10, 5, 1890 * 7 - 3600)).rating == 2199
    assert performance_2024(Score(5, 10, 5, 1900 * 7 - 3600)).rating == 2200


def test_8_2_3_ru_is_rounded_half_up_once():
    # Ra 1800.5 (n + 2 = 4), dp 0.
    assert performance_2024(Score(2, 2, 2, 3602)).rating == 1801
    # Ra 1799.5, p = 0.25: -193. 1606.5.
    assert performance_2024(Score(2, 0, 2, 3598)).rating == 1607


@pytest.mark.parametrize(
    ("half_points", "earlier", "why_not"),
    [(0, False, Outcome.ZERO_SCORE), (1, False, None), (0, True, None)],
)
def test_8_2_1_only_a_very_first_event_without_a_point_is_forgotten(half_points, earlier, why_not):
    assert new_player_2024(Score(1, half_points, 1, 1500), earlier).why_not_first is why_not


def event(last_day, games=5, half_points=5, rating=1800, why_not=None):
    return CountedEvent(last_day, games, half_points, games * rating, why_not)


def test_7_1_4_five_games_are_enough_and_four_are_not():
    assert BOOK.first_rating([event(date(2026, 11, 1), 4, 4)], LIST).publication is Publication.FEW_GAMES
    first = BOOK.first_rating([event(date(2026, 11, 1))], LIST)
    assert (first.publication, first.games, first.published) == (Publication.PUBLISHED, 5, 1800)
    assert BOOK.first_rating_games() == BOOK.first_rating_games(disabled=True) == 5


def test_7_1_4_nine_games_or_seven_in_2009():
    team = CountedEvent(date(2023, 11, 1), 7, 7, 7 * 1800, None, team_championship=True)
    assert B02_2009.first_rating_games() == 9
    assert B02_2009.first_rating_games(disabled=True) == B02_2009.first_rating_games([team]) == 7
    assert B02_2009.first_rating_games([team._replace(games=6)]) == 9


def test_7_1_4_results_of_26_months_are_pooled():
    assert (BOOK.pool_months, B02_2009.pool_months) == (26, 24)
    old, young = event(date(2024, 9, 30), 2, 4, 1900), event(date(2024, 10, 1), 2, 4, 1900)
    later, same_day = event(date(2026, 11, 1), 3, 1, 1700), event(LIST, 9, 18, 2400)
    assert BOOK.first_rating([later, old, same_day], LIST).games == 3
    first = BOOK.first_rating([later, young], LIST)
    # W 2.5 of 5: p = 3.5/7; Ra = (3800 + 5100 + 3600)/7 = 1785.71
    assert (first.publication, first.games, first.published) == (Publication.PUBLISHED, 5, 1786)
    assert first.events == (young, later)


def test_8_2_1_everything_after_the_first_event_counts_also_without_a_point():
    bad = event(date(2026, 10, 1), 3, 0, 1600, Outcome.FEW_POINTS)
    first = BOOK.first_rating([bad, event(date(2026, 11, 1), 2, 4, 1600)], LIST)
    # W 2 of 5: p = 3/7 = 0.43; Ra = 11600/7 = 1657.14, 1607.14
    assert (first.games, first.published) == (5, 1607)


def test_7_1_4_below_1400_a_first_rating_is_not_published():
    first = BOOK.first_rating([event(date(2026, 11, 1), 5, 0, 1450)], LIST)
    assert (first.publication, first.ru.rating, first.published) == (Publication.BELOW_FLOOR, 1241, None)


@pytest.mark.parametrize(("opponents_sum", "published"), [(8363, 1400), (8356, None)])
def test_7_1_4_exactly_1400_is_published(opponents_sum, published):
    """No points of five: dp is -309 at 1/7, and Ra 1709 and 1708."""
    lost = CountedEvent(date(2026, 11, 1), 5, 0, opponents_sum, None)
    assert BOOK.first_rating([lost], LIST).published == published


def test_7_1_4_without_a_result_there_is_no_rating():
    assert BOOK.first_rating([], LIST).publication is Publication.NO_RESULT
