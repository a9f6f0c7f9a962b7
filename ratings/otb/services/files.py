"""B.02 7.12: over-the-board lists as files: FIDE's TXT and XML of a list of one control, and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from django.db.models import QuerySet

from foa.files import FORMATS, TableFile, in_blocks
from foa.spreadsheet import Cell
from ratings.formats.frl import single_xml
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.services.rows import player_rows, txt_lines
from ratings.otb.services.standings import control_of
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.types import Chapter

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


def line(entry: OtbListEntry) -> tuple[Cell, ...]:
    return (
        entry.fide_id,
        entry.name,
        entry.federation,
        entry.sex,
        entry.title,
        entry.women_title,
        entry.other_titles,
        entry.birth_year,
        entry.rating,
        entry.previous,
        entry.games,
        entry.k,
        entry.flag,
    )


def entry_rows(entries: QuerySet[OtbListEntry]) -> Iterator[Sequence[Cell]]:
    """The rows of these lines; streamed."""
    return map(line, entries.iterator(_AT_ONCE))


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
