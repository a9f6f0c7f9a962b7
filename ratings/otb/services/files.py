"""B.02 7.12: over-the-board lists as files: FIDE's TXT and XML of a list of one control, and CSV."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from django.db.models import QuerySet

from foa.files import FORMATS, in_blocks
from foa.list_rows import ListRows, text, whole
from foa.spreadsheet import Cell, csv_pieces
from ratings.formats.frl import FideRating, PlayerRow, single_txt, single_xml
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.models.lists import flag_of
from ratings.otb.services.standings import as_tuples, control_of
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import FideId, Points

LINES: Final = ListRows(
    "A player on an over-the-board list.",
    fide_id=whole(),
    name=text(),
    federation=text(blank=True),
    sex=text(blank=True),
    title=text(blank=True),
    women_title=text(blank=True),
    other_titles=text(blank=True),
    birth_year=whole(null=True),
    rating=whole(null=True),
    previous=whole(null=True),
    games=whole(),
    k=whole(null=True),
    flag=text("sex", "listing", value=lambda sex, listing: flag_of(sex, Lists(listing)), blank=True),
)

TOP_LINES: Final = ListRows(
    "A line of the top hundred.", rank=whole(help="Equal ratings share it."), **LINES.columns
)
TOP: Final = 100
"""Maximum number of players on a top list."""

_AT_ONCE: Final = 2_000


def alphabetical(otb_list: OtbList) -> QuerySet[OtbListEntry]:
    """B.02 7.12, 7.23(b): return everybody on the list by name, with inactive players."""
    return otb_list.entries.on(Lists.ALPHABETICAL).order_by("folded", "fide_id")


def active_by_rating(otb_list: OtbList) -> QuerySet[OtbListEntry]:
    """Return the active players by rating, equal ones by FIDE ID, as the index has them."""
    return otb_list.entries.on(Lists.ACTIVE).order_by("-rating", "fide_id")


def top_of(entries: QuerySet[OtbListEntry]) -> list[tuple[int, OtbListEntry]]:
    """B.02 7.24: return the first hundred of these lines with their ranks."""
    ranked: list[tuple[int, OtbListEntry]] = []
    for place, entry in enumerate(entries[:TOP], 1):
        shared = ranked and ranked[-1][1].rating == entry.rating
        ranked.append((ranked[-1][0] if shared else place, entry))
    return ranked


def top_rows(entries: QuerySet[OtbListEntry]) -> Iterator[Sequence[Cell]]:
    """Yield the same as rows of ``TOP_LINES``."""
    lines = zip(top_of(entries), LINES.of(entries[:TOP]), strict=True)
    return ((rank, *line) for (rank, _entry), line in lines)


def player_rows(otb_list: OtbList) -> Iterator[PlayerRow]:
    """B.02 7.12: yield the alphabetical list, inactive players with their flag (7.23(b))."""
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
    """Yield the list in FIDE's layout of a list of one control."""
    day = otb_list.list_day
    return single_txt(player_rows(otb_list), control_of(otb_list.chapter), day.year, day.month)


def checksum(otb_list: OtbList) -> str:
    """Return the SHA-256 of the list as TXT."""
    digest = hashlib.sha256()
    for row in txt_lines(otb_list):
        digest.update(row)
    return digest.hexdigest()


def file_name(otb_list: OtbList) -> str:
    """Return the name without its ending."""
    chapter = "" if otb_list.chapter == Chapter.STANDARD else f"{Chapter(otb_list.chapter).slug}-"
    name = f"over-the-board-{chapter}{otb_list.list_day}"
    return name if otb_list.revision == 1 else f"{name}-revision-{otb_list.revision}"


def _csv(otb_list: OtbList) -> Iterator[bytes]:
    return map(str.encode, csv_pieces(LINES.names, LINES.of(alphabetical(otb_list))))


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
