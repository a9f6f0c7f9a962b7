"""Rows of a file of rounds beside what is stored: what is new, and why a row cannot be taken."""

from __future__ import annotations

from dataclasses import asdict
from typing import NamedTuple

from ratings.formats.league import BoardRow
from ratings.formats.problems import Problem, shown
from ratings.league.models import Board, Cycle, Match, Player, Season, SquadPlayer, Team


class Place(NamedTuple):
    """Where a board stands in a season."""

    round: int
    home_team: str
    away_team: str
    board: int

    def __str__(self) -> str:
        return f"board {self.board} of {self.home_team} – {self.away_team}"


class RoundRows:
    """The rows of a file, sorted as they are taken; teams and players are known by their names.

    ``fresh``: rows to be stored, of which those in ``stored`` take the place of a board. ``new_players``:
    whom the league does not know, with their teams. ``problems``: rows that cannot be taken.
    """

    def __init__(self, season: Season, *, replace: bool, add_unknown_as_ce: bool, using: str) -> None:
        self.season, self.replace, self.add_unknown_as_ce = season, replace, add_unknown_as_ce
        self.fresh: dict[Place, BoardRow] = {}
        self.already_there = 0
        self.new_players: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.teams = {team.name: team for team in Team.objects.using(using).filter(season=season)}
        self.players = {
            player.name: player for player in Player.objects.using(using).filter(league=season.league_id)
        }
        matches = Match.objects.using(using).filter(season=season).select_related("home_team", "away_team")
        self.matches = {(one.round, one.home_team.name, one.away_team.name): one for one in matches}
        boards = (
            Board.objects.using(using)
            .filter(match__season=season)
            .select_related("match__home_team", "match__away_team", "home_player", "away_player")
        )
        self.stored = {
            Place(one.match.round, one.match.home_team.name, one.match.away_team.name, one.number): one
            for one in boards
        }
        self._cycles = list(Cycle.objects.using(using).filter(season=season).order_by("last_round"))
        self._squads = dict(
            SquadPlayer.objects.using(using).filter(season=season).values_list("player__name", "team__name")
        )
        # The match of a team in a round, and on which line it stands; None: it is stored.
        self._meets: dict[tuple[int, str], tuple[str, str, int | None]] = {}
        for round_, home, away in self.matches:
            self._meets[round_, home] = self._meets[round_, away] = (home, away, None)
        self._first: dict[Place, BoardRow] = {}

    def take(self, row: BoardRow | Problem) -> None:
        """Put a row where it belongs."""
        if isinstance(row, Problem):
            self.problems.append(row)
            return
        place = Place(row.round, row.home_team, row.away_team, row.board)
        first = self._first.setdefault(place, row)
        known = self.stored.get(place)
        if first is not row:
            self._refuse(row, f"{place} in round {row.round} stands on line {first.line} already")
        elif known is not None and _says(known) == (row.home_player, row.away_player, row.result):
            self.already_there += 1
        elif faults := [*self._of_teams(row), *self._of_players(row), *self._of_board(place, known)]:
            self._refuse(row, "; ".join(faults))
        else:
            self.fresh[place] = row

    def check_players(self) -> None:
        """Refuse fresh rows with a player who has another board in the round, stored or in the file."""
        seats: dict[tuple[int, str], str] = {}
        for place, board in self.stored.items():
            if place not in self.fresh:
                for player in (board.home_player.name, board.away_player.name):
                    seats[place.round, player] = str(place)
        for place, row in self.fresh.items():
            for player in (row.home_player, row.away_player):
                other = seats.setdefault((row.round, player), f"{place} (line {row.line})")
                if other != f"{place} (line {row.line})":
                    self._refuse(
                        row, f"{shown(player)} plays twice in round {row.round}: here and on {other}"
                    )

    def _of_teams(self, row: BoardRow) -> list[str]:
        faults = []
        for team in (row.home_team, row.away_team):
            if team not in self.teams:
                faults.append(f"{shown(team)} is no team of {self.season}")
                continue
            home, away, line = self._meets.setdefault(
                (row.round, team), (row.home_team, row.away_team, row.line)
            )
            if (home, away) != (row.home_team, row.away_team):
                where = "is stored" if line is None else f"stands on line {line}"
                faults.append(
                    f"{team} has one match in round {row.round}, and {home} – {away} {where} already"
                )
        return faults

    def _of_players(self, row: BoardRow) -> list[str]:
        faults = []
        for player, team in ((row.home_player, row.home_team), (row.away_player, row.away_team)):
            squad = self._squads.get(player)
            if squad == team:
                continue
            if squad is not None:
                faults.append(f"{shown(player)} is in the squad of {squad}, not of {team}")
            elif player in self.players:
                faults.append(
                    f"{shown(player)} is in no squad of {self.season}, but the league knows the name: import "
                    f"it into the squad of {team} by import_league_players, without rating and games to "
                    "carry them over"
                )
            elif self.add_unknown_as_ce:
                self._squads[player] = self.new_players[player] = team
            else:
                faults.append(
                    f"{shown(player)} is unknown: a new player joins the squad of {team} with a captain’s "
                    "estimate by import_league_players or in the admin, or by --add-unknown-as-ce here"
                )
        return faults

    def _of_board(self, place: Place, known: Board | None) -> list[str]:
        cycle = next((one for one in self._cycles if one.last_round >= place.round), None)
        if cycle is None:
            last = self._cycles[-1].last_round if self._cycles else 0
            return [f"round {place.round} is beyond the last of {self.season}, round {last}"]
        if cycle.closed_at is not None:
            return [
                f"round {place.round} is in cycle {cycle.number}, which is closed: correct it in the admin"
            ]
        if known is not None and not self.replace:
            home, away, result = _says(known)
            return [f"{place} is stored as {home} – {away} {result}: --replace takes the file’s instead"]
        return []

    def _refuse(self, row: BoardRow, reason: str) -> None:
        fields = {name: str(value) for name, value in asdict(row).items()}
        self.problems.append(Problem(row.line, reason, fields))


def _says(board: Board) -> tuple[str, str, str]:
    return board.home_player.name, board.away_player.name, board.result
