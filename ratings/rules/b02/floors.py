"""FIDE B.02 0.6; 2024: 7.1.2: the lowest published rating of each edition, in points."""

from typing import Final

from ratings.rules.rounding import divide_half_up
from ratings.rules.units import Points

FLOOR: Final = Points(1200)
"""B.02 0.6: the lowest published rating, in points. 1200 is published, 1199 is not."""


FLOOR_2024: Final = Points(1400)
"""7.1.2, 7.2.1: the lowest published rating, in points."""


_ONE_OFF_BELOW: Final = Points(2000)
"""One-off change of 1 March 2024: the players below this rating, in points, have it."""


def raised(rating: Points) -> Points:
    """Return a rating after the one-off change of 1 March 2024: 0.40 × (2000 − rating) more, half up."""
    return rating if rating >= _ONE_OFF_BELOW else Points(divide_half_up(3 * rating + 2 * _ONE_OFF_BELOW, 5))
