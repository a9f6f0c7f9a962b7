"""The rules beside a second, naive reading of RBB section 3 in Decimal, over long random histories.

It shares nothing with the rules but the regulations: tables from the printed text, no integers, no lines.
"""

import random
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

import pytest

from ratings.rules.rbb.editions import PRINTED, Amendment, KRule
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


@dataclass
class Numbers:
    """The numbers of the text that an office may change, as it reads them."""

    k: dict[Category, int] = field(default_factory=lambda: K)
    k_new: int = 40
    new_games: int = 30
    bonus: int = 20
    cap: int = 10_000
    above_2000: int | None = None

    def k_of(self, category: Category, player: Player) -> int:
        if player.was_unrated and player.games < self.new_games:
            return self.k_new
        if self.above_2000 is not None and category is Category.BLITZ and player.rating >= 2000:
            return self.above_2000
        return self.k[category]


def first_rating(results: list[tuple[Decimal, Decimal]], bonus: int) -> Decimal:
    average = half_up(sum(opponent for opponent, _ in results) / 5, "0.01")
    score = sum(points for _, points in results)
    if score >= Decimal("2.5"):
        return average + bonus * (score - Decimal("2.5")) * 2
    return average + printed_dp(Decimal)[score / 5]


def play(category: Category, white: Player, black: Player, score: Decimal, numbers: Numbers) -> None:
    one, other = white.rating, black.rating
    ks = {id(player): numbers.k_of(category, player) for player in (white, black) if player.rating}
    for player, own, opponent, points in ((white, one, other, score), (black, other, one, 1 - score)):
        if own is not None and opponent is not None:
            higher, lower = probabilities(min(half_up(abs(own - opponent)), numbers.cap))
            player.rating = own + ks[id(player)] * (points - (higher if own >= opponent else lower))
            player.games += 1
            if player.rating < 100:
                player.rating, player.was_unrated, player.games = None, False, 0
        elif own is None and opponent is not None and (points or player.results):
            player.results.append((opponent, points))
            if len(player.results) == 5:
                rating, player.results = first_rating(player.results, numbers.bonus), []
                if rating >= 100:
                    player.rating, player.was_unrated, player.games = rating, True, 5


@pytest.mark.parametrize("category", list(Category))
@pytest.mark.parametrize("strongest", [180, 700, 2500])
def test_a_naive_reading_in_decimals_gives_the_same_ratings(category, strongest):
    same_ratings(category, strongest, PRINTED, Numbers())


@pytest.mark.parametrize("category", list(Category))
def test_it_does_so_under_an_edition_with_other_numbers(category):
    edition = PRINTED.amended(Amendment(k=(25, None, 9), k_new=32, new_games=12, bonus=15_00)).amended(
        Amendment(
            k=(None, 16, None), k_rules=(KRule(12, (Category.BLITZ,), ratings=(2000_00, 9999_00)),), cap=400
        )
    )
    k = {Category.RAPID: 25, Category.BLITZ: 16, Category.BULLET: 9}
    same_ratings(category, 2500, edition, Numbers(k, 32, 12, 15, 400, 12))


def same_ratings(category, strongest, edition, numbers):
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
        play(category, naive[white], naive[black], Decimal(half_points) / 2, numbers)
        lines[white], lines[black] = rate_game(category, lines[white], lines[black], half_points, edition)
        for number in (white, black):
            rating = lines[number].rating
            assert (rating if rating is None else from_hundredths(rating)) == naive[number].rating
            seen.add(int(lines[number].reason))
    # Both stages, rated games and 3.8 occur in every history; with weak players the floor as well.
    assert seen >= {5, 6, 9, 10}
    assert strongest > 180 or seen >= {11, 12}
