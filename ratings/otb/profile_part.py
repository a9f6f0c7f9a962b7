"""The office's own over-the-board ratings of a member and their tournaments, on the member's public page."""

from __future__ import annotations

from django.urls import reverse

from members.models import Member
from ratings.office.rooms import Part
from ratings.otb.models import TournamentResult
from ratings.otb.services.cards import latest_entry

_TOURNAMENTS = 5


def otb_part(member: Member) -> Part | None:
    """The latest rating and the latest rated tournaments, as for JSON; None for somebody without either."""
    if member.fide_id is None:
        return None
    entry = latest_entry(member.fide_id)
    results = TournamentResult.objects.filter(fide_id=member.fide_id).select_related("tournament")
    tournaments = [
        {
            "name": one.tournament.name,
            "url": reverse("otb:tournament_player", args=(one.tournament_id, one.number)),
            "last_day": one.tournament.last_day,
            "games": one.rated_games,
            "change": one.change,
        }
        for one in results.order_by("-tournament__last_day", "-tournament__first_day", "-tournament")[
            :_TOURNAMENTS
        ]
    ]
    if entry is None and not tournaments:
        return None
    context = {
        "source": "otb",
        "url": reverse("otb:player", args=(member.fide_id,)),
        "rating": entry and entry.rating,
        "list": entry and entry.otb_list.get_absolute_url(),
        "list_day": entry and entry.otb_list.list_day,
        "tournaments": tournaments,
    }
    return Part("otb/_profile_part.html", context)
