"""Storing rounds of a season from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from ratings.formats.league import BoardRow
from ratings.formats.problems import Problem
from ratings.league.models import Board, Match, Player, Season, SquadPlayer
from ratings.league.services.locks import lock_league
from ratings.league.services.missing import missing_boards
from ratings.league.services.round_rows import Place, RoundRows, says
from ratings.league.services.squads import RowsRefused

_REPLACED: Final = "replaced by an import"


class Replaced(NamedTuple):
    """A board that a file changes: its place, and the result before and now."""

    place: Place
    before: str
    after: str


class Staged(NamedTuple):
    """A stored match whose stage a file gives or changes."""

    match: Match
    before: str


@dataclass(slots=True)
class RoundsStored:
    """The result of a file of boards.

    ``staged``: matches that were there already and get a stage of the play-offs. ``new_players``: those with
    a captain's estimate, with their teams. ``missing``: sentences about matches in the file with fewer boards
    than others of the season.
    """

    stored: int = 0
    replaced: list[Replaced] = field(default_factory=list)
    already_there: int = 0
    staged: list[Staged] = field(default_factory=list)
    new_players: Mapping[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


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
                stage=rows.stages.get(key, ""),
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
    for key, stage in rows.stages.items():
        match = rows.matches[key]
        if match.stage != stage:
            result.staged.append(Staged(match, match.stage))
            match.stage = stage
            match.save(update_fields=["stage"])
    Board.objects.bulk_create(new)
    result.stored = len(new)
    touched = {rows.matches[row.round, row.home_team, row.away_team].pk for row in rows.fresh.values()}
    result.missing = [said for match, said in missing_boards(season).items() if match in touched]
    if result.missing:
        result.missing.append(
            _("If a team had nobody for a board, enter it as a forfeit without that player.")
        )
    return result
