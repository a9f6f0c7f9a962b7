"""The search for tournaments over the board."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.db.models import QuerySet, Value
from django.db.models.functions import Concat
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from members.words import first_with_words
from ratings.office.search import Hit, Hits
from ratings.otb.models import Tournament

_SHORTEST: Final = 2


def with_places(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Add ``where``: name and city in one text."""
    return tournaments.annotate(where=Concat("name", Value(" "), "city"))


def tournaments(text: str, most: int) -> Hits:
    """Find tournaments, the latest first."""
    rows = with_places(Tournament.objects.order_by("-last_day", "-pk"))
    found = first_with_words(rows, text, most + 1, "where") if len(text) >= _SHORTEST else []
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
