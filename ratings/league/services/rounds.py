"""Rounds of a season from a file: what is new in it, why rows are refused, and storing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from foa.history import give_reason
from ratings.formats.league import BoardRow
from ratings.formats.problems import Fault, Problem, shown
from ratings.league.models import NOBODY, Board, Cycle, Match, Player, Season, SquadPlayer, Team
from ratings.league.services.cycles import lock_league, missing_boards
from ratings.league.services.squads import RowsRefused
from ratings.rules.bal.cycles import MatchStage

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
            give_reason(board, _REPLACED)
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
            _("If a team had nobody on a board, enter it as a forfeit without that player.")
        )
    return result


class Place(NamedTuple):
    """The place of a board in a season."""

    round: int
    home_team: str
    away_team: str
    board: int

    def __str__(self) -> str:
        words = {"board": self.board, "home": self.home_team, "away": self.away_team}
        return _("board %(board)d of %(home)s – %(away)s") % words


class RoundRows:
    """The rows of a file, sorted by what happens to them. Teams and players are identified by name.

    ``fresh``: rows to be stored; those in ``stored`` replace a board. ``new_players``: unknown in the league,
    with their teams. ``stages``: those that the file gives matches, by round and teams. ``problems``: refused
    rows.
    """

    def __init__(self, season: Season, *, replace: bool, add_unknown_as_ce: bool) -> None:
        self.season, self.replace, self.add_unknown_as_ce = season, replace, add_unknown_as_ce
        self.fresh: dict[Place, BoardRow] = {}
        self.already_there = 0
        self.new_players: dict[str, str] = {}
        self.stages: dict[tuple[int, str, str], MatchStage] = {}
        self.problems: list[Problem] = []
        self.teams = {team.name: team for team in Team.objects.filter(season=season)}
        self.players = {player.name: player for player in Player.objects.filter(league=season.league_id)}
        matches = Match.objects.filter(season=season).select_related("home_team", "away_team")
        self.matches = {(one.round, one.home_team.name, one.away_team.name): one for one in matches}
        boards = Board.objects.filter(match__season=season).select_related(
            "match__home_team", "match__away_team", "home_player", "away_player"
        )
        self.stored = {
            Place(one.match.round, one.match.home_team.name, one.match.away_team.name, one.number): one
            for one in boards
        }
        self._cycles = list(Cycle.objects.filter(season=season).order_by("last_round"))
        self._squads = dict(
            SquadPlayer.objects.filter(season=season).values_list("player__name", "team__name")
        )
        # Match of each team in a round, with its line in the file, or None if it is stored.
        self._meets: dict[tuple[int, str], tuple[str, str, int | None]] = {}
        for round_, home, away in self.matches:
            self._meets[round_, home] = self._meets[round_, away] = (home, away, None)
        self._first: dict[Place, BoardRow] = {}

    def take(self, row: BoardRow | Problem) -> None:
        """Sort a row."""
        if isinstance(row, Problem):
            self.problems.append(row)
            return
        place = Place(row.round, row.home_team, row.away_team, row.board)
        first = self._first.setdefault(place, row)
        known = self.stored.get(place)
        if first is not row:
            text = _("%(board)s in round %(round)d is already on line %(line)d")
            words = {"board": place, "round": row.round, "line": first.line}
            self._refuse(row, Fault("board", text % words))
        elif faults := list(self._of_stage(row)):
            self._refuse(row, *faults)
        elif known is not None and _says(known) == (row.home_player, row.away_player, row.result):
            self.already_there += 1
        elif faults := [*self._of_teams(row), *self._of_players(row), *self._of_board(place, known)]:
            self._refuse(row, *faults)
        else:
            self.fresh[place] = row

    def check_players(self) -> None:
        """Refuse fresh rows with a player who has another board in the round, stored or in the file."""
        seats: dict[tuple[int, str], str] = {}
        for place, board in self.stored.items():
            if place not in self.fresh:
                for player in filter(None, _says(board)[:2]):
                    seats[place.round, player] = str(place)
        for place, row in self.fresh.items():
            for player in filter(None, (row.home_player, row.away_player)):
                here = _("%(board)s (line %(line)d)") % {"board": place, "line": row.line}
                other = seats.setdefault((row.round, player), here)
                if other != here:
                    text = _("%(player)s plays twice in round %(round)d: here and on %(other)s")
                    words = {"player": shown(player), "round": row.round, "other": other}
                    self._refuse(row, Fault("player", text % words))

    def _of_stage(self, row: BoardRow) -> Iterator[Fault]:
        """Yield why a match can't have the stage of a row; most rows say none."""
        if not row.stage:
            return
        key = (row.round, row.home_team, row.away_team)
        match = f"{row.home_team} – {row.away_team}"
        if (first := self.stages.setdefault(key, row.stage)) != row.stage:
            text = _("%(match)s has the stage %(first)s on another line, and %(stage)s here")
            yield Fault("stage", text % {"match": match, "first": first, "stage": row.stage})
        stored = self.matches[key].stage if key in self.matches else ""
        if stored not in ("", row.stage) and not self.replace:
            text = _("%(match)s is stored with the stage %(stored)s: choose to replace it, or leave it out")
            said = text % {"match": match, "stored": stored}
            yield Fault("stage", said, option="replace", about=f"{row.round} {match} stage")

    def _of_teams(self, row: BoardRow) -> list[Fault]:
        faults = []
        for team in (row.home_team, row.away_team):
            if team not in self.teams:
                words = {"team": shown(team), "season": self.season}
                faults.append(Fault("team", _("%(team)s isn’t a team of %(season)s") % words))
                continue
            home, away, line = self._meets.setdefault(
                (row.round, team), (row.home_team, row.away_team, row.line)
            )
            if (home, away) != (row.home_team, row.away_team):
                if line is None:
                    text = _(
                        "%(team)s can only have one match in round %(round)d, and %(match)s is already stored"
                    )
                else:
                    text = _(
                        "%(team)s can only have one match in round %(round)d, and %(match)s is already "
                        "on line %(line)d"
                    )
                match = f"{home} – {away}"
                words = {"team": team, "round": row.round, "match": match, "line": line}
                faults.append(Fault("team", text % words))
        return faults

    def _of_players(self, row: BoardRow) -> list[Fault]:
        faults = []
        for player, team in ((row.home_player, row.home_team), (row.away_player, row.away_team)):
            squad = self._squads.get(player)
            if not player or squad == team:
                continue
            words = {"player": shown(player), "squad": squad, "team": team, "season": self.season}
            if squad is not None:
                text = _("%(player)s is in the squad of %(squad)s, not of %(team)s")
                faults.append(Fault("player", text % words))
            elif player in self.players:
                text = _(
                    "%(player)s isn’t in any squad of %(season)s, but has been in this league before: "
                    "add them to the squad of %(team)s first. Leave rating and games blank to carry them "
                    "over"
                )
                faults.append(Fault("player", text % words))
            elif self.add_unknown_as_ce:
                self._squads[player] = self.new_players[player] = team
            else:
                text = _(
                    "%(player)s is unknown: add them to the squad of %(team)s first, or choose to add "
                    "unknown players to their teams"
                )
                faults.append(Fault("player", text % words, option="add_unknown_as_ce", about=player))
        return faults

    def _of_board(self, place: Place, known: Board | None) -> list[Fault]:
        cycle = next((one for one in self._cycles if one.last_round >= place.round), None)
        if cycle is None:
            last = self._cycles[-1].last_round if self._cycles else 0
            words = {"round": place.round, "season": self.season, "last": last}
            text = _("round %(round)d doesn’t exist: the last round of %(season)s is %(last)d")
            return [Fault("round", text % words)]
        if cycle.closed_at is not None:
            text = _("round %(round)d is in cycle %(cycle)d, which is closed: correct it in the admin")
            return [Fault("round", text % {"round": place.round, "cycle": cycle.number})]
        if known is not None and not self.replace:
            text = _("%(board)s is stored as %(stored)s: choose to replace stored boards, or leave it out")
            said = text % {"board": place, "stored": says(known)}
            return [Fault("board", said, option="replace", about=f"{place.round} {place}")]
        return []

    def _refuse(self, row: BoardRow, *faults: Fault) -> None:
        fields = {name: str(value) for name, value in asdict(row).items()}
        self.problems.append(Problem.of(row.line, faults, fields))


def says(board: Board) -> str:
    """Say who plays on a board, and the result."""
    home, away, result = _says(board)
    return f"{home or NOBODY} – {away or NOBODY} {result}"


def _says(board: Board) -> tuple[str, str, str]:
    """Return a stored board in the words of a row."""
    home, away = (one.name if one else "" for one in (board.home_player, board.away_player))
    return home, away, board.result
