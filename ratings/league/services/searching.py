"""The search for teams and players of the league."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from members.words import with_words, with_words_anywhere
from ratings.league.models import CycleResult, Player, Team
from ratings.office.search import Hit, Hits
from ratings.rules.rounding import displayed, to_hundredths

_SHORTEST: Final = 2


def teams(text: str, most: int) -> Hits:
    """Find teams, those of the latest season first."""
    rows = Team.objects.select_related("season__league").order_by("-season__ordinal", "name", "pk")
    found = list(with_words_anywhere(rows, text)[:most]) if len(text) >= _SHORTEST else []
    return Hits(
        _("Teams"),
        [Hit(one.name, one.get_absolute_url(), f"{one.season.league} · {one.season}") for one in found],
    )


def league_players(text: str, most: int) -> Hits:
    """Find players by name, with their ratings on the last lists they are on."""
    rows = Player.objects.select_related("league", "member").order_by("name", "pk")
    found = list(with_words(rows, text)[:most]) if len(text) >= _SHORTEST else []
    # In the order of the lists: the last one counts.
    lines = CycleResult.objects.in_force().filter(player__in=found, new__isnull=False)
    ratings: dict[int, Any] = dict(lines.values_list("player", "new"))
    return Hits(
        _("Players"),
        [
            Hit(
                one.name,
                one.get_absolute_url(),
                f"{one.league} · {displayed(to_hundredths(ratings[one.pk]))}"
                if one.pk in ratings
                else str(one.league),
                one.member.title if one.member else "",
                one.member.federation if one.member else "",
            )
            for one in found
        ],
    )
