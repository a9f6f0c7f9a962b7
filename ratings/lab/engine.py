"""The RBB rules over flat arrays, compiled.

``ratings/rules/rbb/rating.py`` is the law. This is its twin for questions about millions of games: the same
steps in the same integers, with every number of the rules as a parameter. ``lab verify`` and a property test
hold it to the ledger, line by line.

Ratings are hundredths of a point, scores half points, and expected scores ten-thousandths, so that a formula
can have finer ones than the hundredths of table 4.2.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from ratings.rules.rbb.editions import ANY_AGE
from ratings.rules.rbb.rating import Reason

NONE: Final = -(2**31)
"""An empty field of a line."""

UNRATED: Final = -1
"""The rating and the peak of a member without one. Ratings are never negative."""

RATING, GAMES, PREVIOUSLY, PEAK = range(4)
"""Columns of a standing that every game reads: a quarter of a cache line."""

HALF_POINTS, OPPONENTS = range(2)
"""Columns of the results towards a first rating."""

LINE: Final = (
    "after", "games", "previously_unrated", "first_half_points", "first_opponents", "peak", "before",
    "reason", "change", "half_points", "opponent_rating", "difference", "expected", "k",
)  # fmt: skip
"""Columns of a line of the ledger, in its order."""

_ABOVE_ZERO: Final = 10**12

_RATED: Final = int(Reason.RATED)
_OPPONENT_UNRATED: Final = int(Reason.OPPONENT_UNRATED)
_BOTH_UNRATED: Final = int(Reason.BOTH_UNRATED)
_FORGOTTEN: Final = int(Reason.LOSS_FORGOTTEN)
_COUNTED: Final = int(Reason.RESULT_COUNTED)
_FIRST: Final = int(Reason.FIRST_RATING)
_FIRST_BELOW: Final = int(Reason.FIRST_RATING_BELOW_FLOOR)
_LOST: Final = int(Reason.LOST_UNDER_FLOOR)
_OPENED: Final = int(Reason.OPENING)
_NOT_OPENED: Final = int(Reason.OPENING_NOT_APPLIED)
_ADJUSTED: Final = int(Reason.ADJUSTED)
_NOT_ADJUSTED: Final = int(Reason.ADJUSTMENT_UNRATED)


class Rules(NamedTuple):
    """Every number of the rules, as the compiled loop takes it.

    ``k``: by category, rapid first. ``k_new``, ``new_games``: RBB 3.10.3. ``k_rules``: rows of category (0:
    all), 1 for those of 3.10.3, least games, games below, least rating, rating below, least age, age
    below, K; the first that fits holds. ``floor``: 3.2. ``first_games``, ``bonus``, ``dp``: 3.6 and 3.7.
    ``start``: everybody's rating at their first game, in place of these; 0: none. ``expected``: of the
    higher-rated, by D. ``advantage``: points added to White's rating.
    """

    k: Any
    k_new: int
    new_games: int
    k_rules: Any
    floor: int
    first_games: int
    bonus: int
    dp: Any
    start: int
    expected: Any
    advantage: int


@njit(nogil=True, inline="always")
def _half_up(hundredfold):  # type: ignore[no-untyped-def]  # compiled
    """Divide by 100, a half rounded up. Without a sign, a processor divides in half the time."""
    return np.int64(np.uint64(hundredfold + _ABOVE_ZERO + 50) // np.uint64(100)) - _ABOVE_ZERO // 100


@njit(nogil=True, inline="always")
def _write(  # type: ignore[no-untyped-def]  # compiled
    line, state, first, row, before, reason, change, points, opponent, difference, expected, k
):
    line[0] = state[row, RATING] if state[row, RATING] >= 0 else NONE
    line[1] = state[row, GAMES]
    line[2] = state[row, PREVIOUSLY]
    line[3] = first[row, HALF_POINTS]
    line[4] = first[row, OPPONENTS]
    line[5] = state[row, PEAK] if state[row, PEAK] >= 0 else NONE
    line[6] = before if before >= 0 else NONE
    line[7] = reason
    line[8] = change
    line[9] = points
    line[10] = opponent if opponent >= 0 else NONE
    line[11] = difference
    line[12] = expected
    line[13] = k


@njit(nogil=True)
def _forget(state, first, row):  # type: ignore[no-untyped-def]  # compiled
    """Make a member unrated; the peak says that they were rated."""
    state[row, RATING] = UNRATED
    state[row, GAMES] = 0
    state[row, PREVIOUSLY] = 0
    first[row, HALF_POINTS] = 0
    first[row, OPPONENTS] = 0


@njit(nogil=True)
def _special_k(k_rules, usual, category, is_new, games, rating, age):  # type: ignore[no-untyped-def]  # compiled
    for number in range(k_rules.shape[0]):
        rule = k_rules[number]
        if (
            (rule[0] == 0 or rule[0] == category + 1)
            and (rule[1] != 0) == is_new
            and rule[2] <= games < rule[3]
            and rule[4] <= rating < rule[5]
            and ((rule[6] <= 0 and rule[7] >= ANY_AGE) or (age >= 0 and rule[6] <= age < rule[7]))
        ):
            return rule[8]
    return usual


@njit(nogil=True)
def _first(rules, state, first, row, points, opponent):  # type: ignore[no-untyped-def]  # compiled
    """Take an unrated player's game against a rated opponent (RBB 3.6, 3.7), and return the reason."""
    n = rules.first_games
    if state[row, GAMES] == n:
        _forget(state, first, row)
    if state[row, GAMES] == 0 and points == 0:
        return _FORGOTTEN
    state[row, GAMES] += 1
    first[row, HALF_POINTS] += points
    first[row, OPPONENTS] += opponent
    if state[row, GAMES] < n:
        return _COUNTED
    half = np.int64(first[row, HALF_POINTS])
    over = half - n
    added = over * rules.bonus if over >= 0 else 100 * rules.dp[(100 * half + n) // (2 * n)]
    rating = (2 * np.int64(first[row, OPPONENTS]) + n) // (2 * n) + added
    if rating < rules.floor:
        return _FIRST_BELOW
    state[row, RATING] = rating
    state[row, PREVIOUSLY] = 1
    state[row, PEAK] = max(np.int64(state[row, PEAK]), rating)
    return _FIRST


@njit(nogil=True)
def _apply(rules, state, first, extra, line):  # type: ignore[no-untyped-def]  # compiled
    """Take a starting rating (RBB 3.4), or over-the-board changes (RBB 3.15)."""
    row = np.uint64(extra[1])
    before = np.int64(state[row, RATING])
    amount = extra[3]
    change = np.int64(0)
    if extra[2] == 0:
        if state[row, PEAK] >= 0 or extra[6] != 0 or amount < rules.floor:
            reason = _NOT_OPENED
        else:
            state[row, RATING] = amount
            state[row, GAMES] = extra[4]
            state[row, PREVIOUSLY] = extra[5]
            state[row, PEAK] = amount
            first[row, HALF_POINTS] = 0
            first[row, OPPONENTS] = 0
            reason, before, change = _OPENED, np.int64(UNRATED), np.int64(NONE)
    elif before < 0:
        reason = _NOT_ADJUSTED
    else:
        change = amount
        if before + amount < rules.floor:
            _forget(state, first, row)
            reason = _LOST
        else:
            state[row, RATING] = before + amount
            state[row, PEAK] = max(np.int64(state[row, PEAK]), before + amount)
            reason = _ADJUSTED
    if line is not None:
        _write(line, state, first, row, before, reason, change, NONE, UNRATED, NONE, NONE, NONE)


@njit(nogil=True)
def _unrated_involved(rules, state, first, w, b, ours, theirs, points, one, other):  # type: ignore[no-untyped-def]  # compiled
    """Take a game in which at least one player is unrated (RBB 3.6 to 3.8)."""
    # What a line says of an unrated member before the game: nothing.
    our_reason = their_reason = _OPPONENT_UNRATED
    if ours >= 0:
        their_reason = _first(rules, state, first, b, 2 - points, ours)
    elif theirs >= 0:
        our_reason = _first(rules, state, first, w, points, theirs)
    else:
        our_reason = their_reason = _BOTH_UNRATED
    if one is not None:
        our_change = NONE if our_reason == _FIRST else 0
        their_change = NONE if their_reason == _FIRST else 0
        shown = theirs if ours < 0 else UNRATED
        _write(one, state, first, w, ours, our_reason, our_change, points, shown, NONE, NONE, NONE)
        shown = ours if theirs < 0 else UNRATED
        _write(
            other, state, first, b, theirs, their_reason, their_change, 2 - points, shown, NONE, NONE, NONE
        )


@njit(nogil=True)
def play(  # type: ignore[no-untyped-def]  # compiled
    rules, state, first, born, year, white, black, points, begin, end, extras, extra, before, lines
):
    """Take the games from ``begin`` to before ``end``, and the other events before each of them.

    ``state``, ``first``: standings, changed in place, all members in rapid first, then in blitz and bullet.
    ``born``: birth years of members, 0 if unknown. ``year``: that of the games, 0 if no rule asks for ages.
    ``white``, ``black``: rows of the standings. ``points``: White's half points. ``extras``: other events in
    order: the game before which each comes, row, kind, amount, games, previously unrated, outranked; those
    after the last game come with it.
    ``extra``: the next of them. ``before``: None, or an array that gets both
    ratings before each game, from ``begin`` on. ``lines``: None, or an array that gets lines of the ledger.

    Return the next of the other events.
    """
    members = np.uint64(born.shape[0])
    two = np.uint64(2) * members
    expectations = rules.expected
    last = expectations.shape[0] - 1
    floor, advantage = rules.floor, 100 * rules.advantage
    k_new, new_games, k_rules = rules.k_new, rules.new_games, rules.k_rules
    rapid, blitz, bullet = rules.k[0], rules.k[1], rules.k[2]
    special = k_rules.shape[0] > 0
    start = rules.start
    written = 0
    coming = extras[extra, 0] if extra < extras.shape[0] else end
    for game in range(begin, end):
        while coming <= game:
            if lines is not None:
                _apply(rules, state, first, extras[extra], lines[written])
                written += 1
            else:
                _apply(rules, state, first, extras[extra], None)
            extra += 1
            coming = extras[extra, 0] if extra < extras.shape[0] else end
        w = np.uint64(white[game])
        b = np.uint64(black[game])
        ours = np.int64(state[w, RATING])
        theirs = np.int64(state[b, RATING])
        scored = np.int64(points[game])
        if start > 0 and (ours < 0 or theirs < 0):
            for row in (w, b):
                if state[row, RATING] < 0:
                    _forget(state, first, row)
                    state[row, RATING] = start
                    state[row, PREVIOUSLY] = 1
                    state[row, PEAK] = max(np.int64(state[row, PEAK]), start)
            ours = np.int64(state[w, RATING])
            theirs = np.int64(state[b, RATING])
        if before is not None:
            before[game - begin, 0] = ours
            before[game - begin, 1] = theirs
        if ours < 0 or theirs < 0:
            if lines is not None:
                _unrated_involved(
                    rules, state, first, w, b, ours, theirs, scored, lines[written], lines[written + 1]
                )
                written += 2
            else:
                _unrated_involved(rules, state, first, w, b, ours, theirs, scored, None, None)
            continue
        # RBB 3.9.1: half up, of the difference without its sign.
        ahead = ours - theirs + advantage
        difference = _half_up(abs(ahead))
        expected = np.int64(expectations[np.uint64(min(difference, last))])
        if ahead < 0:
            expected = 10_000 - expected
        our_games = np.int64(state[w, GAMES])
        their_games = np.int64(state[b, GAMES])
        we_new = state[w, PREVIOUSLY] != 0 and our_games < new_games
        they_new = state[b, PREVIOUSLY] != 0 and their_games < new_games
        usual = rapid if w < members else (blitz if w < two else bullet)
        our_k = k_new if we_new else usual
        their_k = k_new if they_new else usual
        if special:
            category = w // members
            our_age = their_age = np.int64(-1)
            if year > 0:
                if born[w % members] > 0:
                    our_age = year - born[w % members]
                if born[b % members] > 0:
                    their_age = year - born[b % members]
            our_k = _special_k(k_rules, our_k, category, we_new, our_games, ours, our_age)
            their_k = _special_k(k_rules, their_k, category, they_new, their_games, theirs, their_age)
        # Hundredths, a half rounded up. Hundredths of an expected score leave nothing to round.
        our_change = _half_up(our_k * (5000 * scored - expected))
        their_change = _half_up(their_k * (expected - 5000 * scored))
        after = ours + our_change
        state[w, RATING] = after
        state[w, GAMES] = our_games + 1
        if after > state[w, PEAK]:
            state[w, PEAK] = after
        our_reason = their_reason = _RATED
        if after < floor:
            _forget(state, first, w)
            our_reason = _LOST
        after = theirs + their_change
        state[b, RATING] = after
        state[b, GAMES] = their_games + 1
        if after > state[b, PEAK]:
            state[b, PEAK] = after
        if after < floor:
            _forget(state, first, b)
            their_reason = _LOST
        if lines is not None:
            _write(
                lines[written], state, first, w, ours, our_reason, our_change, scored, theirs,
                difference, expected // 100, our_k,
            )  # fmt: skip
            _write(
                lines[written + 1], state, first, b, theirs, their_reason, their_change, 2 - scored, ours,
                difference, 100 - expected // 100, their_k,
            )  # fmt: skip
            written += 2
    if end == white.shape[0]:
        for rest in range(extra, extras.shape[0]):
            if lines is not None:
                _apply(rules, state, first, extras[rest], lines[written])
                written += 1
            else:
                _apply(rules, state, first, extras[rest], None)
        extra = extras.shape[0]
    return extra
