"""Base of decisions that rate cycles again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from ratings.league.models import Cycle, CycleList, CycleResult, League, Player
from ratings.league.services.corrections import CycleRatings, standing
from ratings.league.services.cycles import (
    NotClosed,
    NotReopened,
    close_cycle,
    lock_league,
    missing,
    next_cycle,
    reopen_cycle,
)
from ratings.office.decision_types import Decision, DecisionType, register
from ratings.office.effects import Effect, Fact, Move, Sentence
from ratings.office.forms import OneOf

_SCALE = "league"


class LeagueKind(DecisionType):
    """A decision that moves ratings of a league's players. Each player has one rating."""

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        players = Player.objects.in_bulk(subjects)
        return {pk: (player.name, player.get_absolute_url()) for pk, player in players.items()}

    def name_scale(self, scale: str) -> str:
        return gettext("Team league")


def moves_since(before: Mapping[int, CycleRatings], league: League) -> Iterator[Move]:
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


class Closing(NamedTuple):
    """A cycle's list, with its lines by name."""

    published: CycleList
    lines: list[CycleResult]


class CycleForm(forms.Form):
    cycle = OneOf(Cycle.objects.select_related("season__league"))


class _OfCycle(LeagueKind):
    """A decision about a cycle that publishes its list or withdraws it."""

    permission = "league.close_cyclelist"
    form = CycleForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        return str(asked["cycle"]) if asked else ""


@register
class CloseCycle(_OfCycle):
    """Decision to rate the rounds of a cycle and publish its list. Warns of what may be missing."""

    name = "close-cycle"
    title = _("Close a rating cycle")
    register_title = _("Rating cycle closed")
    button = _("Close the cycle and publish the list")
    asks_reason = False
    template = "admin/league/cycle/_closing.html"

    def apply(self, decision: Decision) -> Effect:
        """Close this cycle and no other."""
        lock_league()
        cycle: Cycle = decision.asked["cycle"]
        league = cycle.season.league
        before = standing(league)
        warnings = [Fact("warnings", key, told) for key, told in missing(cycle)]
        try:
            published = _close(cycle, decision)
        except NotClosed as refusal:
            told = gettext("The cycle cannot be closed: %(reason)s.") % {"reason": refusal}
            raise ValidationError(told) from refusal
        results = CycleResult.objects.filter(cycle_list=published).select_related("team", "player")
        told = gettext("The cycle is closed, and %(list)s is published.") % {"list": published}
        return Effect(
            moves=list(moves_since(before, league)),
            facts=[*warnings, fact_of(published, str(published))],
            outcome=[Sentence(told, links_of(published))],
            objects=[cycle],
            result=Closing(published, list(results.order_by("name", "player"))),
            undo=("reopen-cycle", {"cycle": [str(cycle.pk)]}),
        )


@register
class ReopenCycle(_OfCycle):
    """Decision to reopen the last closed cycle of a league. Its list is kept, but withdrawn."""

    name = "reopen-cycle"
    title = _("Reopen a rating cycle")
    register_title = _("Rating cycle reopened")
    button = _("Reopen the cycle and withdraw its list")
    words = {**LeagueKind.words, "withdrawn": _("withdrawn")}

    def apply(self, decision: Decision) -> Effect:
        """Give the players back the ratings that they had before the cycle."""
        lock_league()
        cycle: Cycle = decision.asked["cycle"]
        league = cycle.season.league
        before = standing(league)
        try:
            withdrawn = reopen_cycle(cycle, at=decision.at)
        except NotReopened as refusal:
            raise ValidationError(str(refusal)) from refusal
        told = gettext("The cycle is open again, and %(list)s is withdrawn.") % {"list": withdrawn}
        return Effect(
            moves=list(moves_since(before, league)),
            facts=[fact_of(withdrawn, str(withdrawn))._replace(before=withdrawn.checksum, after="withdrawn")],
            outcome=[Sentence(told, links_of(withdrawn))],
            objects=[cycle],
            undo=("close-cycle", {"cycle": [str(cycle.pk)]}),
        )


def _close(cycle: Cycle, decision: Decision) -> CycleList:
    following = next_cycle(cycle.season)
    if following is None or following.number > cycle.number:
        raise NotClosed(gettext("it is already closed"))
    if following.pk != cycle.pk:
        raise NotClosed(gettext("close %(cycle)s first") % {"cycle": following})
    return close_cycle(cycle.season, at=decision.at, by=decision.by)
