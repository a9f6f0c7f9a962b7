"""FIDE B.02 7.14 and 8.3: first ratings, with the worked example 8.34."""

from datetime import date

import pytest

from ratings.rules.b02.first_ratings import CountedEvent, Publication, first_rating, performance
from ratings.rules.b02.tournament_rating import rate_tournament
from ratings.rules.b02.types import AS_IN_EXAMPLES, Entrant, Outcome
from tests.rules.b02.players import round_robin, swiss

LIST = date(2010, 3, 1)


def event(day, games, average, half_points, why_not_first=None, n=None, team=False):
    return CountedEvent(day, games, half_points, games * average, why_not_first, n, team)


EXAMPLE_8_34 = [
    event(date(2009, 9, 6), 3, 2220, 2),
    event(date(2009, 11, 1), 5, 2150, 6),
    event(date(2010, 1, 10), 4, 2200, 5),
]


def test_8_34_example_gives_2197():
    first = first_rating(EXAMPLE_8_34, LIST, AS_IN_EXAMPLES)
    assert (first.publication, first.published, first.games) == (Publication.PUBLISHED, 2197, 12)
    assert first.ru.average == 2184  # 2184.17, rounded before 12.5 is added
    assert (first.ru.half_points, first.ru.over, first.ru.article) == (13, 1, "8.23")


def test_8_34_example_with_the_15_points_of_8_23_gives_2199():
    assert first_rating(EXAMPLE_8_34, LIST).published == 2199


def test_8_34_the_events_are_taken_in_the_order_of_their_last_days():
    assert first_rating(EXAMPLE_8_34[::-1], LIST).events == tuple(EXAMPLE_8_34)


@pytest.mark.parametrize(
    ("half_points", "games", "opponents", "article", "p", "dp", "rating"),
    [
        (9, 9, None, "8.22", 50, None, 2000),
        (10, 9, None, "8.23", 56, None, 2015),
        (18, 9, None, "8.23", 100, None, 2135),
        # 4/9 = 0.444
        (8, 9, None, "8.24", 44, -43, 1957),
        (0, 9, None, "8.24", 0, -800, 1200),
        # -43 × 9/10 = -38.7
        (8, 9, 9, "8.25", 44, -43, 1961),
        # 2.5/4 = 0.625 counts as 0.63 and 1.5/4 as 0.38: -87 × 4/5 = -69.6
        (3, 4, 4, "8.25", 38, -87, 1930),
        (9, 9, 9, "8.22", 50, None, 2000),
    ],
)
def test_8_22_to_8_25_ru(half_points, games, opponents, article, p, dp, rating):
    ru = performance(2000, half_points, games, opponents=opponents)
    assert (ru.article, ru.p, ru.dp, ru.rating) == (article, p, dp, rating)
    assert ru.over == half_points - games


def test_8_32_a_half_is_rounded_upwards():
    # 12.5 a half point: 2012.5. d(p) × n/(n+1) = -29 × 1/2 = -14.5: 1985.5.
    assert performance(2000, 10, 9, AS_IN_EXAMPLES).rating == 2013
    assert performance(2000, 92, 100, opponents=1).rating == 1986


@pytest.mark.parametrize(("games", "published"), [(8, None), (9, 2000)])
def test_7_14_nine_games_are_needed(games, published):
    first = first_rating([event(date(2010, 2, 1), games, 2000, games)], LIST)
    assert first.published == published
    assert first.ru.rating == 2000
    assert first.publication is (Publication.PUBLISHED if published else Publication.FEW_GAMES)


def test_7_14_c_the_nine_games_may_come_from_several_tournaments():
    events = [event(date(2009, 1, 1), 4, 2000, 4), event(date(2010, 1, 1), 5, 2000, 5)]
    assert first_rating(events, LIST).published == 2000


def test_7_14_f_seven_games_of_one_team_championship_are_enough():
    assert first_rating([event(date(2010, 2, 1), 7, 2000, 7, team=True)], LIST).published == 2000
    assert first_rating([event(date(2010, 2, 1), 6, 2000, 6, team=True)], LIST).published is None
    split = [event(date(2009, 2, 1), 4, 2000, 4, team=True), event(date(2010, 2, 1), 4, 2000, 4, team=True)]
    assert first_rating(split, LIST).published is None
    with_more = [event(date(2010, 2, 1), 7, 2000, 7, team=True), event(date(2010, 2, 9), 1, 2000, 1)]
    assert first_rating(with_more, LIST).games == 8
    assert first_rating(with_more, LIST).published == 2000


@pytest.mark.parametrize(("games", "published"), [(6, None), (7, 2000)])
def test_7_14_g_seven_games_for_members_of_ibca_icsc_and_ipca(games, published):
    events = [event(date(2010, 2, 1), games - 3, 2000, games - 3), event(date(2010, 2, 9), 3, 2000, 3)]
    assert first_rating(events, LIST, disabled=True).published == published


@pytest.mark.parametrize(
    ("last_day", "counts"),
    [(date(2008, 2, 29), False), (date(2008, 3, 1), True), (date(2010, 2, 28), True), (LIST, False)],
)
def test_7_14_c_the_window_is_the_two_years_before_the_list(last_day, counts):
    first = first_rating([event(last_day, 9, 2000, 9)], LIST)
    assert (first.publication is Publication.PUBLISHED) is counts
    assert counts or first.publication is Publication.NO_RESULT


def test_8_21_events_before_the_first_that_can_stand_alone_are_forgotten_and_later_ones_are_not():
    lost = [event(date(2009, month, 1), 4, 2400, 0, Outcome.FEW_POINTS) for month in (1, 12)]
    valid = event(date(2009, 6, 1), 9, 2000, 9)
    first = first_rating([lost[0], valid, lost[1]], LIST)
    assert first.events == (valid, lost[1])
    # (9 × 2000 + 4 × 2400) / 13 = 2123; 4.5 of 13 = 0.35
    assert (first.games, first.ru.average, first.ru.p, first.published) == (13, 2123, 35, 2013)
    assert first_rating(lost, LIST).publication is Publication.NO_RESULT
    assert first_rating(lost, LIST).ru is None


def test_8_21_binds_anew_when_the_window_has_passed_over_the_first_event():
    first = event(date(2008, 3, 1), 5, 2000, 5)
    later = event(date(2009, 3, 1), 5, 2000, 0, Outcome.ZERO_SCORE)
    assert first_rating([first, later], LIST).games == 10
    assert first_rating([first, later], date(2010, 5, 1)).publication is Publication.NO_RESULT


@pytest.mark.parametrize(("average", "published"), [(1200, 1200), (1199, None)])
def test_8_33_exactly_1200_is_published(average, published):
    first = first_rating([event(date(2010, 2, 1), 9, average, 9)], LIST)
    assert first.published == published
    assert first.publication is (Publication.PUBLISHED if published else Publication.BELOW_FLOOR)


def test_8_25_one_round_robin_keeps_its_formula_and_a_pool_is_taken_as_a_swiss():
    alone = event(date(2010, 1, 1), 9, 2000, 6, n=9)
    assert first_rating([alone], LIST).ru.article == "8.25"
    # 0.33: -125 × 9/10 = -112.5
    assert first_rating([alone], LIST).published == 1888
    pool = first_rating([alone, event(date(2010, 2, 1), 3, 2000, 2)], LIST)
    assert (pool.ru.article, pool.published) == ("8.24", 1875)


def test_8_3_tournaments_as_they_were_rated_make_a_pool():
    rated = [Entrant(number, 2000 + 50 * number, 15) for number in range(1, 7)]
    whole = round_robin([*rated, Entrant(9, None)], {(1, 9): 0, (2, 9): 2, (3, 9): 2, (4, 9): 2})
    one = rate_tournament(whole).results[-1].new
    games = [(9, 1, 2), (9, 2, 1), (9, 3, 0)]
    other = rate_tournament(swiss([*rated, Entrant(9, None, earlier_result=True)], *games)).results[-1].new
    events = [
        CountedEvent(date(2010, 1, 1), one.games, one.half_points, one.opponents_sum, one.why_not_first, 6),
        CountedEvent(
            date(2010, 2, 1), other.games, other.half_points, other.opponents_sum, other.why_not_first
        ),
    ]
    assert first_rating(events[:1], LIST, disabled=True).ru == one.final._replace()
    first = first_rating(events, LIST)
    assert first.games == 9
    assert first.ru.average == round((6 * one.final.average + 2050 + 2100 + 2150) / 9)
