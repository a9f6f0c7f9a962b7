"""FIDE B.02 10.3 and 12.3: what to watch on a list: where its scale drifts, and who played too many games."""

from decimal import Decimal
from typing import Final, NamedTuple

from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths, Points

_MOST_K_TIMES_GAMES: Final = 750
"""B.02 12.3: 75 games at K = 10, 50 at 15 and 30 at 25 are the same product."""


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
        return _mean(self.change, self.stayed)

    @property
    def mean_change_of_played(self) -> Decimal | None:
        """The mean change of those of them who played."""
        return _mean(self.change_of_played, self.played)

    @property
    def mean_new(self) -> Decimal | None:
        """The mean rating of new players."""
        return _mean(self.new_sum, self.new)

    @property
    def mean_gone(self) -> Decimal | None:
        """The mean rating, on the list before, of who has none any more."""
        return _mean(self.gone_sum, self.gone)

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
        return _mean(stayed + self.gone_sum, self.rated_before)

    @property
    def mean_after(self) -> Decimal | None:
        """The mean of all ratings on this list."""
        return _mean(self.rating_sum, self.rated_after)


def most_games(k: int) -> int:
    """Return the most rated games in a period for K: 75 at K = 10, 50 at 15, 30 at 25 (B.02 12.3).

    Another K, of a list that was taken over from FIDE, has the same product of K and games, rounded down.
    """
    return _MOST_K_TIMES_GAMES // k


def too_many_games(rating: Points | None, k: int | None, games: int) -> bool:
    """Return whether a player with this rating and K played more games in a period than K allows (B.02 12.3).

    Never for a new player, who has no K in the period.
    """
    return rating is not None and k is not None and games > most_games(k)


def _mean(total: int, count: int) -> Decimal | None:
    """Return the mean in points with two decimals, half up."""
    return from_hundredths(Hundredths(divide_half_up(100 * total, count))) if count else None
