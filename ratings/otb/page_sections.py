"""The office's own over-the-board ratings of a member, on other pages about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from members.models import Member
from ratings.office.page_sections import Page, PageSection, adds_to, has_facts, page_about_person
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


class RatedTournamentOfMemberSerializer(serializers.Serializer[Any]):
    """A rated tournament of a member."""

    name = serializers.CharField()
    url = serializers.CharField(help_text="The page of the player’s games in it.")
    last_day = serializers.DateField()
    games = serializers.IntegerField(help_text="Rated games.")
    change = serializers.DecimalField(max_digits=7, decimal_places=2, allow_null=True)


@has_facts(Page.OVER_THE_BOARD, "otb")
class OnOurListsSerializer(serializers.Serializer[Any]):
    """A member on our standard list over the board, and the latest standard tournaments."""

    url = serializers.CharField(help_text="The page of the player.")
    rating = serializers.IntegerField(allow_null=True)
    list = serializers.CharField(allow_null=True, help_text="The address of the list.")
    list_day = serializers.DateField(allow_null=True)
    tournaments = RatedTournamentOfMemberSerializer(many=True, help_text="At most five, latest first.")


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
