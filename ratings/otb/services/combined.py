"""A player's three ratings in one line, as in FIDE's combined list (players_list_foa)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from heapq import merge
from itertools import islice
from typing import Any, Final

from django.db.models import Exists, OuterRef

from foa.files import in_blocks
from ratings.formats.frl import FideRating, PlayerRow, combined_txt, combined_xml
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.models.lists import flag_of
from ratings.otb.services.standings import as_tuples, control_of
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import FideId, Points

_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class CombinedList:
    """The lists in force on a day, standard before rapid before blitz; at least one is of that day."""

    day: date
    lists: Sequence[OtbList]

    @property
    def checksum(self) -> str:
        """Return a checksum that names these lists."""
        return sha256(" ".join(one.checksum for one in self.lists).encode()).hexdigest()

    @property
    def published_at(self) -> datetime:
        """Return when the last of the lists was published."""
        return max(one.published_at for one in self.lists)

    @property
    def file_name(self) -> str:
        """Return the name without its ending."""
        return f"over-the-board-combined-{self.day}"

    def players(self) -> Iterator[PlayerRow]:
        """Yield everybody whose name is on one of the lists, by name. Each list is read once, in pieces.

        Names and titles are those of the first list that has the player. Somebody is inactive if they are on
        each list that has them. Games are those of the period that ends with the list of this day.
        """
        in_order = merge(*map(self._first_on, self.lists), key=lambda entry: (entry.folded, entry.fide_id))
        while some := list(islice(in_order, _AT_ONCE)):
            yield from self._rows(some)

    def _first_on(self, otb_list: OtbList) -> Iterator[Any]:
        """Yield the players of a list who are on none of the lists before it, by name."""
        earlier = OtbListEntry.objects.on(Lists.ALPHABETICAL).filter(
            otb_list__in=self.lists[: self.lists.index(otb_list)], fide_id=OuterRef("fide_id")
        )
        entries = otb_list.entries.on(Lists.ALPHABETICAL).filter(~Exists(earlier))
        return iter(as_tuples(entries.order_by("folded", "fide_id")).iterator(_AT_ONCE))

    def _rows(self, some: Sequence[Any]) -> Iterator[PlayerRow]:
        entries = OtbListEntry.objects.on(Lists.ALPHABETICAL).filter(
            otb_list__in=self.lists, fide_id__in=[entry.fide_id for entry in some]
        )
        found = {(one.otb_list_id, one.fide_id): one for one in as_tuples(entries.order_by())}
        for entry in some:
            on_lists = {
                one: there for one in self.lists if (there := found.get((one.pk, entry.fide_id))) is not None
            }
            yield self._row(entry, on_lists)

    def _row(self, entry: Any, on_lists: Mapping[OtbList, Any]) -> PlayerRow:
        ratings = {control_of(one.chapter): self._rating(one, there) for one, there in on_lists.items()}
        listing = Lists.NOWHERE
        for there in on_lists.values():
            listing |= Lists(there.listing)
        return PlayerRow(
            line=0,
            fide_id=FideId(entry.fide_id),
            name=entry.name,
            federation=entry.federation,
            sex=entry.sex,
            title=entry.title,
            women_title=entry.women_title,
            other_titles=entry.other_titles,
            arena_title="",
            standard=ratings.get(control_of(Chapter.STANDARD)),
            rapid=ratings.get(control_of(Chapter.RAPID)),
            blitz=ratings.get(control_of(Chapter.BLITZ)),
            birth_year=entry.birth_year,
            flag=flag_of(entry.sex, listing),
        )

    def _rating(self, otb_list: OtbList, entry: Any) -> FideRating:
        rating = None if entry.rating is None else Points(entry.rating)
        games = entry.games if otb_list.list_day == self.day else 0
        return FideRating(rating, games, entry.k or 0)


def combined_list(day: date | None = None) -> CombinedList | None:
    """Return the lists in force on a day on which one was published; without a day, on the latest one."""
    if day is None:
        day = OtbList.objects.order_by("-list_day").values_list("list_day", flat=True).first()
    if day is None or not OtbList.objects.of(day).exists():
        return None
    chapters = (OtbList.objects.in_chapter(one).filter(list_day__lte=day) for one in Chapter)
    lists = [found for one in chapters if (found := one.newest_first().first()) is not None]
    return CombinedList(day, lists)


def _txt(combined: CombinedList) -> Iterator[bytes]:
    return in_blocks(combined_txt(combined.players()))


def _xml(combined: CombinedList) -> Iterator[bytes]:
    return in_blocks(combined_xml(combined.players()))


WHOLE_COMBINED_LIST: Final[Mapping[str, tuple[str, Callable[[CombinedList], Iterator[bytes]]]]] = {
    "txt": ("text/plain; charset=us-ascii", _txt),
    "xml": ("application/xml", _xml),
}
"""The combined list in each form: media type, and its bytes, piece by piece."""
