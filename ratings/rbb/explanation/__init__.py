"""Explanations of rating changes: a headline and a picture, then steps with articles and exact numbers.

Every number comes from the row, which the rules wrote, or again from the rules; there is no second formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ratings.office.explanations import Explanation
from ratings.rbb.explanation.sentences import Note, headline, picture, sentence, spoken_name, why_nothing
from ratings.rbb.explanation.steps import (
    Steps,
    first_results,
    write_adjustment,
    write_first_rating,
    write_opening,
    write_rated_game,
    write_unaffected,
)
from ratings.rbb.models import RatingChange
from ratings.rbb.models.editions import DecidedEditions
from ratings.rules.rbb.rating import Reason

__all__ = ["LedgerExplanation", "Note", "explain", "first_results", "spoken_name", "why_nothing"]


@dataclass(frozen=True, slots=True)
class LedgerExplanation(Explanation):
    """A line of the ledger, explained. Displayed ratings are None if unrated."""

    displayed_before: int | None
    displayed_after: int | None


def explain(
    row: RatingChange,
    earlier: Sequence[RatingChange] | None = None,
    editions: DecidedEditions | None = None,
) -> LedgerExplanation:
    """Return the rules' steps for this row, which must have its member, opponent and event loaded.

    A new first rating takes one query, for the results behind it, and a game between rated players one for
    the editions: pass ``editions`` to explain several rows. For a row that isn't in the ledger, pass the
    counted results before it as ``earlier``, oldest first; it is explained as a future game.
    """
    to_come = earlier is not None
    told = headline(row, to_come=to_come)
    steps = Steps(row, earlier, editions or DecidedEditions())
    if row.opening is not None:
        write_opening(steps, row.opening)
    elif row.adjustment is not None:
        write_adjustment(steps, row.adjustment)
    elif row.k is not None:
        write_rated_game(steps)
    elif row.why in (Reason.OPPONENT_UNRATED, Reason.BOTH_UNRATED):
        write_unaffected(steps)
    else:
        write_first_rating(steps)
    steps.display()
    return LedgerExplanation(
        told if to_come else sentence(row),
        tuple(steps.written),
        steps.displayed_before,
        steps.displayed_after,
        headline=told,
        picture=picture(row),
    )
