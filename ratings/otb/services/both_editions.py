"""The reports of a period, rated by the regulations of 2009 and by those of 2024: what the change did.

Nothing is stored. Both begin with the list before, and with its players' earlier results towards a first
rating as they were stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from django.conf import settings

from ratings.office.bulk import batches
from ratings.otb.citations import edition_of_list
from ratings.otb.models import AssociationMember, OtbList, Tournament
from ratings.otb.services.period_rating import Period
from ratings.otb.services.publishing import ACCEPTED
from ratings.otb.services.stages import events as in_events
from ratings.otb.services.standings import OnList, Standings
from ratings.rules.b02.drift import mean
from ratings.rules.b02.editions import B02_2009, TODAY_SINCE, edition_in_force
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import Points

MOST: Final = 100
"""Maximum number of tournaments, the first ones of the period: visitors wait for the first answer."""

_AT_ONCE: Final = 20


class Player(NamedTuple):
    """A player with a rated game. Whole points: before, and after by each edition; None without a rating."""

    fide_id: int
    name: str
    before: Points | None
    after: tuple[Points | None, Points | None]

    @property
    def apart(self) -> int | None:
        """The rating of 2024 less that of 2009; None unless there are both."""
        of_2009, of_2024 = self.after
        return None if of_2009 is None or of_2024 is None else of_2024 - of_2009


class Figures(NamedTuple):
    """Figures of a period under an edition.

    ``changed``: players rated before and after; ``change``: the sum of their changes. ``new``: first ratings;
    ``new_sum``: the sum of them. ``gone``: players who fell below the lowest rating. ``k``: K and number of
    players who had it. ``capped``: results whose difference of ratings didn't count in full.
    """

    edition: Edition
    changed: int
    change: int
    new: int
    new_sum: int
    gone: int
    k: Sequence[tuple[int, int]]
    capped: int

    @property
    def mean_change(self) -> Decimal | None:
        """The mean change in points."""
        return mean(self.change, self.changed)

    @property
    def mean_new(self) -> Decimal | None:
        """The mean of first ratings."""
        return mean(self.new_sum, self.new)


class BothEditions(NamedTuple):
    """``tournaments``: how many were rated; ``of``: how many the list has. ``players``: of them, by name.

    ``below``: players of the list before whose rating is below the lowest of 2024.
    """

    previous: OtbList
    below: int
    tournaments: int
    of: int
    figures: Sequence[Figures]
    players: Sequence[Player]

    @property
    def differing(self) -> list[Player]:
        """The players whom the editions rate differently, the furthest apart first."""
        apart = [one for one in self.players if one.apart]
        return sorted(apart, key=lambda one: (-abs(one.apart or 0), one.name, one.fide_id))

    @property
    def mean_apart(self) -> Decimal | None:
        """The mean of 2024 less 2009, over everybody rated by both."""
        apart = [one.apart for one in self.players if one.apart is not None]
        return mean(sum(apart), len(apart))


class _Under(Period):
    """A period that is rated wholly by one edition, on whatever day its tournaments began."""

    def __init__(self, otb_list: OtbList, previous: OtbList, edition: Edition) -> None:
        super().__init__(otb_list.list_day, previous)
        self.edition = edition
        self.capped = 0
        if not edition.rates_again(edition_of_list(otb_list)):
            self.standings = _WithoutK(self.chapter)

    def _book(self, day: date) -> Edition:
        return self.edition


class _WithoutK(Standings):
    """Standings without the K that the lists show, so that it is that of the edition which rates."""

    def on(self, otb_list: OtbList | None, fide_ids: Collection[int]) -> Mapping[int, OnList]:
        found = super().on(otb_list, fide_ids)
        return {fide_id: listed._replace(k=None) for fide_id, listed in found.items()}


def both_editions(otb_list: OtbList) -> BothEditions | None:
    """Return what both editions make of a list's tournaments; None for a list that has none.

    Raises NotInRows.
    """
    previous = OtbList.objects.in_chapter(Chapter.STANDARD).before(otb_list.list_day).first()
    rated = Tournament.objects.filter(
        status=Tournament.Status.RATED, chapter=Chapter.STANDARD, rated_for=otb_list.list_day
    )
    events = in_events(rated.with_report().prefetch_related(*ACCEPTED))
    if previous is None or not events:
        return None
    of_2009 = replace(
        B02_2009, choices=replace(B02_2009.choices, months_per_list=settings.MONTHS_PER_OTB_LIST)
    )
    of_2024 = edition_in_force(max(otb_list.list_day, TODAY_SINCE))
    taken = _first(events)
    periods = [_rated(otb_list, previous, edition, taken) for edition in (of_2009, of_2024)]
    disabled = set(
        AssociationMember.objects.filter(since__lte=otb_list.list_day).values_list("fide_id", flat=True)
    )
    players = sorted(_players(periods, disabled), key=lambda one: (one.name, one.fide_id))
    return BothEditions(
        previous,
        previous.entries.filter(rating__lt=of_2024.floor).count(),
        sum(map(len, taken)),
        sum(map(len, events)),
        [_figures(period, at, players) for at, period in enumerate(periods)],
        players,
    )


def _first(events: Sequence[list[Tournament]]) -> list[list[Tournament]]:
    """Return the first events, with all their stages."""
    taken: list[list[Tournament]] = []
    for stages in events:
        if taken and sum(map(len, taken)) + len(stages) > MOST:
            break
        taken.append(stages)
    return taken


def _rated(
    otb_list: OtbList, previous: OtbList, edition: Edition, events: Sequence[list[Tournament]]
) -> _Under:
    period = _Under(otb_list, previous, edition)
    # They have been rated, so neither edition is asked whether they may be.
    stay = {stage.pk for stages in events for stage in stages}
    for some in batches(events, _AT_ONCE):
        for rated, _counts in period.rate(some, stay):
            for result in rated.rating.results:
                cap = edition.cap(result.rating)
                period.capped += sum(
                    one.difference is not None and abs(one.difference) > cap for one in result.games
                )
    return period


def _players(periods: Sequence[_Under], disabled: Collection[int]) -> Iterable[Player]:
    everybody = {fide_id: one.reported for period in periods for fide_id, one in period.played.items()}
    before = periods[0].standings.on(periods[0].previous, list(everybody))
    for fide_id, reported in everybody.items():
        was = before.get(fide_id)
        of_2009, of_2024 = (
            period.after(was, fide_id, fide_id in disabled, is_raised=False).rating for period in periods
        )
        name = reported.name if was is None else was.name
        yield Player(fide_id, name, None if was is None else was.standing.rating, (of_2009, of_2024))


def _figures(period: _Under, at: int, players: Sequence[Player]) -> Figures:
    ratings = [(one.before, one.after[at]) for one in players]
    changes = [after - before for before, after in ratings if before is not None and after is not None]
    first = [after for before, after in ratings if before is None and after is not None]
    k = Counter(
        period.edition.k_of_period(one.k, one.games) for one in period.played.values() if one.k is not None
    )
    gone = sum(before is not None and after is None for before, after in ratings)
    return Figures(
        period.edition,
        len(changes),
        sum(changes),
        len(first),
        sum(first),
        gone,
        sorted(k.items(), reverse=True),
        period.capped,
    )


class Bar(NamedTuple):
    """Players whose rating of 2024 is from ``low`` to ``high`` points above that of 2009."""

    low: int
    high: int
    players: int
    x: int
    height: int

    @property
    def middle(self) -> int:
        """The middle of the bar, in points."""
        return (self.low + self.high) // 2

    @property
    def y(self) -> int:
        """The upper end of the bar."""
        return _HEIGHT - self.height


_BARS: Final = 21
_WIDTH: Final = 40
_HEIGHT: Final = 160


def apart_bars(differing: Sequence[Player]) -> list[Bar]:
    """Return the bars of the picture, the middle one around 0; none if all ratings are the same."""
    apart = [one.apart or 0 for one in differing]
    if not apart:
        return []
    # Half the width of a bar, so that the furthest is in the last one.
    half = max(0, -(-(max(map(abs, apart)) - _BARS // 2) // _BARS))
    width = 2 * half + 1
    counts = Counter((one + half) // width for one in apart)
    most = max(counts.values())
    return [
        Bar(
            width * place - half,
            width * place + half,
            counts[place],
            _WIDTH * number,
            -(-_HEIGHT * counts[place] // most),
        )
        for number, place in enumerate(range(-(_BARS // 2), _BARS // 2 + 1))
    ]
