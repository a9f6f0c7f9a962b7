"""Variants beside today's rules: predictions, drift, spread, moves and lists, as plain figures to keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event
from typing import Any, Final

import numpy as np

from foa.moments import month_of
from ratings.formats.variants import TODAY, Variant
from ratings.lab import measures
from ratings.lab.arrays import Array, Data
from ratings.lab.engine import Rules
from ratings.lab.hindsight import behind
from ratings.lab.presenting import LEAST
from ratings.lab.replaying import Replay, parts_of
from ratings.lab.yardsticks import expected_scores
from ratings.rules.time_controls import Category

ACTIVE: Final = timedelta(days=365)
"""Time within which an active member has played."""

LISTED: Final = 20
"""Places of the lists side by side, and members who move most."""

_MONTHS: Final = 60
_TESTED: Final = 0.25
"""Part of the games, the last ones, that are predicted if nobody says from when."""


@dataclass(slots=True)
class Question:
    """The games that all variants are asked about; ``cut``: the first predicted one; months, active rows."""

    data: Data
    cut: int
    months: list[tuple[str, int, Array]]

    @classmethod
    def of(cls, data: Data, cut: datetime | None) -> Question:
        """Ask about the games from this moment on; None: the last quarter."""
        first = int(data.games * (1 - _TESTED)) if cut is None else data.first_game_from(cut)
        return cls(data, first, list(_months(data)))


def _months(data: Data) -> Iterable[tuple[str, int, Array]]:
    """Yield the last months up to the last game: name, first game after it, and who is active by row."""
    if not data.games:
        return
    end = data.moment_of(data.games - 1) + timedelta(seconds=1)
    month, moments = month_of(end), [end]
    while len(moments) <= _MONTHS and month > data.moment_of(0):
        moments.append(month)
        month = month_of(month - timedelta(days=1))
    rows = len(Category) * len(data.members)
    for moment in reversed(moments):
        begin, stop = data.first_game_from(moment - ACTIVE), data.first_game_from(moment)
        active = np.zeros(rows, bool)
        active[data.white[begin:stop]] = active[data.black[begin:stop]] = True
        yield moment.date().isoformat(), stop, active


@dataclass(slots=True)
class Outcome:
    """The replay of a variant: White's expected scores of predicted games (NaN: unrated), drift, ratings."""

    variant: Variant
    expected: Array
    drift: dict[str, list[Any]]
    ratings: dict[Category, Array]


def outcome(question: Question, variant: Variant) -> Outcome:
    """Replay all games under a variant."""
    data, replay = question.data, Replay(question.data, variant)
    before = np.empty((data.games - question.cut, 2), np.int32)
    drift: dict[str, list[Any]] = {category.slug: [] for category in Category}
    for name, stop, active in question.months:
        if replay.taken < question.cut <= stop:
            replay.advance(question.cut)
        replay.advance(stop, before[replay.taken - question.cut :] if replay.taken >= question.cut else None)
        for category in Category:
            rows = slice((category - 1) * len(data.members), category * len(data.members))
            ratings = replay.ratings(category)[active[rows]]
            figures = measures.spread(ratings[ratings >= 0])
            drift[category.slug].append(
                [name, figures["members"], figures.get("mean"), figures.get("median")]
            )
    replay.advance(data.games)
    ratings = {category: replay.ratings(category).copy() for category in Category}
    return Outcome(variant, _expected(question, variant, before), drift, ratings)


def _expected(question: Question, variant: Variant, before: Array) -> Array:
    """Return White's expected scores from the ratings before the games."""
    parts = parts_of(question.data, variant)
    ends = [first for first, _rules in parts[1:]] + [question.data.games]
    found = []
    for (first, rules), end in zip(parts, ends, strict=True):
        of_part = slice(max(first - question.cut, 0), max(end - question.cut, 0))
        found.append(expected_of(before[of_part], rules))
    return np.concatenate(found)


def expected_of(ratings: Array, rules: Rules) -> Array:
    """Return White's expected scores from both ratings in hundredths; NaN where one is unrated."""
    table = np.array(rules.expected, np.float32) / 10_000
    ahead = ratings[:, 0] - ratings[:, 1] + 100 * rules.advantage
    higher = table[np.minimum((np.abs(ahead) + 50) // 100, len(table) - 1)]
    return np.where((ratings < 0).any(axis=1), np.nan, np.where(ahead < 0, 1 - higher, higher))


def compare(
    data: Data,
    variants: Sequence[Variant],
    cut: datetime | None = None,
    tell: Callable[[int, int], object] = lambda done, total: None,
    scheduler: str = "",
) -> dict[str, Any]:
    """Return the figures of today's rules and of these variants, ready to be kept.

    Variants don't depend on each other, so they are replayed side by side: as many as there are processors,
    or by the workers of the dask scheduler at this address. Raises SchedulerFailed.
    """
    question = Question.of(data, cut)
    total = len(variants) + 1
    today = outcome(question, TODAY)
    report = Report(question, today)
    tell(1, total)
    rows = [report.of(today)]
    if scheduler:
        from ratings.lab.workers import at_scheduler

        working_at = at_scheduler(scheduler, report)
    else:
        working_at = _here(report, len(variants))
    with working_at as submit:
        for one in [submit(variant) for variant in variants]:
            while not one.done():
                tell(len(rows), total)
                wait([one], timeout=1)
            rows.append(one.result())
        tell(total, total)
    found = [row.pop("behind") for row in rows if "behind" in row]
    return ({"behind": found[0]} if found else {}) | {
        "games": data.games,
        "members": len(data.members),
        "from": data.moment_of(0).date().isoformat() if data.games else None,
        "until": data.moment_of(data.games - 1).date().isoformat() if data.games else None,
        "cut": data.moment_of(question.cut).date().isoformat() if question.cut < data.games else None,
        "predicted": data.games - question.cut,
        "rows": rows,
        **({"editions": data.editions} if data.editions else {}),
    }


@contextmanager
def _here(report: Report, number: int) -> Iterator[Callable[[Variant], Future[dict[str, Any]]]]:
    """Replay variants by threads, which end when the block does."""
    stopped = Event()

    def check() -> None:
        if stopped.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(min(number, os.cpu_count() or 1) or 1) as pool:
        try:
            yield lambda variant: pool.submit(report.of_variant, variant, check)
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)


class Report:
    """Figures of variants beside today's."""

    def __init__(self, question: Question, today: Outcome) -> None:
        data = question.data
        self.question = question
        self.today = today
        self.scored = data.points[question.cut :].astype(np.float32) / 2
        self.category = data.white[question.cut :] // np.uint32(max(len(data.members), 1)) + 1

    def of_variant(self, variant: Variant, tell: Callable[[], object]) -> dict[str, Any]:
        """Replay a variant, or ask a yardstick, and return its figures: of a yardstick only predictions."""
        if not variant.yardstick:
            return self.of(outcome(self.question, variant))
        scores = expected_scores(variant.yardstick, self.question.data, self.question.cut, tell)
        found = self._begin(Outcome(variant, scores, {}, {}))
        return found | {"behind": behind(self.question.data, tell)} if variant.yardstick == "whr" else found

    def of(self, one: Outcome) -> dict[str, Any]:
        """Return the figures of one variant."""
        return self._begin(one) | {
            "drift": one.drift,
            "spread": {category.slug: self._spread(one, category) for category in Category},
            "moves": {category.slug: self._moves(one, category) for category in Category},
            "list": {category.slug: self._list(one, category) for category in Category},
        }

    def _begin(self, one: Outcome) -> dict[str, Any]:
        return {
            "name": one.variant.name,
            "toml": one.variant.toml,
            "predictions": {
                "all": self._predictions(one, None),
                **{category.slug: self._predictions(one, category) for category in Category},
            },
        }

    def _predictions(self, one: Outcome, category: Category | None) -> dict[str, Any]:
        asked = ~np.isnan(one.expected)
        if category is not None:
            asked &= self.category == category
        found = measures.sums(one.expected[asked], self.scored[asked])
        told = {
            "games": found.games,
            "figures": measures.figures(found),
            "calibration": measures.calibration(found) if found.games >= LEAST else [],
        }
        if one is not self.today:
            both = asked & ~np.isnan(self.today.expected)
            of_both = [measures.sums(which.expected[both], self.scored[both]) for which in (one, self.today)]
            told["beside_today"] = measures.difference(*of_both)
        return told

    def _active(self, category: Category) -> Array:
        members = len(self.question.data.members)
        if not self.question.months:
            return np.zeros(members, bool)
        return self.question.months[-1][2][(category - 1) * members : category * members]

    def _spread(self, one: Outcome, category: Category) -> dict[str, Any]:
        ratings = one.ratings[category][self._active(category)]
        return measures.spread(ratings[ratings >= 0])

    def _moves(self, one: Outcome, category: Category) -> dict[str, Any]:
        before, after = self.today.ratings[category], one.ratings[category]
        found = measures.moves(before, after)
        apart = np.where((before >= 0) & (after >= 0), after.astype(np.int64) - before, 0)
        order = np.argsort(apart, kind="stable")
        members = self.question.data.members

        def named(numbers: Array) -> list[list[int]]:
            return [[int(members[n]), int(before[n]), int(after[n])] for n in numbers if apart[n]]

        return found | {"down": named(order[:LISTED]), "up": named(order[::-1][:LISTED])}

    def _list(self, one: Outcome, category: Category) -> list[list[int]]:
        """Return the best active members: key, rating, and rating under today's rules (-1: unrated)."""
        ratings = np.where(self._active(category), one.ratings[category], -1)
        best = [n for n in np.argsort(-ratings, kind="stable")[:LISTED] if ratings[n] >= 0]
        members, today = self.question.data.members, self.today.ratings[category]
        return [[int(members[n]), int(ratings[n]), int(today[n])] for n in best]
