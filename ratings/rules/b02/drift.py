"""FIDE B.02 10.3: how the scale of a list drifts from one list to the next."""

from decimal import Decimal
from typing import NamedTuple

from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths


class Drift(NamedTuple):
    """B.02 10.3: how the scale of a list has moved since the list before. Sums are of whole points.

    ``stayed``: players with a rating on both lists; ``change``: the sum of their changes. ``played``: those
    of them with a rated game in the period; ``change_of_played``: theirs. ``new``: players with a rating on
    this list only, ``new_sum``: of these ratings. ``gone``: with one on the list before only, ``gone_sum``:
    of those. ``rating_sum``: of all ratings on this list.
    """

    stayed: int
    change: int
    played: int
    change_of_played: int
    new: int
    new_sum: int
    gone: int
    gone_sum: int
    rating_sum: int

    @property
    def mean_change(self) -> Decimal | None:
        """Mean change of the players rated on both lists, in points; None if there are none."""
        return mean(self.change, self.stayed)

    @property
    def mean_change_of_played(self) -> Decimal | None:
        """The mean change of those of them who played."""
        return mean(self.change_of_played, self.played)

    @property
    def mean_new(self) -> Decimal | None:
        """The mean rating of new players."""
        return mean(self.new_sum, self.new)

    @property
    def mean_gone(self) -> Decimal | None:
        """The mean rating, on the list before, of who has none any more."""
        return mean(self.gone_sum, self.gone)

    @property
    def rated_before(self) -> int:
        """Players with a rating on the list before."""
        return self.stayed + self.gone

    @property
    def rated_after(self) -> int:
        """Players with a rating on this list."""
        return self.stayed + self.new

    @property
    def mean_before(self) -> Decimal | None:
        """The mean of all ratings on the list before."""
        stayed = self.rating_sum - self.new_sum - self.change
        return mean(stayed + self.gone_sum, self.rated_before)

    @property
    def mean_after(self) -> Decimal | None:
        """The mean of all ratings on this list."""
        return mean(self.rating_sum, self.rated_after)


def mean(total: int, count: int) -> Decimal | None:
    """Return a mean in points with two decimals, half up."""
    return from_hundredths(Hundredths(divide_half_up(100 * total, count))) if count else None
