"""The leagues of a member, on the member's public page."""

from __future__ import annotations

from members.models import Member
from ratings.league.models import CycleResult, SquadPlayer
from ratings.office.rooms import Part


def league_part(member: Member) -> Part | None:
    """Each league with the latest team and rating, as for JSON; None for somebody who plays in none."""
    squads = (
        SquadPlayer.objects.filter(player__member=member)
        .select_related("player__league", "team", "season")
        .order_by("season__ordinal")
    )
    results = (
        CycleResult.objects.in_force()
        .filter(player__member=member, new__isnull=False)
        .order_by("cycle_list__cycle__season__ordinal", "cycle_list__cycle__number", "cycle_list__revision")
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
    return Part("league/_profile_part.html", {"source": "league", "leagues": leagues}) if leagues else None
