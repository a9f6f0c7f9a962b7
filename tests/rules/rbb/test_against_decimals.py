"""The rules beside a second, naive reading of RBB section 3 in Decimal, over long random histories.

It shares nothing with the rules but the regulations: tables from the printed text, no integers, no lines.
"""

import random
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

import pytest

from ratings.rules.rbb.rating import UNRATED, open_rating, rate_game
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from tests.rules.printed import printed_dp, printed_pd

K = {Category.RAPID: 20, Category.BLITZ: 20, Category.BULLET: 10}


@dataclass
class Player:
    """A member in one category as the text of the regulations tells of him."""

    rating: Decimal | None = None
    was_unrated: bool = False
    games: int = 0
    results: list[tuple[Decimal, Decimal]] = field(default_factory=list)


def half_up(value: Decimal, places: str = "1") -> Decimal:
    return value.quantize(Decimal(places), ROUND_HALF_UP)


def probabilities(difference: Decimal) -> tuple[Decimal, Decimal]:
    for first, last, higher, lower in printed_pd(number=Decimal):
        if first <= difference <= last:
            return higher, lower
    return Decimal(1), Decimal(0)


def first_rating(results: list[tuple[Decimal, Decimal]]) -> Decimal:
    average = half_up(sum(opponent for opponent, _ in results) / 5, "0.01")
    score = sum(points for _, points in results)
    if score >= Decimal("2.5"):
        return average + 20 * (score - Decimal("2.5")) * 2
    return average + printed_dp(Decimal)[score / 5]


def play(category: Category, white: Player, black: Player, score: Decimal) -> None:
    one, other = white.rating, black.rating
    for player, own, opponent, points in ((white, one, other, score), (black, other, one, 1 - score)):
        if own is not None and opponent is not None:
            higher, lower = probabilities(half_up(abs(own - opponent)))
            k = 40 if player.was_unrated and player.games < 30 else K[category]
            player.rating = own + k * (points - (higher if own >= opponent else lower))
            player.games += 1
            if player.rating < 100:
                player.rating, player.was_unrated, player.games = None, False, 0
        elif own is None and opponent is not None and (points or player.results):
            player.results.append((opponent, points))
            if len(player.results) == 5:
                rating, player.results = first_rating(player.results), []
                if rating >= 100:
                    player.rating, player.was_unrated, player.games = rating, True, 5


@pytest.mark.parametrize("category", list(Category))
@pytest.mark.parametrize("strongest", [180, 700, 2500])
def test_a_naive_reading_in_decimals_gives_the_same_ratings(category, strongest):
    dice = random.Random(strongest)
    naive, lines = [], []
    for number in range(12):
        rating = dice.randrange(100, strongest) if number % 3 else None
        naive.append(Player(None if rating is None else Decimal(rating)))
        lines.append(UNRATED if rating is None else open_rating(UNRATED, rating * 100))
    seen = set()
    for _ in range(1500):
        white, black = dice.sample(range(12), 2)
        half_points = dice.choice((0, 1, 2))
        play(category, naive[white], naive[black], Decimal(half_points) / 2)
        lines[white], lines[black] = rate_game(category, lines[white], lines[black], half_points)
        for number in (white, black):
            rating = lines[number].rating
            assert (rating if rating is None else from_hundredths(rating)) == naive[number].rating
            seen.add(int(lines[number].reason))
    # Both stages, rated games and 3.8 occur in every history; with weak players the floor as well.
    assert seen >= {5, 6, 9, 10}
    assert strongest > 180 or seen >= {11, 12}
