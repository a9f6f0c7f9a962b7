"""Replays of the inputs under a variant, step by step, and the lines that the ledger should have."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import numpy as np

from ratings.formats.variants import TODAY, Variant
from ratings.lab.arrays import Array, Data
from ratings.lab.engine import LINE, PEAK, RATING, UNRATED, Rules, play
from ratings.lab.variants import expected_scores
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.rbb.editions import Edition, Editions
from ratings.rules.tables import DP
from ratings.rules.time_controls import Category

_GAMES_AT_ONCE: Final = 100_000


def rules_of(edition: Edition, variant: Variant = TODAY) -> Rules:
    """Return the numbers of an edition, with what else a variant changes, as the compiled loop takes them."""
    k_rules = [
        (
            category if rule.categories != tuple(Category) else 0,
            rule.new, *rule.games, *rule.ratings, *rule.ages, rule.k,
        )
        for rule in edition.k_rules
        for category in (rule.categories if rule.categories != tuple(Category) else (0,))
    ]  # fmt: skip
    return Rules(
        k=np.array([edition.k[category] for category in Category], np.int64),
        k_new=edition.k_new,
        new_games=edition.new_games,
        k_rules=np.array(k_rules, np.int64).reshape(-1, 9),
        floor=int(variant.floor),
        first_games=variant.first_games,
        bonus=int(edition.bonus),
        dp=np.array(DP, np.int64),
        start=variant.start,
        expected=np.array(expected_scores(variant.formula, edition.cap), np.int32),
        advantage=variant.advantage,
    )


def parts_of(data: Data, variant: Variant) -> list[tuple[int, Rules]]:
    """Return the rules under a variant, each with the number of the first game that they rate.

    A variant is one more amendment among those in force: the same answer as if it were put into force.
    """
    editions = Editions([*data.amendments, variant.amendment])
    parts = []
    for since, edition in zip([None, *editions.since], editions.all, strict=True):
        applies = variant.since is None or (since is not None and since >= variant.since)
        first = 0 if since is None else data.first_game_from(since)
        parts.append((first, rules_of(edition, variant if applies else TODAY)))
    return parts


class Replay:
    """The standings of everybody under a variant, as of the games taken so far."""

    def __init__(self, data: Data, variant: Variant = TODAY) -> None:
        rows = len(Category) * len(data.members)
        self.data = data
        self.variant = variant
        self.state = np.zeros((rows, 4), np.int32)
        self.state[:, [RATING, PEAK]] = UNRATED
        self.first = np.zeros((rows, 2), np.int32)
        self.taken = 0
        self._extra = 0
        self._rules = parts_of(data, variant)

    def advance(self, until: int, before: Array | None = None, lines: Array | None = None) -> None:
        """Take the games up to this number. ``before``, ``lines``: see :func:`ratings.lab.engine.play`."""
        data = self.data
        begun, extra = self.taken, self._extra
        for year, stop in self._parts(until):
            self._extra = play(
                self._rules_at(self.taken), self.state, self.first, data.born, year,
                data.white, data.black, data.points, self.taken, stop, data.extras, self._extra,
                None if before is None else before[self.taken - begun :],
                None if lines is None else lines[2 * (self.taken - begun) + self._extra - extra :],
            )  # fmt: skip
            self.taken = stop

    def _rules_at(self, game: int) -> Rules:
        return next(rules for first, rules in reversed(self._rules) if first <= game)

    def _parts(self, until: int) -> Iterator[tuple[int, int]]:
        """Yield the year, where a rule asks for an age, and the end of each part under the same rules."""
        stops = {until, *(first for first, _rules in self._rules if self.taken < first < until)}
        first = self.data.moment_of(self.taken).year if until > self.taken else 0
        if self.variant.asks_for_age and until > self.taken:
            years = range(first + 1, self.data.moment_of(until - 1).year + 1)
            stops |= {self.data.first_game_from(datetime(year, 1, 1, tzinfo=UTC)) for year in years}
        begin = self.taken
        for stop in sorted(stops):
            yield (self.data.moment_of(begin).year if self.variant.asks_for_age and stop > begin else 0), stop
            begin = stop

    def ratings(self, category: Category) -> Array:
        """Return the ratings of all members in a category, in hundredths; -1 for unrated."""
        size = len(self.data.members)
        return self.state[(category - 1) * size : category * size, RATING]


def lines(data: Data) -> Iterator[tuple[Array, Array, Array]]:
    """Yield the lines of the ledger in order, in pieces: keys, members, and the columns of ``LINE``."""
    replay = Replay(data)
    opening = 0
    begins = range(0, max(data.games, 1), _GAMES_AT_ONCE)
    for begin in begins:
        end = min(begin + _GAMES_AT_ONCE, data.games)
        last = int(np.searchsorted(data.extras[:, 0], end)) if end < data.games else len(data.extras)
        number = 2 * (end - begin) + last - opening
        found = np.empty((max(number, 1), len(LINE)), np.int32)
        replay.advance(end, lines=found)
        keys, rows = np.empty(number, np.int64), np.empty(number, np.int64)
        games, others = np.arange(begin, end), np.arange(opening, last)
        extras = data.extras[opening:last]
        # Before a game come its own other events, and all those before.
        at = 2 * (games - begin) + np.searchsorted(extras[:, 0], games, side="right")
        white = (data.tie_rank[begin:end].astype(np.int64) << 35) + 2 * data.ids[begin:end]
        keys[at] = white + change_id(EventType.GAME, 0)
        keys[at + 1] = keys[at] + 1
        rows[at], rows[at + 1] = data.white[begin:end], data.black[begin:end]
        at = 2 * (extras[:, 0] - begin) + others - opening
        keys[at] = (extras[:, 2] << 50) + 2 * data.extra_ids[opening:last]
        rows[at] = extras[:, 1]
        yield keys, rows, found[:number]
        opening = last
