"""The office's own over-the-board ratings of a member, on other pages about them."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from members.models import Member
from ratings.office.page_sections import Page, PageSection, adds_to, page_about_person
from ratings.otb.models import OtbListEntry, TournamentResult
from ratings.otb.services.player_record import latest_entry
from ratings.rules.b02.time_controls import Chapter


@page_about_person
def card_page(member: Member) -> Iterator[tuple[str, str | Promise]]:
    """Link to the card of a member who is on a list of the office or played in a rated tournament."""
    known = (OtbListEntry.objects, TournamentResult.objects)
    if member.fide_id and any(rows.filter(fide_id=member.fide_id).exists() for rows in known):
        yield reverse("otb:player", args=(member.fide_id,)), _("Over the board")


_TOURNAMENTS = 5


@adds_to(Page.OVER_THE_BOARD)
def otb_part(member: Member) -> PageSection | None:
    """Return the latest rating and rated tournaments, as for JSON; None for somebody without either."""
    if member.fide_id is None:
        return None
    entry = latest_entry(member.fide_id, Chapter.STANDARD)
    results = TournamentResult.objects.filter(
        fide_id=member.fide_id, tournament__chapter=Chapter.STANDARD
    ).select_related("tournament")
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
    return PageSection("otb/_profile_part.html", context)
