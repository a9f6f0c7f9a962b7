"""Storing rounds of a season from a file, and correcting single boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from ratings.formats.league import BoardRow
from ratings.formats.problems import Problem
from ratings.league.models import Board, Cycle, CycleList, Match, Player, Season, SquadPlayer
from ratings.league.models.seasons import WITHOUT_PLAYER
from ratings.league.services.cycles import rerate_from
from ratings.league.services.locks import lock_league
from ratings.league.services.missing import missing_boards
from ratings.league.services.round_rows import Place, RoundRows, says
from ratings.league.services.squads import RowsRefused
from ratings.rules.bal.types import BoardResult, results_of

_REPLACED: Final = "replaced by an import"


class Replaced(NamedTuple):
    """A board that a file changes: its place, and the result before and now."""

    place: Place
    before: str
    after: str


@dataclass(slots=True)
class RoundsStored:
    """The result of a file of boards.

    ``new_players``: those with a captain's estimate, with their teams. ``missing``: sentences about matches
    in the file with fewer boards than others of the season.
    """

    stored: int = 0
    replaced: list[Replaced] = field(default_factory=list)
    already_there: int = 0
    new_players: Mapping[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def cycle_of(season: Season, round_: int) -> Cycle | None:
    """Return the cycle that rates this round, or None for a round after the last cycle."""
    cycles = Cycle.objects.filter(season=season, last_round__gte=round_)
    return cycles.order_by("last_round").first()


def store_round(
    season: Season,
    rows: Iterable[BoardRow | Problem],
    *,
    replace: bool = False,
    add_unknown_as_ce: bool = False,
) -> RoundsStored:
    """Store the boards of one or several rounds with their matches, or nothing, in one transaction.

    Boards that are stored as in the file are left alone. ``replace``: allow other players and results for
    boards of an open cycle. ``add_unknown_as_ce``: add players unknown in the league to the team that they
    played for, as new players. Raises RowsRefused.
    """
    with transaction.atomic():
        lock_league()
        taken = RoundRows(season, replace=replace, add_unknown_as_ce=add_unknown_as_ce)
        for row in rows:
            taken.take(row)
        taken.check_players()
        if taken.problems:
            raise RowsRefused(taken.problems)
        return _store(taken, season)


def correct(
    board: Board,
    *,
    reason: str = "",
    by: Any,
    at: datetime,
    **given: Any,
) -> list[CycleList]:
    """Correct the given fields of a board. Return the revised lists if its cycle is closed.

    ``given``: ``result``, ``home_player``, ``away_player``; a player is None if the team had none.
    ``reason``: for the history of the board. Raises ValidationError for a player who isn't in the team or
    plays twice in the round, for a result that a board without a player can't have, and if nothing would
    change. Uses one transaction.
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
            raise ValidationError(_("The board has these values already. Nothing to correct."))
        if faults := _faults(stored):
            raise ValidationError(faults)
        vars(stored).update(_history_user=by, _change_reason=reason or None)
        stored.save()
        cycle = cycle_of(stored.match.season, stored.match.round)
        return [] if cycle is None or cycle.closed_at is None else rerate_from(cycle, at=at, by=by)


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
                _("%(player)s plays another board of round %(round)d.")
                % {"player": player, "round": match.round}
            )
    return faults


def _store(rows: RoundRows, season: Season) -> RoundsStored:
    result = RoundsStored(already_there=rows.already_there, new_players=dict(rows.new_players))
    for name, team in rows.new_players.items():
        player = rows.players[name] = Player.objects.create(league=season.league, name=name)
        SquadPlayer.objects.create(
            season=season, player=player, team=rows.teams[team], games=0, captains_estimate=True
        )
    new: list[Board] = []
    for place, row in rows.fresh.items():
        key = (row.round, row.home_team, row.away_team)
        if key not in rows.matches:
            rows.matches[key] = Match.objects.create(
                season=season,
                round=row.round,
                home_team=rows.teams[row.home_team],
                away_team=rows.teams[row.away_team],
            )
        board = rows.stored.get(place) or Board(match=rows.matches[key], number=row.board)
        before = "" if board.pk is None else says(board)
        board.home_player = rows.players[row.home_player] if row.home_player else None
        board.away_player = rows.players[row.away_player] if row.away_player else None
        board.result = row.result
        if board.pk is None:
            new.append(board)
        else:
            vars(board).update(_change_reason=_REPLACED)
            board.save()
            result.replaced.append(Replaced(place, before, says(board)))
    Board.objects.bulk_create(new)
    result.stored = len(new)
    touched = {rows.matches[row.round, row.home_team, row.away_team].pk for row in rows.fresh.values()}
    result.missing = [said for match, said in missing_boards(season).items() if match in touched]
    if result.missing:
        result.missing.append(
            _("If a team had nobody for a board, enter it as a forfeit without that player.")
        )
    return result
