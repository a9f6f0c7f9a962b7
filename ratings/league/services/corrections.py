"""Correcting what closed cycles were rated with, and finding the lines of lists that change."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from foa.history import name_author
from ratings.league.models import (
    WITHOUT_PLAYER,
    Board,
    Cycle,
    CycleList,
    CycleResult,
    League,
    Match,
    Season,
    SquadPlayer,
)
from ratings.league.services.cycles import FIGURES, cycle_of, first_closed_of_league, lock_league, rerate_from
from ratings.rules.bal.cycles import BoardResult, results_of
from ratings.rules.rounding import to_hundredths
from ratings.rules.units import Hundredths


class ChangedLine(NamedTuple):
    """A player's line of a list now and in the revision before; None if they aren't on it."""

    before: CycleResult | None
    after: CycleResult


class CycleRatings(NamedTuple):
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


def correct_board(board: Board, *, reason: str, by: Any, at: datetime, **given: Any) -> list[CycleList]:
    """Correct the given fields of a board. Return the revised lists if its cycle is closed.

    ``given``: ``result``, ``home_player``, ``away_player``; a player is None if the team had none. Raises
    ValidationError for a player who isn't in the team or plays twice in the round, for a result that a board
    without a player can't have, and if nothing would change. Uses one transaction.
    """
    with transaction.atomic():
        lock_league()
        stored = Board.objects.select_related("match__season").filter(pk=board.pk).first()
        if stored is None:
            raise ValidationError(_("This board no longer exists."))
        stood = (stored.result, stored.home_player_id, stored.away_player_id)
        for name, value in given.items():
            setattr(stored, name, value)
        if stood == (stored.result, stored.home_player_id, stored.away_player_id):
            raise ValidationError(_("The board already has these values, so there’s nothing to correct."))
        if faults := _faults(stored):
            raise ValidationError(faults)
        return correct(stored, reason=reason, by=by, at=at)


def correct(changed: Board | League | SquadPlayer, *, reason: str, by: Any, at: datetime) -> list[CycleList]:
    """Store an input, and rate again from the first closed cycle that was rated with it, if there is one.

    ``reason``: for the history of the input.
    """
    name_author(changed, by, reason)
    with transaction.atomic():
        lock_league()
        changed.save()
        cycle = rated_with(changed)
        return [] if cycle is None else rerate_from(cycle, at=at, by=by)


def standing(league: League) -> dict[int, CycleRatings]:
    """Return everybody's standing after their last list, by player."""
    results = CycleResult.objects.in_force().filter(cycle_list__cycle__season__league=league)
    return {
        player: CycleRatings(None if is_new else _hundredths(old), _hundredths(new))
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


def _faults(board: Board) -> list[str]:
    """Say what is wrong with a board's result and players."""
    match, faults = board.match, []
    if board.result not in set(BoardResult):
        faults.append(_("“%(result)s” isn’t a valid result.") % {"result": board.result})
    elif board.result not in results_of(
        home=board.home_player_id is not None, away=board.away_player_id is not None
    ):
        faults.append(str(WITHOUT_PLAYER))
    if board.home_player_id is not None and board.home_player_id == board.away_player_id:
        faults.append(_("A player can’t play against themselves."))
    squads = SquadPlayer.objects.filter(season=match.season_id)
    others = Board.objects.filter(match__season=match.season_id, match__round=match.round)
    for player, team in ((board.home_player, match.home_team), (board.away_player, match.away_team)):
        if player is None:
            continue
        if not squads.filter(player=player, team=team).exists():
            faults.append(_("%(player)s is not in the squad of %(team)s.") % {"player": player, "team": team})
        if others.exclude(pk=board.pk).filter(Q(home_player=player) | Q(away_player=player)).exists():
            faults.append(
                _("%(player)s is already on another board in round %(round)d.")
                % {"player": player, "round": match.round}
            )
    return faults


def _hundredths(points: Any) -> Hundredths | None:
    return None if points is None else to_hundredths(points)
