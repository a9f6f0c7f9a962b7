"""Sections and links about a member's leagues, on other pages about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from members.models import Member
from ratings.league.models import CycleResult, Player, SquadPlayer
from ratings.office.page_sections import Page, PageSection, adds_to, has_facts, page_about_person


@page_about_person
def league_pages(member: Member) -> Iterator[tuple[str, str]]:
    """Yield a link for each league that they have played in."""
    for player in Player.objects.filter(member=member.pk).select_related("league").order_by("league"):
        yield player.get_absolute_url(), gettext("League: %(name)s") % {"name": player.league}


class LeagueOfMemberSerializer(serializers.Serializer[Any]):
    """A league in which a member plays: the latest season, and the rating after the latest cycle."""

    league = serializers.CharField()
    url = serializers.CharField(help_text="The page of the player.")
    rating = serializers.DecimalField(max_digits=7, decimal_places=2, allow_null=True)
    season = serializers.CharField()
    team = serializers.CharField()
    team_url = serializers.CharField()


@has_facts(Page.OVER_THE_BOARD, "league")
class LeaguesOfMemberSerializer(serializers.Serializer[Any]):
    """The leagues of a member."""

    leagues = LeagueOfMemberSerializer(many=True)


@adds_to(Page.OVER_THE_BOARD)
def league_part(member: Member) -> PageSection | None:
    """Return each league with the latest team and rating, as for JSON, or None if they play in none."""
    squads = (
        SquadPlayer.objects.filter(player__member=member)
        .select_related("player__league", "team", "season")
        .order_by("season__ordinal")
    )
    results = (
        CycleResult.objects.in_force()
        .filter(player__member=member, new__isnull=False)
        .values_list("player", "new")
    )
    ratings = dict(results)
    latest = {one.player_id: one for one in squads}
    leagues = [
        {
            "league": str(one.player.league),
            "url": one.player.get_absolute_url(),
            "rating": ratings.get(one.player_id),
            "season": str(one.season),
            "team": str(one.team),
            "team_url": one.team.get_absolute_url(),
        }
        for one in latest.values()
    ]
    return (
        PageSection("league/_profile_part.html", {"source": "league", "leagues": leagues})
        if leagues
        else None
    )
