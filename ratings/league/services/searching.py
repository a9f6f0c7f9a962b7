"""The search for teams of the league."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from members.words import first_with_words
from ratings.league.models import Team
from ratings.office.search import Hit, Hits

_SHORTEST: Final = 2


def teams(text: str, most: int) -> Hits:
    """Find teams, those of the latest season first."""
    rows = Team.objects.select_related("season__league").order_by("-season__ordinal", "name", "pk")
    found = first_with_words(rows, text, most) if len(text) >= _SHORTEST else []
    return Hits(
        _("Teams"),
        [Hit(one.name, one.get_absolute_url(), f"{one.season.league} · {one.season}") for one in found],
    )
