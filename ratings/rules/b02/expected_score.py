"""FIDE B.02 8.1(b), 8.54; 2024: 8.3.1: expected score P(D), and the cap of 400 points on D."""

from typing import Final

from ratings.rules.b02.types import IN_FORCE, Choices
from ratings.rules.tables import EXPECTED_HIGHER
from ratings.rules.units import Hundredths, Points

CAP: Final = Points(400)
"""Maximum difference between two ratings, in points; a greater one counts as this (B.02 8.54, 8.58)."""


_PRINTED: Final = (*EXPECTED_HIGHER[:327], Hundredths(88), Hundredths(88), *EXPECTED_HIGHER[329:])


def cap(choices: Choices, rating: Points | None) -> int:
    """Return the greatest difference that counts for a player's change (B.02 8.54; 2024: 8.3.1)."""
    if rating is None or choices.uncapped_from is None or rating < choices.uncapped_from:
        return CAP
    # The table ends with 1.00, which all greater differences have.
    return len(EXPECTED_HIGHER) - 1


def expected_score(
    difference: Points, choices: Choices = IN_FORCE, rating: Points | None = None
) -> Hundredths:
    """Return P(D) in hundredths of a player ``difference`` points above their opponent (B.02 8.54, 8.55(a)).

    More than 400 points count as 400, either way; some editions say otherwise from a ``rating`` of one's own.
    """
    table = _PRINTED if choices.printed_table else EXPECTED_HIGHER
    higher = table[min(abs(difference), cap(choices, rating))]
    return higher if difference >= 0 else Hundredths(100 - higher)
