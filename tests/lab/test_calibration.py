"""The calibration of table 4.2: favourites' expected scores beside their scores, by colour and rating."""

from decimal import Decimal

import pytest

from ratings.lab.calibration import Tally, calibrations
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.pages import words

PAGE = "/lab/calibration/"


def rated_game(number, white, black, expected, half_points):
    """White’s line of a game in blitz, as the ledger has it. ``expected``: White’s, in hundredths."""
    return RatingChange(
        id=change_id(EventType.GAME, number),
        member_id=1,
        opponent_id=2,
        game_id=number,
        category=Category.BLITZ,
        occurred_at=at(number),
        before=Decimal(white),
        opponent_rating=Decimal(black),
        after=Decimal(white),
        expected=expected,
        half_points=half_points,
        reason=Reason.RATED,
        games=1,
        previously_unrated=False,
        first_half_points=0,
        first_opponents=0,
    )


def hundreds_of_games():
    """D = 100 (row 0.64): White is the favourite in 100 games, Black in 50. D = 0 (row 0.50): 20 games."""
    results = [(1500, 1400, 64, 2)] * 60 + [(1500, 1400, 64, 0)] * 40
    results += [(1400, 1500, 36, 0)] * 20 + [(1400, 1500, 36, 1)] * 20 + [(1400, 1500, 36, 2)] * 10
    results += [("1500.20", 1500, 50, 2)] * 20
    # No favourite.
    results += [(1500, 1500, 50, 2)] * 5
    RatingChange.objects.bulk_create(rated_game(n, *one) for n, one in enumerate(results, 1))


@pytest.mark.pure
def test_the_interval_is_wilsons():
    """60 of 100: middle (0.6 + 0.019207) / 1.038415, half width 1.887459 × √(0.0024 + 0.000096)."""
    tally = Tally()
    tally.add(100, 64, 120)
    assert (tally.scored, tally.mean_expected) == (0.6, 0.64)
    assert tally.interval == (pytest.approx(0.50200, abs=1e-5), pytest.approx(0.69060, abs=1e-5))
    assert not tally.is_beyond_chance
    tally = Tally()
    tally.add(100, 70, 120)
    assert tally.is_beyond_chance


@pytest.mark.django_db
def test_each_game_counts_once_for_the_higher_rated_player():
    hundreds_of_games()
    blitz = calibrations()[Category.BLITZ - 1]
    assert [row.label for row in blitz.rows] == ["0–3", "99–106"]
    even, row = blitz.rows
    # 60 + 20 wins and 20 draws in 150 games.
    assert (row.all.games, row.all.half_points, row.all.scored) == (150, 180, 0.6)
    assert (row.white.games, row.white.scored) == (100, 0.6)
    assert (row.black.games, row.black.half_points) == (50, 60)
    assert row.all.mean_expected == pytest.approx(0.64)
    assert (even.all.games, even.black.games) == (20, 0)
    assert (blitz.total.all.games, blitz.total.all.expected) == (170, 150 * 64 + 20 * 50)
    # 0.50 to 0.54 and 0.60 to 0.64.
    assert [(row.label, row.all.games) for row in blitz.bands] == [("0–32", 20), ("69–106", 150)]
    assert [(row.label, row.all.games) for row in blitz.ratings] == [("1400–1599", 170)]
    assert calibrations()[Category.RAPID - 1].total.all.games == 0


@pytest.mark.django_db
def test_the_page_gives_no_score_for_too_few_games(client):
    hundreds_of_games()
    said = words(client.get(PAGE))
    assert "69–106 150 0.640 0.600 (0.520–0.675) −0.040 −0.040 –" in said
    assert "0–32 20 0.500 too few games – – –" in said
    assert "No games between rated members yet." in said


@pytest.mark.django_db
def test_the_page_says_in_a_sentence_whether_the_ratings_are_fair(client):
    """170 games: (180 + 40) / 340 scored, (150 × 0.64 + 20 × 0.50) / 170 predicted."""
    hundreds_of_games()
    assert (
        "Yes, overall. In 170 games, favourites scored 0.647 points per game, and table 4.2 predicted "
        "0.624. Chance alone could explain the difference. Of 1 rating-difference ranges with enough games, "
        "0 deviate by more than chance would explain."
    ) in words(client.get(PAGE))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("half_points", "answer"),
    [
        (2, "Not quite: favourites score more than predicted. In 100 games they scored 1.000 points"),
        (0, "Not quite: favourites score less than predicted. In 100 games they scored 0.000 points"),
    ],
)
def test_a_difference_beyond_chance_is_not_called_fair(client, half_points, answer):
    RatingChange.objects.bulk_create(rated_game(n, 1500, 1400, 64, half_points) for n in range(1, 101))
    said = words(client.get(PAGE))
    assert answer in said
    assert (
        "Of 1 rating-difference ranges with enough games, 1 deviates by more than chance would explain."
        in said
    )


@pytest.mark.django_db
def test_the_page_gives_no_answer_for_too_few_games(client):
    RatingChange.objects.bulk_create(rated_game(n, 1500, 1400, 64, 2) for n in range(1, 100))
    assert "We can’t say yet: 99 games aren’t enough. We need 100." in words(client.get(PAGE))


@pytest.mark.django_db
def test_the_picture_has_a_point_for_each_row_with_enough_games():
    hundreds_of_games()
    (point,) = calibrations()[Category.BLITZ - 1].picture["points"]
    # 0.64 is 28 % of the way from 0.50 to 1.00; −0.04 of ±0.20 is a fifth of the lower half.
    assert (point["x"], point["y"]) == (179.2, 144.0)
    assert calibrations()[Category.RAPID - 1].picture is None


@pytest.mark.django_db
def test_the_ledgers_own_games_are_counted(client):
    anna, boris = member("anna"), member("boris")
    opening(anna, 1500)
    opening(boris, 2300)
    game(anna, boris, "1/2-1/2", minute=10)
    game(boris, member("carla"), minute=11)
    blitz = calibrations()[Category.BLITZ - 1]
    # 800 points: row 1.00. The game against an unrated member isn't predicted.
    assert [(row.label, row.black.games, row.black.half_points) for row in blitz.rows] == [
        ("736 or more", 1, 1)
    ]
    assert f'href="{PAGE}"' in client.get("/lists/").text
