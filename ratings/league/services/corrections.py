"""Correcting what closed cycles were rated with, and finding the lines of lists that change."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import transaction

from ratings.league.models import Board, Cycle, CycleList, CycleResult, League, Match, Season, SquadPlayer
from ratings.league.services.cycles import FIGURES, first_closed_of_league, rerate_from
from ratings.league.services.locks import lock_league
from ratings.league.services.rounds import cycle_of
from ratings.rules.rounding import to_hundredths
from ratings.rules.units import Hundredths


class ChangedLine(NamedTuple):
    """A player's line of a list now and in the revision before; None if they aren't on it."""

    before: CycleResult | None
    after: CycleResult


class Standing(NamedTuple):
    """A player's rating at the start of a cycle and on its list, in hundredths; None while unrated."""

    start: Hundredths | None
    rating: Hundredths | None


def first_closed_of_season(season: Season) -> Cycle | None:
    """Return the first closed cycle, or None while all are open."""
    return Cycle.objects.filter(season=season, closed_at__isnull=False).order_by("number").first()


def closed_cycle_of(match: Match) -> Cycle | None:
    """Return the closed cycle that was rated with a match, or None while it is open."""
    cycle = cycle_of(match.season, match.round)
    return None if cycle is None or cycle.closed_at is None else cycle


def rated_with(what: Board | SquadPlayer | League) -> Cycle | None:
    """Return the first closed cycle that was rated with it. From then on it is corrected, not edited."""
    if isinstance(what, Board):
        return closed_cycle_of(what.match)
    return first_closed_of_entry(what) if isinstance(what, SquadPlayer) else first_closed_of_league(what)


def first_closed_of_entry(entry: SquadPlayer) -> Cycle | None:
    """Return the first closed cycle with the player on its list; earlier ones weren't rated with them."""
    lists = CycleList.objects.in_force().filter(results__player=entry.player_id)
    cycles = Cycle.objects.filter(season=entry.season_id, lists__in=lists)
    return cycles.order_by("number").first()


def correct_entry(entry: SquadPlayer, *, at: datetime, by: Any, reason: str) -> list[CycleList]:
    """Store a player's starting figures or team, and rate closed cycles again from the first with them."""
    vars(entry).update(_history_user=by, _change_reason=reason or None)
    return _correct(entry, first_closed_of_entry(entry), at, by)


def correct_limit(league: League, *, at: datetime, by: Any) -> list[CycleList]:
    """Store the number of games that establishes a rating, and rate all closed cycles again."""
    return _correct(league, first_closed_of_league(league), at, by)


def standing(league: League) -> dict[int, Standing]:
    """Return everybody's standing after their last list, by player."""
    results = CycleResult.objects.in_force().filter(cycle_list__cycle__season__league=league)
    return {
        player: Standing(None if is_new else _hundredths(old), _hundredths(new))
        for player, is_new, old, new in results.values_list("player", "captains_estimate", "old", "new")
    }


def changed_lines(published: CycleList) -> list[ChangedLine]:
    """Return the lines in which a list differs from its revision before, by name."""
    earlier = CycleList.objects.filter(cycle=published.cycle_id, revision=published.revision - 1)
    stood = {one.player_id: one for one in CycleResult.objects.filter(cycle_list__in=earlier)}
    figures = attrgetter(*FIGURES)
    lines = CycleResult.objects.filter(cycle_list=published).select_related("team").order_by("name", "player")
    return [
        ChangedLine(before, after)
        for after in lines
        if (before := stood.get(after.player_id)) is None or figures(before) != figures(after)
    ]


def _correct(changed: League | SquadPlayer, cycle: Cycle | None, at: datetime, by: Any) -> list[CycleList]:
    with transaction.atomic():
        lock_league()
        changed.save()
        return [] if cycle is None else rerate_from(cycle, at=at, by=by)


def _hundredths(points: Any) -> Hundredths | None:
    return None if points is None else to_hundredths(points)
