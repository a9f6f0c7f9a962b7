"""RBB 3.4 and 3.15: what the FIDE rating lists of over-the-board chess mean for a member.

Lists print whole points; results are in hundredths.
"""

from collections.abc import Mapping
from typing import Final

from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths, Points

FIRST_RATING_LISTS: Final[dict[Category, tuple[str, ...]]] = {
    Category.RAPID: ("rapid", "standard"),
    Category.BLITZ: ("blitz", "rapid", "standard"),
    Category.BULLET: ("blitz", "rapid", "standard"),
}
"""RBB 3.4.1 to 3.4.3: the lists of the same or any longer time control, the preferred one first."""

LISTS_OF_CHANGES: Final[dict[Category, str]] = {Category.RAPID: "rapid", Category.BLITZ: "blitz"}
"""RBB 1.3, 3.15: the list whose changes are added. Bullet has none."""


def first_rating_from_lists(
    category: Category, published: Mapping[str, Points | None]
) -> tuple[str, Hundredths] | None:
    """Return the list that gives a new member's first rating, and the rating in hundredths (RBB 3.4).

    ``published``: their rating on each list, None where it does not rate them. None: they are unrated (3.5).
    """
    for control in FIRST_RATING_LISTS[category]:
        if (rating := published[control]) is not None:
            return control, Hundredths(100 * rating)
    return None


def over_the_board_change(previous: Points | None, new: Points | None, games: int) -> Hundredths | None:
    """Return ΣΔR of a list, in hundredths: the new published rating less the previous one (RBB 3.15).

    None if one of the two lists does not rate them, or the new one counts no games: a correction without
    games is not a rating change from games.
    """
    if previous is None or new is None or not games:
        return None
    return Hundredths(100 * (new - previous))
