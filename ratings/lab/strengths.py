"""Strengths in hindsight, and what honest play of that strength would score. Compiled.

A standing (a member in a category) has one strength for each ``STEP`` of its games in a row. Each strength is
near the one before it, as in R. Coulom's Whole-History Rating (2008), and the first near the first rating.
Results follow the logistic formula, with White's advantage and the part of draws of these games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit

STEP: Final = 25
"""Games of a standing with the same strength."""

WALK: Final = 25.0
"""Standard deviation, in rating points, of the difference of two strengths that follow each other."""

FIRST: Final = 200.0
"""Standard deviation of the first strength about the first rating."""

FORM: Final = 30.0
"""Standard deviation of the form in a few games about the strength."""

_ROUNDS: Final = 10
_SCALE: Final = float(np.log(10) / 400)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(slots=True)
class Strengths:
    """The strengths that explain all results best.

    Entry 2n is White's part in game n, entry 2n + 1 Black's. ``order``: entries by standing, then by time.
    ``begins``: the first of each standing in it. ``step``: the strength that an entry has. ``steps``: the
    first strength of each standing. ``score``: of each entry, 0 to 1. ``prior``: first rating of each
    standing. ``advantage`` of White in points; ``draws``: probability of a draw between equals.
    """

    order: Any
    begins: Any
    step: Any
    steps: Any
    score: Any
    prior: Any
    value: Any
    advantage: float = 0.0
    draws: float = 0.0

    @property
    def games(self) -> Any:
        """The number of games of each standing."""
        return np.diff(self.begins)

    def without(self, row: int, out: Any) -> tuple[Any, Any]:
        """Return the strengths of a standing without some games, and their variances.

        ``out``: 1 for each game that is left out.
        """
        return _without(
            row, out, self.order, self.begins, self.step, self.steps, self.score, self.prior, self.value,
            self.advantage, self.draws,
        )  # fmt: skip

    def white_scores(self) -> Any:
        """Return White's expected score in each game."""
        ahead = self.value[self.step[0::2]] - self.value[self.step[1::2]] + self.advantage
        return 1 / (1 + np.exp(-_SCALE * ahead))


def fit(rows: Any, score: Any, before: Any) -> Strengths:
    """Return the strengths. ``rows``: standing of each entry. ``before``: its rating in points, or NaN."""
    number = int(rows.max()) + 1 if len(rows) else 0
    order = np.argsort(rows, kind="stable")
    games = np.bincount(rows, minlength=number)
    begins = np.concatenate([[0], np.cumsum(games)])
    steps = np.concatenate([[0], np.cumsum(-(-games // STEP))])
    step = np.empty(len(rows), np.int64)
    place = np.arange(len(rows)) - begins[rows[order]]
    step[order] = steps[rows[order]] + place // STEP
    known = ~np.isnan(before)
    middle = float(before[known].mean()) if known.any() else 1500.0
    prior = np.full(number, middle)
    # Assigned from the last entry to the first, so that the first rating stays.
    rated = order[known[order]][::-1]
    prior[rows[rated]] = before[rated]
    value = np.repeat(prior, np.diff(steps))
    found = Strengths(order, begins, step, steps, score, prior, value)
    for rounds in (_ROUNDS // 2, _ROUNDS - _ROUNDS // 2):
        expected = found.white_scores()
        spread = float((expected * (1 - expected)).sum())
        if spread:
            drawn = float((score[0::2] == 0.5).sum())
            # More than half can't be had by the favourite's expected score alone.
            found.draws = min(drawn / (4 * spread), 0.5)
            found.advantage += float((score[0::2] - expected).sum()) / (spread * _SCALE)
        for _round in range(rounds):
            _improve(order, begins, step, steps, score, prior, value, found.advantage, found.draws)
    return found


@njit(nogil=True)
def _slope(k, order, step, score, value, own, advantage, draws):  # type: ignore[no-untyped-def]  # compiled
    """Return what one game says of a strength: the slope of its likelihood, and the bend."""
    entry = order[k]
    ahead = own - value[step[entry ^ 1]] + (advantage if entry & 1 == 0 else -advantage)
    expected = 1 / (1 + np.exp(-_SCALE * ahead))
    # Draws make results less scattered than wins and losses alone.
    weight = 1 / (1 - draws)
    return (
        weight * _SCALE * (score[entry] - expected),
        weight * _SCALE * _SCALE * expected * (1 - expected),
    )


@njit(nogil=True)
def _improve(order, begins, step, steps, score, prior, value, advantage, draws):  # type: ignore[no-untyped-def]  # compiled
    """Move each strength to where its games and neighbours have it."""
    near = 1 / (WALK * WALK)
    for row in range(len(prior)):
        for at in range(steps[row], steps[row + 1]):
            first = begins[row] + (at - steps[row]) * STEP
            slope, bend = 0.0, 0.0
            for k in range(first, min(first + STEP, begins[row + 1])):
                one, two = _slope(k, order, step, score, value, value[at], advantage, draws)
                slope += one
                bend += two
            if at == steps[row]:
                slope += (prior[row] - value[at]) / (FIRST * FIRST)
                bend += 1 / (FIRST * FIRST)
            else:
                slope += near * (value[at - 1] - value[at])
                bend += near
            if at + 1 < steps[row + 1]:
                slope += near * (value[at + 1] - value[at])
                bend += near
            value[at] += min(max(slope / bend, -200.0), 200.0)


@njit(nogil=True)
def _without(row, out, order, begins, step, steps, score, prior, value, advantage, draws):  # type: ignore[no-untyped-def]  # compiled
    number = steps[row + 1] - steps[row]
    near = 1 / (WALK * WALK)
    own = value[steps[row] : steps[row + 1]].copy()
    slope, bend = np.empty(number), np.empty(number)
    down, up = np.empty(number), np.empty(number)
    for _round in range(8):
        slope[:] = 0
        bend[:] = 0
        for k in range(begins[row], begins[row + 1]):
            if out[order[k] >> 1] == 0:
                at = (k - begins[row]) // STEP
                one, two = _slope(k, order, step, score, value, own[at], advantage, draws)
                slope[at] += one
                bend[at] += two
        slope[0] += (prior[row] - own[0]) / (FIRST * FIRST)
        bend[0] += 1 / (FIRST * FIRST)
        for at in range(number - 1):
            slope[at] += near * (own[at + 1] - own[at])
            slope[at + 1] += near * (own[at] - own[at + 1])
            bend[at] += near
            bend[at + 1] += near
        # Newton's step: the bends are a matrix of three diagonals.
        for at in range(number):
            down[at] = bend[at] - (near * near / down[at - 1] if at else 0.0)
            if at:
                slope[at] += near * slope[at - 1] / down[at - 1]
        for at in range(number - 1, -1, -1):
            slope[at] = (slope[at] + (near * slope[at + 1] if at + 1 < number else 0.0)) / down[at]
            up[at] = bend[at] - (near * near / up[at + 1] if at + 1 < number else 0.0)
            own[at] += min(max(slope[at], -200.0), 200.0)
    return own, 1 / (down + up - bend)


@njit(nogil=True)
def chance(ahead, group, spread, own_spread, draws, half_points):  # type: ignore[no-untyped-def]  # compiled
    """Return how probable a score is, or a higher one, if everybody plays as strongly as is known.

    ``ahead``: by how many points the player is ahead, game by game. ``group``: number of the opponent,
    ascending. ``spread``: how uncertain the strength of each opponent is, ``own_spread``: that of the player,
    as standard deviations. Exact for given strengths; these are taken at nine points each (Gauss–Hermite).
    """
    most = 2 * len(ahead)
    tail = 0.0
    for own in range(len(_NODES) if own_spread > 0 else 1):
        shift = _NODES[own] * own_spread if own_spread > 0 else 0.0
        total = np.zeros(most + 1)
        total[0] = 1
        length = 1
        begin = 0
        while begin < len(ahead):
            end = begin
            while end < len(ahead) and group[end] == group[begin]:
                end += 1
            mixed = np.zeros(2 * (end - begin) + 1)
            one = np.zeros(len(mixed))
            for node in range(len(_NODES)):
                one[:] = 0
                one[0] = 1
                moved = shift + _NODES[node] * spread[group[begin]]
                for game in range(begin, end):
                    expected = 1 / (1 + np.exp(-_SCALE * (ahead[game] + moved)))
                    drawn = 4 * draws * expected * (1 - expected)
                    won, lost = expected - drawn / 2, 1 - expected - drawn / 2
                    for at in range(2 * (game - begin + 1), -1, -1):
                        one[at] = (
                            lost * one[at]
                            + (drawn * one[at - 1] if at > 0 else 0.0)
                            + (won * one[at - 2] if at > 1 else 0.0)
                        )
                mixed += _WEIGHTS[node] * one
            for at in range(length + len(mixed) - 2, -1, -1):
                summed = 0.0
                for other in range(max(0, at - length + 1), min(at, len(mixed) - 1) + 1):
                    summed += mixed[other] * total[at - other]
                total[at] = summed
            length += len(mixed) - 1
            begin = end
        tail += (_WEIGHTS[own] if own_spread > 0 else 1.0) * total[half_points:].sum()
    return min(tail, 1.0)
