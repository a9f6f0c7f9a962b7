"""Row 1: the RBB rules in memory, beside a textbook Elo loop in floats."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator

from ratings.rules.rbb.rating import UNRATED, LedgerLine, open_rating, rate_game
from ratings.rules.time_controls import Category
from tests.benchmarks.arena import pairings
from tests.benchmarks.rows import Row, at_least

GAMES = 400_000
MEMBERS = 2_000
ROUNDS = 5


def measure() -> Iterator[Row]:
    """Games a second: the best of five rounds in which the two take turns."""
    games = [(white, black, half_points) for white, black, half_points, _ in pairings(GAMES, MEMBERS)]
    own = limit = 0.0
    for _ in range(ROUNDS):
        own = max(own, _speed(rbb, games))
        limit = max(limit, _speed(textbook, games))
    yield Row(
        "rules in memory",
        f"{own / 1e6:.2f} M games/s",
        f"{limit / 1e6:.2f} M games/s, a textbook Elo loop in floats",
        (at_least(own / limit, 0.25),),
    )


def rbb(games: list[tuple[int, int, int]]) -> None:
    """The full rules, a ledger line for either player."""
    standings: list[LedgerLine] = [open_rating(UNRATED, 1500_00 + 10 * n) for n in range(MEMBERS)]
    ledger: list[LedgerLine] = []
    for white, black, half_points in games:
        one, other = rate_game(Category.BLITZ, standings[white], standings[black], half_points)
        standings[white] = one
        standings[black] = other
        ledger.append(one)
        ledger.append(other)
        if len(ledger) >= 10_000:
            ledger.clear()


def expected(own: float, opponent: float) -> float:
    """As every textbook has it."""
    return 1 / (1 + 10 ** ((opponent - own) / 400))


def updated(rating: float, score: float, expectation: float, k: float = 20) -> float:
    """As every textbook has it."""
    return rating + k * (score - expectation)


def textbook(games: list[tuple[int, int, int]]) -> None:
    """Nothing but the formula."""
    ratings = [1500.0 + n / 10 for n in range(MEMBERS)]
    for white, black, half_points in games:
        one, other, score = ratings[white], ratings[black], half_points / 2
        ratings[white] = updated(one, score, expected(one, other))
        ratings[black] = updated(other, 1 - score, expected(other, one))


def _speed(job: Callable[[list[tuple[int, int, int]]], None], games: list[tuple[int, int, int]]) -> float:
    gc.collect()
    gc.disable()
    try:
        begun = time.perf_counter()
        job(games)
        return len(games) / (time.perf_counter() - begun)
    finally:
        gc.enable()
