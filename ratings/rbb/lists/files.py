"""RBB 1.4: rating lists as files, also in the two forms of FIDE's list for one control.

A file in FIDE's form contains those of the list's members who have a FIDE ID, in its order: this is its key,
and readers refuse a list in which many rows share one. Bullet, which FIDE doesn't have, uses the form as
well, since it doesn't name the control.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db.models import QuerySet
from django.utils import timezone

from foa.files import FORMATS, FileFormat, TableFile, in_blocks
from foa.text import utc_text
from ratings.formats.frl import FideControl, FideRating, PlayerRow, single_txt, single_xml
from ratings.office.fields import hundredths
from ratings.rbb.lists.as_of import exact_rating, in_list_order, recalculated_at
from ratings.rbb.lists.columns import LIST_COLUMNS, list_rows, published_columns, published_rows
from ratings.rbb.models.editions import RuleEdition
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rules.rbb.rating import LedgerLine, k_factor
from ratings.rules.rounding import displayed
from ratings.rules.time_controls import Category
from ratings.rules.units import FideId

_CONTROL: Final = FideControl.BLITZ
"""Any of the three gives the same bytes."""

_MOST_GAMES: Final = 999
"""Maximum number of games that fits in the column: three digits and a blank."""

_OVER_THE_BOARD: Final = frozenset({"GM", "IM", "FM", "CM"})
_OF_WOMEN: Final = frozenset({"WGM", "WIM", "WFM", "WCM"})
_OF_ARENA: Final = frozenset({"AGM", "AIM", "AFM", "ACM"})

_FACTS: Final = ("fide_id", "name", "username", "federation", "title")
_AT_ONCE = 5_000
_BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFile(TableFile):
    """A rating list for export; ``players`` are its rows in FIDE's form, made when read.

    Members without a FIDE ID aren't among the players.
    """

    players: Iterable[PlayerRow]


def current_list_file(
    category: Category,
    rows: QuerySet[Rating] | QuerySet[RatingChange],
    as_of: datetime | None = None,
    some: QuerySet[Any] | None = None,
) -> ListFile:
    """Return a category's list now, or at a moment: these rows of ``Rating`` or of the ledger.

    ``some``: a part of them that can be found faster.
    """
    moment = as_of or timezone.now()
    recalculated = as_of and recalculated_at(category, as_of)
    return ListFile(
        name=f"{category.slug}-ratings" if as_of is None else _name_as_of(category, as_of),
        columns=LIST_COLUMNS,
        source=rows,
        rows=list_rows(rows),
        players=_current_players(category, rows, moment),
        noun="members",
        about={
            **list_facts(category, moment),
            "recalculated_at": None if recalculated is None else utc_text(recalculated),
        },
        moment=moment,
        some=some,
    )


def published_list_file(published: RatingList, entries: QuerySet[RatingListEntry]) -> ListFile:
    """Return the file of a published list or of some of its lines, using only what was frozen with it."""
    if published.month is None:
        name = _name_as_of(published.category, published.as_of)
    else:
        name = f"{published.category.slug}-{published.month:%Y-%m}"
        name += f"-revision-{published.revision}" if published.revision > 1 else ""
    columns = published_columns(published)
    return ListFile(
        name=name,
        columns=columns,
        source=entries,
        rows=published_rows(entries, columns),
        players=_published_players(entries),
        noun="members",
        about=list_facts(published.category, published.as_of, published),
        moment=published.as_of,
    )


def month_archive(lists: Iterable[RatingList], format_name: str) -> Iterator[bytes]:
    """Yield a ZIP archive with the file of each of these published lists in one format.

    It has no moment of its own: the same lists give the same bytes.
    """
    kind = LIST_FORMATS[format_name]
    with tempfile.TemporaryFile() as stream:
        with ZipFile(stream, "w") as archive:
            for published in lists:
                file = published_list_file(published, published.entries)
                info = ZipInfo(f"{file.name}.{format_name}", published.as_of.astimezone(UTC).timetuple()[:6])
                info.compress_type = ZIP_DEFLATED
                with archive.open(info, "w", force_zip64=True) as member:
                    for piece in kind.pieces(file):
                        member.write(piece)
        stream.seek(0)
        yield from iter(lambda: stream.read(_BLOCK), b"")


def _name_as_of(category: Category, moment: datetime) -> str:
    return f"{category.slug}-as-of-{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def list_facts(
    category: Category, moment: datetime, published: RatingList | None = None
) -> dict[str, str | int | None]:
    """Return the facts about a list in its JSON file; docs/json.md documents them, the names are stable."""
    return {
        "category": category.slug,
        "as_of": utc_text(moment),
        "month": f"{published.month:%Y-%m}" if published and published.month else None,
        "revision": published.revision if published else None,
        "federation": (published.federation or None) if published else None,
        "published_at": utc_text(published.published_at) if published else None,
        "checksum": published.checksum if published else None,
    }


def _current_players(category: Category, rows: QuerySet[Any], moment: datetime) -> Iterator[PlayerRow]:
    """Yield players with the K for their next game (RBB 3.10) and no games: no period ends here."""
    edition = RuleEdition.objects.editions().at(moment)
    facts = (f"member__{fact}" for fact in _FACTS)
    read = in_list_order(rows).values_list(*facts, exact_rating(rows), "games", "previously_unrated")
    for fide_id, *who, points, games, previously_unrated in read.iterator(_AT_ONCE):
        if fide_id is not None:
            k = k_factor(category, LedgerLine(points, games, previously_unrated), edition)
            yield _player(fide_id, *who, rating=FideRating(displayed(points), 0, k))


def _published_players(entries: QuerySet[RatingListEntry]) -> Iterator[PlayerRow]:
    """Yield players with the period's games and K as frozen."""
    read = entries.select_related(None).values_list(*_FACTS, hundredths("rating"), "period_games", "k")
    for fide_id, *who, points, games, k in read.iterator(_AT_ONCE):
        if fide_id is not None:
            rating = FideRating(displayed(points), min(games, _MOST_GAMES), k or 0)
            yield _player(fide_id, *who, rating=rating)


def _player(
    fide_id: FideId,
    name: str,
    username: str,
    federation: str,
    title: str,
    *,
    rating: FideRating,
) -> PlayerRow:
    return PlayerRow(
        line=0,
        fide_id=fide_id,
        name=name or username,
        federation=federation,
        # Files never contain birth year or sex.
        sex="",
        # FIDE writes a women's title in both columns.
        title=title if title in _OVER_THE_BOARD | _OF_WOMEN else "",
        women_title=title if title in _OF_WOMEN else "",
        other_titles="",
        arena_title=title if title in _OF_ARENA else "",
        standard=None,
        rapid=None,
        blitz=rating,
        birth_year=None,
        flag="",
    )


def _txt(file: ListFile) -> Iterator[bytes]:
    moment = file.moment.astimezone(UTC)
    return in_blocks(single_txt(file.players, _CONTROL, moment.year, moment.month))


def _xml(file: ListFile) -> Iterator[bytes]:
    return in_blocks(single_xml(file.players, _CONTROL))


LIST_FORMATS: Final[Mapping[str, FileFormat[ListFile]]] = {
    **FORMATS,
    "txt": FileFormat("text/plain; charset=us-ascii", _txt),
    "xml": FileFormat("application/xml", _xml),
}
"""All formats of a rating list."""
