"""The search for tournaments and players over the board."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.db.models import QuerySet, Value
from django.db.models.functions import Concat
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from foa.text import NOTHING, date_text
from members.words import with_words_anywhere
from ratings.office.names import is_player
from ratings.office.search import Hit, Hits
from ratings.otb.models import OtbListEntry, Tournament
from ratings.otb.services.combined import combined_list
from ratings.rules.b02.lists import Lists

_SHORTEST: Final = 2
_NAMED: Final = Lists.ALPHABETICAL | Lists.DELISTED | Lists.TITLED
"""Listings whose pages have a filter by name (B.02 7.2)."""


def with_places(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Add ``where``: name and city in one text."""
    return tournaments.annotate(where=Concat("name", Value(" "), "city"))


def tournaments(text: str, most: int) -> Hits:
    """Find tournaments, the latest first."""
    rows = with_words_anywhere(with_places(Tournament.objects.order_by("-last_day", "-pk")), text, "where")
    found = list(rows[: most + 1]) if len(text) >= _SHORTEST else []
    more = f"{reverse('otb:tournaments')}?{urlencode({'tournament': text})}"
    return Hits(
        _("Over-the-board tournaments"),
        [
            Hit(
                one.name,
                one.get_absolute_url(),
                " · ".join(filter(None, (one.city, date_text(one.last_day)))),
                federation=one.federation,
            )
            for one in found[:most]
        ],
        more if len(found) > most else "",
    )


def board_players(text: str, most: int) -> Hits:
    """Find players of the latest lists by FIDE ID or by the beginning of their names, with their ratings."""
    latest = combined_list()
    found: dict[int, list[OtbListEntry]] = {}
    for one in latest.lists if latest and len(text) >= _SHORTEST else ():
        entries = one.entries.on(_NAMED).filter(is_player(text)).select_related("otb_list")
        for entry in entries.order_by("folded", "fide_id")[:most]:
            found.setdefault(entry.fide_id, []).append(entry)
    in_order = sorted(found.values(), key=lambda lines: (lines[0].folded, lines[0].fide_id))
    return Hits(
        _("Players"),
        [
            Hit(
                lines[0].name,
                address_of("otb:player", lines[0].fide_id),
                " · ".join([gettext("FIDE ID %d") % lines[0].fide_id, *map(_rating, lines)]),
                lines[0].title or lines[0].women_title,
                lines[0].federation,
            )
            for lines in in_order[:most]
        ],
    )


def _rating(line: OtbListEntry) -> str:
    return f"{capfirst(line.otb_list.get_chapter_display())}\xa0{line.rating or NOTHING}"
