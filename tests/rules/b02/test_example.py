"""FIDE B.02 8.58: every number of the worked example that follows from the articles."""

from fractions import Fraction

import pytest

from ratings.rules.b02.tournament_rating import rate_tournament
from ratings.rules.b02.types import AS_IN_EXAMPLES, Choices, GameReason, Outcome, TournamentType
from tests.rules.b02.players import EXAMPLE_8_58, NAMES, example_8_58


def lines(rating):
    return {result.number: result for result in rating.results}


@pytest.fixture(scope="module")
def example():
    rating = rate_tournament(example_8_58(), AS_IN_EXAMPLES)
    return rating, dict(zip(NAMES, rating.results, strict=True))


def test_8_58_example_has_the_printed_points(example):
    _, results = example
    points = {name: sum(game.half_points for game in line.games) / 2 for name, line in results.items()}
    assert points == {name: points for name, (_, points, _) in EXAMPLE_8_58.items()}
    assert {len(line.games) for line in results.values()} == {9}


def test_8_58_rar_is_2375_and_dpa_is_29_5_and_neither_is_rounded(example):
    rating, _ = example
    assert rating.kind is TournamentType.ROUND_ROBIN
    assert rating.round_robin.rar == 2375
    assert rating.round_robin.dpa == Fraction(59, 2)
    assert rating.round_robin.opponents == 9


def test_8_58_p_and_dp_of_the_rated_players(example):
    rating, _ = example
    assert [(NAMES[number], p, dp) for number, p, dp in rating.round_robin.rated] == [
        ("A", 89, 351),
        ("B", 78, 220),
        ("D", 67, 125),
        ("F", 44, -43),
        ("G", 33, -125),
        ("J", 11, -351),
    ]


def test_8_58_ra_is_2348_rounded_before_ru_is_formed(example):
    rating, results = example
    assert rating.round_robin.average == 2348
    assert {results[name].new.first.average for name in "CEHI"} == {2348}


@pytest.mark.parametrize(
    ("name", "ru", "article"),
    [("C", 2411, "8.23"), ("E", 2386, "8.23"), ("H", 2150, "8.25"), ("I", 2032, "8.25")],
)
def test_8_58_first_ru(example, name, ru, article):
    first = example[1][name].new.first
    assert (first.rating, first.article) == (ru, article)


@pytest.mark.parametrize(
    ("name", "shifts", "average"),
    [
        ("C", {}, 2348),
        ("E", {}, 2348),
        ("H", {"A": 2550 - 2600}, 2342),
        ("I", {"A": 2432 - 2600, "B": 2432 - 2500}, 2322),
    ],
)
def test_8_58_rc_new_with_opponents_over_400_points_away_counted_at_400(example, name, shifts, average):
    new = example[1][name].new
    assert {NAMES[opponent]: shift for opponent, shift in new.shifts} == shifts
    assert new.final.average == example[1][name].average == average


def test_8_58_second_pass_is_the_last_one(example):
    new = {name: example[1][name].new for name in "CEHI"}
    assert {name: line.final.rating for name, line in new.items()} == {
        "C": 2411,
        "E": 2386,
        "H": 2144,
        "I": 2006,
    }
    # I at 2006 would now have C more than 400 points above him: 2411. Nothing follows from that.
    assert new["I"].final.rating == 2006


@pytest.mark.parametrize(
    ("name", "expected", "change"),
    [
        ("A", 738, 620),
        ("B", 650, 500),
        ("D", 540, 600),
        ("F", 252, 2220),
        ("G", 421, -1815),
        ("J", 421, -4815),
    ],
)
def test_8_58_we_and_change_of_the_rated_players_with_the_first_ru(example, name, expected, change):
    line = example[1][name]
    assert (line.outcome, line.rated_games) == (Outcome.CHANGED, 9)
    assert (line.expected, line.change) == (expected, change)


def test_8_58_changes_use_the_new_ru_as_the_article_says():
    edition = Choices(bonus_per_half_point=12_50)
    rating = lines(rate_tournament(example_8_58(), edition))
    games = {NAMES[game.opponent]: game for game in rating[NAMES.index("F")].games}
    assert (games["H"].opponent_rating, games["I"].opponent_rating) == (2144, 2006)
    assert (games["H"].expected, games["I"].expected) == (51, 69)
    assert games["H"].reason is GameReason.RATED_AGAINST_NEW


def test_8_23_the_article_s_15_points_are_the_default():
    rating = lines(rate_tournament(example_8_58()))
    assert [rating[NAMES.index(name)].new.first.rating for name in "CE"] == [2348 + 75, 2348 + 45]
