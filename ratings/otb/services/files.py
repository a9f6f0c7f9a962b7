"""B.02 7.12: over-the-board lists as files: FIDE's TXT and XML of a list of one control, and CSV."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final

from django.db.models import QuerySet

from foa.files import FORMATS, TableFile, in_blocks
from foa.spreadsheet import Cell
from ratings.formats.frl import FideRating, PlayerRow, single_txt, single_xml
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.models.lists import flag_of
from ratings.otb.services.standings import as_tuples, control_of
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.types import Chapter
from ratings.rules.units import FideId, Points

COLUMNS: Final = (
    "fide_id",
    "name",
    "federation",
    "sex",
    "title",
    "women_title",
    "other_titles",
    "birth_year",
    "rating",
    "previous",
    "games",
    "k",
    "flag",
)

_AT_ONCE: Final = 2_000


def alphabetical(otb_list: OtbList) -> QuerySet[OtbListEntry]:
    """B.02 7.12, 7.23(b): everybody on the list by name, inactive players too."""
    return otb_list.entries.on(Lists.ALPHABETICAL).order_by("folded", "fide_id")


line: Final[Callable[[OtbListEntry], tuple[Cell, ...]]] = attrgetter(*COLUMNS)
"""Return the values of the columns."""


def entry_rows(entries: QuerySet[OtbListEntry]) -> Iterator[Sequence[Cell]]:
    """The rows of these lines; streamed."""
    return map(line, entries.iterator(_AT_ONCE))


def player_rows(otb_list: OtbList) -> Iterator[PlayerRow]:
    """B.02 7.12: the alphabetical list, inactive players with their flag (7.23(b))."""
    for entry in as_tuples(alphabetical(otb_list)).iterator(_AT_ONCE):
        rating = FideRating(None if entry.rating is None else Points(entry.rating), entry.games, entry.k or 0)
        yield PlayerRow(
            0,
            FideId(entry.fide_id),
            entry.name,
            entry.federation,
            entry.sex,
            entry.title,
            entry.women_title,
            entry.other_titles,
            "",
            rating if otb_list.chapter == Chapter.STANDARD else None,
            rating if otb_list.chapter == Chapter.RAPID else None,
            rating if otb_list.chapter == Chapter.BLITZ else None,
            entry.birth_year,
            flag_of(entry.sex, Lists(entry.listing)),
        )


def txt_lines(otb_list: OtbList) -> Iterator[bytes]:
    """The list in FIDE's layout of a list of one control."""
    day = otb_list.list_day
    return single_txt(player_rows(otb_list), control_of(otb_list.chapter), day.year, day.month)


def checksum(otb_list: OtbList) -> str:
    """SHA-256 of the list as TXT."""
    digest = hashlib.sha256()
    for row in txt_lines(otb_list):
        digest.update(row)
    return digest.hexdigest()


def file_name(otb_list: OtbList) -> str:
    """Without its ending."""
    chapter = "" if otb_list.chapter == Chapter.STANDARD else f"{Chapter(otb_list.chapter).slug}-"
    name = f"over-the-board-{chapter}{otb_list.list_day}"
    return name if otb_list.revision == 1 else f"{name}-revision-{otb_list.revision}"


def _csv(otb_list: OtbList) -> Iterator[bytes]:
    entries = alphabetical(otb_list)
    rows = entry_rows(entries)
    file = TableFile(name=file_name(otb_list), columns=COLUMNS, source=entries, rows=rows, noun="players")
    return FORMATS["csv"].pieces(file)


def _txt(otb_list: OtbList) -> Iterator[bytes]:
    return in_blocks(txt_lines(otb_list))


def _xml(otb_list: OtbList) -> Iterator[bytes]:
    return in_blocks(single_xml(player_rows(otb_list), control_of(otb_list.chapter)))


WHOLE_LIST: Final[Mapping[str, tuple[str, Callable[[OtbList], Iterator[bytes]]]]] = {
    "txt": ("text/plain; charset=us-ascii", _txt),
    "xml": ("application/xml", _xml),
    "csv": (FORMATS["csv"].media_type, _csv),
}
"""The whole list in each form: media type, and its bytes, piece by piece."""
