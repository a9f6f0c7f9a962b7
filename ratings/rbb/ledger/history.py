"""A member's ledger in a lightweight form, for figures over all of it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final, NamedTuple

from django.db.models import QuerySet

from ratings.office.bulk import Moment, as_moment, stored_rows
from ratings.rbb.models.fields import is_black
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.time_controls import Category
from ratings.rules.units import HalfPoints, Hundredths


class HistoryLine(NamedTuple):
    """A line of the ledger in plain numbers: ratings, change and PD in hundredths, score in half points.

    ``moment`` is as stored: of thousands, only a few are ever shown.
    """

    id: int
    category: Category
    moment: Moment
    game_id: int | None
    opponent_id: int | None
    after: Hundredths | None
    games: int
    previously_unrated: bool
    reason: int
    change: Hundredths | None
    half_points: HalfPoints | None
    opponent_rating: Hundredths | None
    expected: Hundredths | None

    @property
    def occurred_at(self) -> datetime:
        """The moment of the event, UTC."""
        return as_moment(self.moment)

    @property
    def day(self) -> date:
        """The day of the event, UTC. For twenty thousand lines it takes a fifth of the time of the moment."""
        moment = self.moment
        return moment.date() if isinstance(moment, datetime) else date.fromisoformat(moment[:10])

    @property
    def black(self) -> bool:
        """True if the member had Black in this game."""
        return is_black(self.id)


_COLUMNS: Final = ("id", "category", "occurred_at", *HistoryLine._fields[3:])


def history(changes: QuerySet[RatingChange]) -> list[HistoryLine]:
    """Return these lines in the order of their events."""
    categories = {category.value: category for category in Category}
    return [
        HistoryLine._make((key, categories[category], *rest))
        for key, category, *rest in stored_rows(changes.order_by("occurred_at", "id"), _COLUMNS)
    ]
