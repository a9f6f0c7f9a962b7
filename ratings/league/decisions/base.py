"""Base of decisions that rate cycles again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from django.urls import reverse

from foa.said import gettext
from ratings.league.models import CycleList, League, Player
from ratings.league.services.corrections import Standing, standing
from ratings.office.decision_types import DecisionType
from ratings.office.effects import Fact, Move

_SCALE = "league"


class LeagueKind(DecisionType):
    """A decision that moves ratings of a league's players. Each player has one rating."""

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        players = Player.objects.in_bulk(subjects)
        return {pk: (player.name, player.get_absolute_url()) for pk, player in players.items()}

    def name_scale(self, scale: str) -> str:
        return gettext("Team league")


def moves_since(before: Mapping[int, Standing], league: League) -> Iterator[Move]:
    """Yield changed ratings. A player who was or is on no list has the rating they started with."""
    after = standing(league)
    for player in {**before, **after}:
        then = before[player].rating if player in before else after[player].start
        now = after[player].rating if player in after else before[player].start
        if then != now:
            yield Move(player, _SCALE, then, now)


def fact_of(published: CycleList, label: str) -> Fact:
    """Return the fact that a list is published. Its checksum represents the contents."""
    key = f"cycle {published.cycle_id} revision {published.revision}"
    return Fact("lists", key, label, after=published.checksum)


def links_of(published: CycleList) -> tuple[tuple[str, str], ...]:
    """Return labels and addresses of the list's public page and of its CSV file."""
    cycle = published.cycle
    file = reverse("league:list_file", args=(cycle.season_id, cycle.number, published.revision))
    return (gettext("List"), published.get_absolute_url()), ("CSV", file)
