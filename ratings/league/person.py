"""The pages of a member in the leagues, for other pages about the same person."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext

from members.models import Member
from ratings.league.models import Player


def league_pages(member: Member) -> Iterator[tuple[str, str]]:
    """One for each league that they have played in."""
    for player in Player.objects.filter(member=member.pk).select_related("league").order_by("league"):
        yield player.get_absolute_url(), gettext("League: %(name)s") % {"name": player.league}
