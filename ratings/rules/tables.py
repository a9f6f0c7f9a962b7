"""RBB 4.1 and 4.2: the two conversion tables, complete, row by row as printed.

Scores and probabilities are integers in hundredths: 0.64 is 64. Ratings differences are whole points.
"""

from typing import Final, NamedTuple

from ratings.rules.units import Hundredths, Points

# RBB 4.1 prints dp for p = 1.00 down to 0.50; below 0.50 the table is its own mirror image, sign reversed.
_DP_FROM_100_TO_50: Final = (
    800, 677, 589, 538, 501, 470, 444, 422, 401, 383, 366, 351, 336, 322, 309, 296, 284,
    273, 262, 251, 240, 230, 220, 211, 202, 193, 184, 175, 166, 158, 149, 141, 133, 125,
    117, 110, 102, 95, 87, 80, 72, 65, 57, 50, 43, 36, 29, 21, 14, 7, 0,
)  # fmt: skip

DP: Final[tuple[Points, ...]] = tuple(
    map(Points, (*(-dp for dp in _DP_FROM_100_TO_50), *_DP_FROM_100_TO_50[-2::-1]))
)
"""RBB 4.1: rating difference dp in points by fractional score p in hundredths, ``DP[0]`` to ``DP[100]``."""

# The last difference of each row of RBB 4.2, for H = 0.50, 0.51, … 0.99.
_LAST_DIFFERENCE: Final = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179,
    188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456,
    484, 517, 559, 619, 735,
)  # fmt: skip


class PdRow(NamedTuple):
    """A row of table 4.2: first and last difference (None: the last row is open), H and L."""

    first: Points
    last: Points | None
    higher: Hundredths
    lower: Hundredths


PD_ROWS: Final = tuple(
    PdRow(Points(first), None if last is None else Points(last), Hundredths(higher), Hundredths(100 - higher))
    for first, last, higher in zip(
        (0, *(last + 1 for last in _LAST_DIFFERENCE)), (*_LAST_DIFFERENCE, None), range(50, 101), strict=True
    )
)
"""RBB 4.2, row by row."""

PD: Final = tuple(
    (Points(difference), row.higher, row.lower)
    for row in PD_ROWS
    for difference in range(row.first, (row.last or row.first) + 1)
)
"""RBB 4.2 by difference: the difference itself, H and L. The last is 736, the first above 735."""

EXPECTED_HIGHER: Final = tuple(higher for _, higher, _ in PD)
"""RBB 4.2: PD of the higher-rated player by difference."""


def expected_score(difference: Points) -> Hundredths:
    """Return PD of a player rated ``difference`` points above the opponent (RBB 3.9.1, 4.2).

    If the difference is negative, the player is the lower-rated one. There is no cap at 400 points.
    """
    _, higher, lower = PD[min(abs(difference), len(PD) - 1)]
    return higher if difference >= 0 else lower


def beyond_table(difference: int) -> tuple[Points, Hundredths, Hundredths]:
    """Return the row of :data:`PD` for a difference above those that it lists (RBB 4.2)."""
    _, higher, lower = PD[-1]
    return Points(difference), higher, lower


def pd_row(difference: Points) -> PdRow:
    """Return the row for a difference; its sign doesn't matter (RBB 4.2)."""
    return PD_ROWS[EXPECTED_HIGHER[min(abs(difference), len(PD) - 1)] - 50]
