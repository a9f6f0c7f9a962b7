"""Why a line of the ledger says what it says, in the numbers and articles of the regulations.

Pure: a ledger row goes in (only its attributes matter), exact decimals come out, for a page or for JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from ratings.rules.rbb import FIRST_RATING_GAMES, Reason, first_rating
from ratings.rules.rounding import displayed, from_hundredths, to_hundredths
from ratings.rules.tables import pd_row

__all__ = ["Explanation", "FirstRatingStep", "GameStep", "LedgerRow", "Progress", "explain"]

_SCORE = ("0", "0.5", "1")
_TOWARDS_FIRST_RATING = (Reason.RESULT_COUNTED, Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)
_ADDED = (Reason.ADJUSTED, Reason.LOST_UNDER_FLOOR)


class LedgerRow(Protocol):
    """What is read of a ledger row."""

    before: Decimal | None
    after: Decimal | None
    change: Decimal | None
    games: int
    first_half_points: int
    first_opponents: Decimal
    half_points: int | None
    opponent_rating: Decimal | None
    difference: int | None
    expected: int | None
    k: int | None

    @property
    def why(self) -> Reason:
        """The reason with its article."""

    @property
    def k_article(self) -> str:
        """The paragraph that gave K."""


@dataclass(frozen=True, slots=True)
class GameStep:
    """RBB 3.9: a game between two rated players, one of the two."""

    opponent_rating: Decimal
    exact_difference: Decimal
    difference: int
    row_first: int
    row_last: int | None
    higher: bool
    expected: Decimal
    score: str
    k: int
    k_article: str


@dataclass(frozen=True, slots=True)
class FirstRatingStep:
    """RBB 3.7: Ra, what was added to it and by which paragraph, and Rf."""

    average: Decimal
    added: Decimal
    article: str
    rating: Decimal


@dataclass(frozen=True, slots=True)
class Progress:
    """RBB 3.6: results so far towards the first rating."""

    results: int
    needed: int
    score: Decimal
    opponents: Decimal


@dataclass(frozen=True, slots=True)
class Explanation:
    """One line of the ledger, explained. ``arithmetic`` is empty where nothing was computed."""

    reason: Reason
    before: Decimal | None
    after: Decimal | None
    change: Decimal | None
    displayed_before: int | None
    displayed_after: int | None
    arithmetic: str
    game: GameStep | None = None
    progress: Progress | None = None
    first: FirstRatingStep | None = None


def explain(row: LedgerRow) -> Explanation:
    """The steps of the regulations that lead to this row."""
    game = _game_step(row)
    progress = _progress(row)
    first = _first_rating_step(row) if progress and progress.results == FIRST_RATING_GAMES else None
    return Explanation(
        reason=row.why,
        before=row.before,
        after=row.after,
        change=row.change,
        displayed_before=_displayed(row.before),
        displayed_after=_displayed(row.after),
        arithmetic=_arithmetic(row, game, first),
        game=game,
        progress=progress,
        first=first,
    )


def _displayed(rating: Decimal | None) -> int | None:
    return None if rating is None else displayed(to_hundredths(rating))


def _game_step(row: LedgerRow) -> GameStep | None:
    if (
        row.k is None
        or row.before is None
        or row.opponent_rating is None
        or row.difference is None
        or row.expected is None
        or row.half_points is None
    ):
        return None
    row_first, row_last, _, _ = pd_row(row.difference)
    return GameStep(
        opponent_rating=row.opponent_rating,
        exact_difference=abs(row.before - row.opponent_rating),
        difference=row.difference,
        row_first=row_first,
        row_last=row_last,
        higher=row.before >= row.opponent_rating,
        expected=from_hundredths(row.expected),
        score=_SCORE[row.half_points],
        k=row.k,
        k_article=row.k_article,
    )


def _progress(row: LedgerRow) -> Progress | None:
    if row.why not in _TOWARDS_FIRST_RATING:
        return None
    return Progress(
        results=row.games,
        needed=FIRST_RATING_GAMES,
        score=Decimal(row.first_half_points) / 2,
        opponents=row.first_opponents,
    )


def _first_rating_step(row: LedgerRow) -> FirstRatingStep:
    step = first_rating(row.first_half_points, to_hundredths(row.first_opponents))
    over = row.first_half_points - FIRST_RATING_GAMES
    return FirstRatingStep(
        average=from_hundredths(step.average),
        added=from_hundredths(step.added),
        article="3.7.3" if over == 0 else "3.7.4" if over > 0 else "3.7.5",
        rating=from_hundredths(step.rating),
    )


def _arithmetic(row: LedgerRow, game: GameStep | None, first: FirstRatingStep | None) -> str:
    """The sum as one would write it down, such as ``1799.60 + 20 × (1 − 0.48) = 1810.00``."""
    if first is not None:
        return _sum(first.average, first.added, first.rating)
    if row.before is None or row.change is None:
        return ""
    after = row.before + row.change
    if game is not None:
        return f"{row.before} + {game.k} × ({game.score} − {game.expected}) = {after}"
    return _sum(row.before, row.change, after) if row.why in _ADDED else ""


def _sum(to: Decimal, amount: Decimal, total: Decimal) -> str:
    sign = "+" if amount >= 0 else "−"
    return f"{to} {sign} {abs(amount)} = {total}".replace("-", "−")
