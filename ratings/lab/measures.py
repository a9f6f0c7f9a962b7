"""Measures of predictions and of ratings, each with its interval. ``docs/lab.md`` explains them.

A prediction is White's expected score of a game, made before it. The games are cut into fifty blocks in order
of time. Blocks are drawn anew a thousand times, and the interval is as wide as the middle 95 % of what they
give: games of one day aren't independent, and blocks keep them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from ratings.lab.arrays import Array
from ratings.lab.presenting import LEAST

BLOCKS: Final = 50
LEAST_RATED: Final = 20
"""Minimum number of ratings for a measure of their spread."""

BINS: Final = 20
NAMES: Final = ("log_loss", "brier", "deviance", "accuracy", "calibration")

_DRAWS: Final = 1_000
_SEED: Final = 20_260_301
_NEVER: Final = 0.001
"""Log loss: expectations nearer to 0 or 1 count as this far away. Table 4.2 has 1.00 itself."""

_CAP: Final = 0.01
"""Deviance: the cap of the Deloitte/FIDE Chess Rating Challenge on Kaggle (2011)."""


@dataclass(slots=True)
class Sums:
    """Sums of the blocks: games, losses, Brier scores, deviances, decisive games, wins of favourites."""

    plain: Array
    bins: Array

    @property
    def games(self) -> int:
        """The number of predicted games."""
        return int(self.plain[:, 0].sum())


def sums(expected: Array, scored: Array) -> Sums:
    """Return the sums of predictions and results, in order of time; scores are 0, 0.5 and 1."""
    number = len(expected)
    block = np.arange(number) * BLOCKS // max(number, 1)
    sure, capped = np.clip(expected, _NEVER, 1 - _NEVER), np.clip(expected, _CAP, 1 - _CAP)
    decided = (scored != 0.5) & (expected != 0.5)
    columns = (
        np.ones(number),
        -(scored * np.log(sure) + (1 - scored) * np.log(1 - sure)),
        (expected - scored) ** 2,
        -(scored * np.log10(capped) + (1 - scored) * np.log10(1 - capped)),
        decided,
        decided & ((expected > 0.5) == (scored == 1)),
    )
    plain = np.stack([np.bincount(block, one, BLOCKS) for one in columns], axis=1)
    place = block * BINS + np.minimum((expected * BINS).astype(np.int64), BINS - 1)
    bins = [
        np.bincount(place, one, BLOCKS * BINS).reshape(BLOCKS, BINS) for one in (columns[0], expected, scored)
    ]
    return Sums(plain, np.stack(bins, axis=2))


@cache
def _weights() -> Array:
    dice = np.random.default_rng(_SEED)
    return dice.multinomial(BLOCKS, np.full(BLOCKS, 1 / BLOCKS), _DRAWS).astype(float)


def _measured(sums: Sums, weights: Array) -> dict[str, Array]:
    plain = weights @ sums.plain
    bins = np.tensordot(weights, sums.bins, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = plain[:, 1:4] / plain[:, :1]
        right = plain[:, 5] / plain[:, 4]
    off = np.abs(bins[..., 1] - bins[..., 2]).sum(axis=1) / plain[:, 0]
    return dict(zip(NAMES, (*means.T, right, off), strict=True))


def figures(sums: Sums) -> dict[str, list[float] | None]:
    """Return each measure with the ends of its interval; None for too few games."""
    if sums.games < LEAST:
        return dict.fromkeys(NAMES)
    here, drawn = _measured(sums, np.ones((1, BLOCKS))), _measured(sums, _weights())
    return {name: _with_interval(here[name][0], drawn[name]) for name in NAMES}


def difference(one: Sums, other: Sums) -> list[float] | None:
    """Return the log loss of one less that of the other, on the same games, with its interval."""
    if one.games < LEAST:
        return None
    apart = (one.plain - other.plain)[:, 1]
    drawn = (_weights() @ apart) / (_weights() @ one.plain[:, 0])
    return _with_interval(apart.sum() / one.games, drawn)


def _with_interval(value: float, drawn: Array) -> list[float] | None:
    if not np.isfinite(value):
        return None
    # Drawn blocks repeat themselves, so that some measures come out too high on average.
    low, high = np.nanpercentile(drawn, (2.5, 97.5)) - np.nanmean(drawn) + value
    if (drawn >= 0).all():
        low = max(low, 0)
    return [round(float(one), 5) for one in (value, low, high)]


def calibration(sums: Sums) -> list[list[float]]:
    """Return for each twentieth of expected scores: number of games, mean expectation, mean score."""
    number, expected, scored = sums.bins.sum(axis=0).T
    return [
        [int(n), round(e / n, 4), round(s / n, 4)]
        for n, e, s in zip(number, expected, scored, strict=True)
        if n >= 1
    ]


def spread(ratings: Array) -> dict[str, Any]:
    """Return number, mean, standard deviation and quantiles of ratings in hundredths; in points."""
    number = len(ratings)
    if number < LEAST_RATED:
        return {"members": number}
    low, median, high = np.percentile(ratings, (10, 50, 90))
    return {
        "members": number,
        "mean": round(float(ratings.mean()) / 100, 1),
        "deviation": round(float(ratings.std()) / 100, 1),
        "low": round(float(low) / 100, 1),
        "median": round(float(median) / 100, 1),
        "high": round(float(high) / 100, 1),
    }


MOVED: Final = (1, 10, 25, 50, 100)
"""Points by which members have moved at least."""

BARS: Final = 21
"""Bars of the picture of those who move by a point or more; the middle one is around 0."""


def moves(before: Array, after: Array) -> dict[str, Any]:
    """Return how ratings differ, both in hundredths and -1 for unrated, member by member."""
    both = (before >= 0) & (after >= 0)
    apart = after[both].astype(np.int64) - before[both]
    found: dict[str, Any] = {
        "both": int(both.sum()),
        "gained": int(((before < 0) & (after >= 0)).sum()),
        "lost": int(((before >= 0) & (after < 0)).sum()),
        "moved": [int((np.abs(apart) >= 100 * points).sum()) for points in MOVED],
    }
    if len(apart):
        width = max(1, -(-int(np.abs(apart).max()) * 2 // (100 * BARS)))
        # Those who stay would hide the others.
        moving = apart[np.abs(apart) >= 100]
        bars = np.clip((moving + 50 * width) // (100 * width) + BARS // 2, 0, BARS - 1)
        found |= {
            "mean": round(float(apart.mean()) / 100, 2),
            "mean_size": round(float(np.abs(apart).mean()) / 100, 2),
            "largest": [int(apart.min()), int(apart.max())],
            "width": width,
            "bars": np.bincount(bars, minlength=BARS).tolist(),
        }
    return found
