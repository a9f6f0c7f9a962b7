"""An over-the-board list as FIDE prints one: the players whose names are published, by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from ratings.formats.frl import FideRating, PlayerRow, single_txt
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.models.lists import flag_of
from ratings.otb.services.standings import as_tuples, control_of
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.types import Chapter
from ratings.rules.units import FideId, Points

_AT_ONCE: Final = 2_000


def player_rows(otb_list: OtbList) -> Iterator[PlayerRow]:
    """B.02 7.12: the alphabetical list, inactive players with their flag (7.23(b))."""
    entries = OtbListEntry.objects.filter(otb_list=otb_list).on(Lists.ALPHABETICAL)
    for entry in as_tuples(entries.order_by("folded", "fide_id")).iterator(_AT_ONCE):
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
    for line in txt_lines(otb_list):
        digest.update(line)
    return digest.hexdigest()
