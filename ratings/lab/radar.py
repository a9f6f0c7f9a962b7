"""The radar: results that honest play with the same pairings hardly ever gives.

Each test asks how probable a score is, or a more extreme one, if all players are as strong as their other
games say (:mod:`ratings.lab.strengths`). Which games a test is about never depends on their results, except
for falls, where every game counts as one test. docs/lab.md, “The radar”, explains each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb, exp, lgamma
from typing import Final

import numpy as np
from numba import njit

from ratings.lab.arrays import Array, Data
from ratings.lab.engine import LINE, NONE
from ratings.lab.models import Finding
from ratings.lab.replaying import lines
from ratings.lab.strengths import FORM, chance, fit
from ratings.rbb.models.fields import EventType, keys_of_kind
from ratings.rules.rbb.editions import K_PREVIOUSLY_UNRATED

FALSE: Final = 0.01
"""Part of the findings of a kind that may be chance (Benjamini–Hochberg)."""

LEAST_POINTS: Final = 50
"""Minimum number of rating points gained, or lost in a fall."""

_PAIR_GAMES: Final = 10
_NEWCOMER_GAMES: Final = 12
_NEWCOMERS: Final = 3
_DEVOTED_GAMES: Final = 5
_DEVOTED_PART: Final = 0.05
_DEVOTED: Final = 2
_CARRIED: Final = 100
_FALL: Final = 80
_FEWEST: Final = 8
_MOST: Final = 150
_PER_GAME: Final = 0.25
_UNDER: Final = 200
_GONE: Final = 5
_GONE_PRIOR: Final = 10.0
_KINDS: Final = 5
_MOST_GAMES: Final = 400

Kind = Finding.Kind


@dataclass(slots=True)
class Found:
    """Games that are unusual together. ``rows``: standings, who gains first. ``p``: see the module."""

    kind: Kind
    rows: list[int]
    games: Array
    p: float
    figures: dict[str, float]
    false: float = 1.0
    chance: float = 1.0


@dataclass(slots=True)
class Search:
    """The findings, strongest first; the number of tests; the findings among results of honest dice."""

    found: list[Found]
    tests: int
    honest: int | None = None


def search(
    data: Data,
    limits: Sequence[int] = (),
    gone: Array | None = None,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> Search:
    """Search all games, then the same pairings with results of honest dice.

    ``limits``: ratings of classes. ``gone``: for each game 1 if White lost by disconnection, 2 if Black did.
    """
    arena = _Arena(data, limits, gone)
    found = arena.search(lambda done: tell(done, 2 * _KINDS))
    # The same results for the same games, as often as they are searched.
    dice = np.random.default_rng(1).random(data.games)
    won = arena.fitted.white_scores()
    drawn = 4 * arena.fitted.draws * won * (1 - won)
    points = np.where(dice < won - drawn / 2, 2, np.where(dice < won + drawn / 2, 1, 0)).astype(np.uint8)
    honest = _Arena(replace(data, points=points), limits, None)
    found.honest = len(honest.search(lambda done: tell(_KINDS + done, 2 * _KINDS)).found)
    return found


class _Arena:
    """All games, entry by entry: 2n is White's part in game n, 2n + 1 Black's."""

    def __init__(self, data: Data, limits: Sequence[int], gone: Array | None) -> None:
        self.data, self.limits, self.gone = data, limits, gone
        self.rows = np.stack([data.white, data.black], axis=1).ravel().astype(np.int64)
        score = data.points / 2
        self.score = np.stack([score, 1 - score], axis=1).ravel()
        before, self.change, k = _ledger(data)
        self.before = before
        self.new = k == K_PREVIOUSLY_UNRATED
        self.fitted = fit(self.rows, self.score, before)
        self.out = np.zeros(data.games, np.int8)
        self.pairs = _Pairs(self.rows, self.change)
        self._lag()

    def _lag(self) -> None:
        """Find how newcomers' ratings differ from their strengths: a line, and what is left about it."""
        at = np.flatnonzero(self.new)
        self.line, self.scatter = np.zeros(2), 200.0
        if len(at) >= 100:
            ahead = self.fitted.value[self.fitted.step[at]] - self.before[at]
            self.line = np.polyfit(self.before[at], ahead, 1)
            low, high = np.percentile(ahead - np.polyval(self.line, self.before[at]), [16, 84])
            self.scatter = max(float(high - low) / 2, 100.0)

    def search(self, tell: Callable[[int], object]) -> Search:
        """Return what all tests find, each game with the strongest finding that has it."""
        found, tests = [], 0
        kinds = (self._pairs, self._newcomers, self._circles, self._falls, self._disconnections)
        for done, kind in enumerate(kinds, 1):
            number, some = kind()
            tell(done)
            found += _beyond_chance(some, number)
            tests += number
        kept: list[Found] = []
        self.out[:] = 0
        for one in sorted(found, key=lambda one: (one.p, one.rows)):
            # What is told already isn't told again.
            if self.out[one.games].mean() < 0.5:
                kept.append(one)
                self.out[one.games] = 1
        self.out[:] = 0
        return Search(kept, tests)

    def _test(self, kind: Kind, entries: Array, newcomers: bool = False) -> Found:
        """Return the finding that the score of these entries of one standing would be."""
        entries = entries[-_MOST_GAMES:]
        entries = entries[np.argsort(self.rows[entries ^ 1], kind="stable")]
        fitted, row, games = self.fitted, int(self.rows[entries[0]]), entries >> 1
        opponents, group = np.unique(self.rows[entries ^ 1], return_inverse=True)
        self.out[games] = 1
        value, variance = fitted.without(row, self.out)
        step = fitted.step[entries] - fitted.steps[row]
        ahead = value[step] + fitted.advantage * (1 - 2 * (entries & 1))
        own = float(np.sqrt(variance[step].mean() + FORM**2))
        spread = np.full(len(opponents), np.hypot(self.scatter, FORM))
        if newcomers:
            rating = self.before[entries ^ 1]
            ahead -= rating + np.polyval(self.line, rating)
        else:
            for number, other in enumerate(opponents):
                theirs, variances = fitted.without(int(other), self.out)
                at = np.flatnonzero(group == number)
                step = fitted.step[entries[at] ^ 1] - fitted.steps[other]
                ahead[at] -= theirs[step]
                spread[number] = np.sqrt(variances[step].mean() + FORM**2)
        self.out[games] = 0
        if len(opponents) == 1:
            spread, own = np.hypot(spread, own), 0.0
        score = self.score[entries].sum()
        p = chance(ahead, group, spread, own, fitted.draws, int(2 * score))
        figures = {
            "score": float(score),
            "expected": float((1 / (1 + 10 ** (-ahead / 400))).sum()),
            "points": float(self.change[entries].sum()),
            "other": float(value[-1]),
            "rating": self._last_rating(row),
        }
        return Found(kind, [row, *map(int, opponents)], np.sort(games), float(p), figures)

    def _last_rating(self, row: int) -> float:
        entry = self.fitted.order[self.fitted.begins[row + 1] - 1]
        return float(np.nan_to_num(self.before[entry]) + self.change[entry])

    def _pairs(self) -> tuple[int, list[Found]]:
        """Test the score of each pair with enough games, for both."""
        pairs, found = self.pairs, []
        asked = pairs.games >= _PAIR_GAMES
        for at in np.flatnonzero(asked & (pairs.points.max(axis=0) >= LEAST_POINTS)):
            gains = int(pairs.points[1, at] > pairs.points[0, at])
            one = self._test(Kind.PAIR, pairs.entries(int(at), gains))
            figures = one.figures
            if min(figures["points"], figures["rating"] - figures["other"]) >= _CARRIED:
                one.kind = Kind.CARRIED
            found.append(one)
        return 2 * int(asked.sum()), found

    def _newcomers(self) -> tuple[int, list[Found]]:
        """Test the score of each settled standing against all with K = 40 together."""
        size = len(self.fitted.games)
        entries = np.arange(len(self.rows))
        entries = entries[self.new[entries ^ 1] & ~self.new & ~np.isnan(self.before)]
        rows = self.rows[entries]
        different = np.unique(rows * size + self.rows[entries ^ 1]) // size
        asked = np.bincount(rows, minlength=size) >= _NEWCOMER_GAMES
        asked &= np.bincount(different, minlength=size) >= _NEWCOMERS
        points = np.bincount(rows, self.change[entries], minlength=size)
        chosen = asked & (points >= LEAST_POINTS)
        some = entries[chosen[rows]]
        some = some[np.argsort(self.rows[some], kind="stable")]
        parts = np.split(some, np.flatnonzero(np.diff(self.rows[some])) + 1) if len(some) else []
        return int(asked.sum()), [self._test(Kind.NEWCOMERS, part, newcomers=True) for part in parts]

    def _circles(self) -> tuple[int, list[Found]]:
        """Test the score of each standing against all who play it in a fifth of their games, together."""
        pairs, games = self.pairs, self.fitted.games
        hubs: dict[int, list[tuple[int, int]]] = {}
        for side in (0, 1):
            enough = (pairs.games >= _DEVOTED_GAMES) & (
                pairs.games >= _DEVOTED_PART * games[pairs.rows[1 - side]]
            )
            for at in np.flatnonzero(enough):
                hubs.setdefault(int(pairs.rows[side, at]), []).append((int(at), side))
        tests, found = 0, []
        for parts in hubs.values():
            if len(parts) >= _DEVOTED:
                tests += 1
                if sum(pairs.points[side, at] for at, side in parts) >= LEAST_POINTS:
                    entries = np.sort(np.concatenate([pairs.entries(*part) for part in parts]))
                    found.append(self._test(Kind.CIRCLE, entries))
        return tests, found

    def _falls(self) -> tuple[int, list[Found]]:
        """Test the score of each fall under the limit of a class, after which half is won back."""
        fitted = self.fitted
        path, change = self.before[fitted.order], self.change[fitted.order]
        found, tests = [], int((~np.isnan(path)).sum() * _PER_GAME) if self.limits else 0
        limits = np.array(sorted(self.limits), np.float64)
        for row, begin, end, back in _fallen(path, change, fitted.begins, limits):
            entries = fitted.order[begin:end]
            self.out[entries >> 1] = 1
            value, variance = fitted.without(row, self.out)
            self.out[entries >> 1] = 0
            step = fitted.step[entries] - fitted.steps[row]
            theirs = fitted.value[fitted.step[entries ^ 1]]
            ahead = theirs - value[step] - fitted.advantage * (1 - 2 * (entries & 1))
            own = float(np.sqrt(variance[step].mean() + FORM**2))
            nothing = np.zeros(len(entries), np.int64)
            lost = len(entries) - self.score[entries].sum()
            p = chance(ahead, nothing, np.zeros(1), own, fitted.draws, int(2 * lost))
            after = fitted.order[end:back]
            figures = {
                "score": float(len(entries) - lost),
                "expected": float(len(entries) - (1 / (1 + 10 ** (-ahead / 400))).sum()),
                "points": float(path[end] - path[begin]),
                "limit": float(limits[np.searchsorted(limits, path[end], side="right")]),
                "from": float(path[begin]),
                "to": float(path[end]),
                "after_games": len(after),
                "after_points": float(change[end:back].sum()),
            }
            found.append(Found(Kind.LIMIT, [row], np.sort(entries >> 1), float(p), figures))
        return tests, found

    def _disconnections(self) -> tuple[int, list[Found]]:
        """Test how many of the opponents who lost to a standing did so by disconnection."""
        if self.gone is None or not self.gone.any():
            return 0, []
        won = np.flatnonzero(self.score == 1)
        won = won[np.argsort(self.rows[won], kind="stable")]
        left = self.gone[won >> 1] == np.where(won & 1, 1, 2)
        winner, loser = self.rows[won], self.rows[won ^ 1]
        size = len(self.fitted.games)
        usual = left.mean()
        lost, lost_by = np.bincount(loser, minlength=size), np.bincount(loser[left], minlength=size)
        found = []
        for row in np.flatnonzero(np.bincount(winner[left], minlength=size) >= _GONE):
            mine = slice(*np.searchsorted(winner, [row, row + 1]))
            odds, expected = np.ones(1), 0.0
            for other in np.unique(loser[mine]):
                here = loser[mine] == other
                number = int(here.sum())
                # Among their other losses, and as many more at the usual rate.
                by = float(lost_by[other] - left[mine][here].sum() + _GONE_PRIOR * usual)
                rest = float(lost[other] - number + _GONE_PRIOR - by)
                odds = np.convolve(odds, _beta_binomial(number, by, rest))
                expected += number * by / (by + rest)
            entries = won[mine][left[mine]]
            figures = {
                "score": len(entries),
                "expected": float(expected),
                "points": float(self.change[entries].sum()),
                "won": int(mine.stop - mine.start),
            }
            rows = [int(row), *map(int, np.unique(self.rows[entries ^ 1]))]
            p = float(odds[len(entries) :].sum())
            found.append(Found(Kind.GONE, rows, np.sort(entries >> 1), p, figures))
        return int((np.bincount(winner, minlength=size) >= _GONE).sum()), found


class _Pairs:
    """All pairs of standings that met: ``rows`` and ``points`` gained of both, and the number of games."""

    def __init__(self, rows: Array, change: Array) -> None:
        white, black = rows[0::2], rows[1::2]
        size = int(rows.max(initial=0)) + 1
        keys = np.minimum(white, black) * size + np.maximum(white, black)
        order = np.argsort(keys, kind="stable")
        self._begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
        self.games = np.diff(self._begins, append=len(order))
        self.rows = np.stack(np.divmod(keys[order[self._begins]], size))
        # The entry of the lower row in each game.
        self._entries = (2 * np.arange(len(white)) + (white > black))[order]
        both = (change[self._entries], change[self._entries ^ 1])
        self.points = np.stack([np.add.reduceat(one, self._begins) if len(one) else one for one in both])

    def entries(self, at: int, side: int) -> Array:
        """Return the entries of one side of a pair, in order of time."""
        begin = self._begins[at]
        return self._entries[begin : begin + self.games[at]] ^ side


def _ledger(data: Data) -> tuple[Array, Array, Array]:
    """Return rating before, in points or NaN, change in points, and K or 0 of each entry."""
    columns = [LINE.index(name) for name in ("before", "change", "k")]
    pieces = [
        piece[keys >= keys_of_kind(EventType.GAME).start][:, columns] for keys, _rows, piece in lines(data)
    ]
    before, change, k = np.concatenate(pieces).T
    return (
        np.where(before == NONE, np.nan, before / 100),
        np.where(change == NONE, 0.0, change / 100),
        k,
    )


def _beyond_chance(found: list[Found], tests: int) -> list[Found]:
    """Return those of which at most ``FALSE`` are chance (Benjamini–Hochberg)."""
    least = 1.0
    for rank, one in sorted(
        enumerate(sorted(found, key=lambda one: one.p), 1), reverse=True, key=lambda pair: pair[0]
    ):
        one.chance = min(one.p * tests, 1.0)
        one.false = least = min(least, one.p * tests / rank)
    return [one for one in found if one.false <= FALSE]


def _beta_binomial(number: int, yes: float, no: float) -> Array:
    """Return how probable 0, 1, … of a number are, if it is known of yes + no others how many were."""

    def beta(one: float, two: float) -> float:
        return lgamma(one) + lgamma(two) - lgamma(one + two)

    return np.array(
        [comb(number, k) * exp(beta(k + yes, number - k + no) - beta(yes, no)) for k in range(number + 1)]
    )


@njit(nogil=True)
def _fallen(path, change, begins, limits):  # type: ignore[no-untyped-def]  # compiled
    """Return falls under a limit: standing, and the places of begin, end, and when half is won back."""
    found = [(0, 0, 0, 0) for _ in range(0)]
    for row in range(len(begins) - 1):
        top = low = -1
        for k in range(begins[row], begins[row + 1]):
            if np.isnan(path[k]):
                top = low = -1
                continue
            fall = path[top] - path[low] if top >= 0 else 0.0
            if top < 0 or (path[k] >= path[top] and fall < _FALL):
                top = low = k
            elif path[k] < path[low]:
                low = k
            elif fall >= _FALL and path[k] + change[k] - path[low] >= fall / 2:
                # From where it is steepest: points for the square root of the games.
                begin, steepest = top, 0.0
                for start in range(max(top, low - _MOST), low - _FEWEST + 1):
                    steep = (path[start] - path[low]) / np.sqrt(low - start)
                    if path[start] - path[low] >= _FALL and steep > steepest:
                        begin, steepest = start, steep
                for limit in limits:
                    if steepest and path[low] < limit <= path[begin] and limit - path[low] <= _UNDER:
                        found.append((row, begin, low, k + 1))
                        break
                top = low = k
    return found
