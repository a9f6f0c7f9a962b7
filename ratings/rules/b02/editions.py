"""FIDE B.02 0.1: the editions of the regulations, looked up by date.

Callers ask for the edition of a day and use what it has; they don't name an edition. A further edition is
one more entry of :data:`EDITIONS`: with other constants in its ``edition``, or as a subclass of
:class:`Book` with other functions.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from ratings.rules.b02 import eligibility, first_ratings, leagues, lists, stages
from ratings.rules.b02.eligibility import Circumstances, Finding
from ratings.rules.b02.first_ratings import CountedEvent, FirstRating
from ratings.rules.b02.types import Edition, Tournament
from ratings.rules.units import Hundredths, Points


@dataclass(frozen=True, slots=True)
class Book:
    """An edition of B.02. ``since``: the day from which it is in force; ``name`` as it is cited.

    For a tournament, the edition of its first day applies (0.1); for a list, that of the day of the list.
    """

    name: str
    since: date
    edition: Edition = field(default_factory=Edition)

    def rate(
        self, tournaments: Sequence[Tournament], who: Sequence[Mapping[int, Hashable]] = ()
    ) -> list[stages.StageRating]:
        """Return the ratings of each stage of an event; most events have one (B.02 8, 6.2)."""
        return stages.rate_stages(tournaments, who, self.edition)

    def findings(
        self,
        tournament: Tournament,
        circumstances: Circumstances,
        rated: stages.StageRating,
        without_id: Collection[int],
    ) -> list[Finding]:
        """Return everything found in a tournament (B.02 0.4 to 6.6)."""
        return eligibility.findings(tournament, circumstances, rated.rating, rated.whole, without_id)

    def first_rating(
        self, events: Iterable[CountedEvent], list_day: date, disabled: bool = False
    ) -> FirstRating:
        """Return the first rating of a player, as of a list (B.02 7.14, 8.3)."""
        return first_ratings.first_rating(events, list_day, self.edition, disabled)

    def list_in_force(self, day: date) -> date:
        """Return the list for a tournament that begins on this day (B.02 7.11)."""
        return lists.list_in_force(day, self.edition)

    def next_list(self, list_day: date) -> date:
        """Return the day of the list after this one (B.02 7.11)."""
        return lists.next_list(list_day, self.edition)

    def rated_on(self, last_day: date, official: bool = False) -> date:
        """Return the first list that can rate a tournament that ended on this day (B.02 7.13)."""
        return lists.rated_on(last_day, official, self.edition)

    def parts_of(self, round_days: Mapping[int, date], official: bool = False) -> list[leagues.LeaguePart]:
        """Return the parts of a league that is rated period by period (B.02 4.13)."""
        return leagues.parts_of(round_days, official, self.edition)

    def closing_day(self, list_day: date, official: bool = False) -> date:
        """Return the last day on which a tournament for this list can end (B.02 7.13)."""
        return lists.closing_day(list_day, official)

    def new_rating(self, rating: Points, changes: Iterable[Hundredths]) -> Points:
        """Return the rating of the next list (B.02 8.55(c), 8.57)."""
        return lists.new_rating(rating, changes)


B02_2009: Final = Book("FIDE B.02 of 1 July 2009", date(2009, 7, 1))

EDITIONS: Final = [B02_2009]
"""In the order in which they came into force. Days before the first one have the first."""


def book_on(day: date, months_per_list: int | None = None) -> Book:
    """Return the edition in force on a day (B.02 0.1).

    ``months_per_list``: what the office has decided under 7.3; None for what the edition says.
    """
    book = EDITIONS[0]
    for one in EDITIONS:
        if one.since <= day:
            book = one
    if months_per_list is None:
        return book
    return replace(book, edition=replace(book.edition, months_per_list=months_per_list))
