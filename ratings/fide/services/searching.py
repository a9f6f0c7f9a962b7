"""The search for players of the FIDE list in force."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.apps import apps
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from members.models import Member
from ratings.fide.models import CONTROL_NAMES, FidePlayer, FidePlayerQuerySet
from ratings.office.search import Hit, Hits

_SHORTEST: Final = 3


def players(text: str, most: int) -> Hits:
    """Find players who aren't members."""
    members = Member.objects.filter(fide_id=OuterRef("pk"))
    return _hits(FidePlayer.objects.filter(~Exists(members)), text, most)


def fide_players(text: str, most: int) -> Hits:
    """Find all players."""
    return _hits(FidePlayer.objects.all(), text, most)


def _hits(rows: FidePlayerQuerySet, text: str, most: int) -> Hits:
    """Find players by FIDE ID or by the beginning of their names, by index."""
    matching = rows.matching(text).order_by("folded", "fide_id")
    found = list(matching[: most + 1]) if len(text) >= _SHORTEST else []
    more = f"{reverse('fide:players')}?{urlencode({'player': text})}"
    return Hits(
        _("FIDE list"),
        [
            Hit(
                one.name,
                _page_of(one),
                _note_of(one),
                one.title or one.women_title,
                one.federation,
            )
            for one in found[:most]
        ],
        more if len(found) > most else "",
    )


def _note_of(player: FidePlayer) -> str:
    ratings = [f"{name}\xa0{rating}" for one, name in CONTROL_NAMES.items() if (rating := player.rating(one))]
    return " · ".join([gettext("FIDE ID %d") % player.pk, *ratings])


def _page_of(player: FidePlayer) -> str:
    if apps.is_installed("ratings.otb"):
        return address_of("otb:player", player.pk)
    return f"{reverse('fide:players')}?{urlencode({'player': player.pk})}"
