"""Storing the squads of a season from a file: the season with its cycles, its teams and their players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from foa.text import counted
from ratings.formats.league import SquadRow
from ratings.formats.problems import Problem, shown
from ratings.league.models import Board, Cycle, League, Player, Season, SquadPlayer, Team
from ratings.league.services.cycles import lock_league
from ratings.rules.rounding import from_hundredths, points_or_none, to_hundredths

DEFAULT_LEAGUE: Final = "BAL"
"""League of a new season if none is named and there isn't exactly one."""

_LONGEST_SEASON: Final = 50
_LONGEST_LEAGUE: Final = 100
_LAST_ROUND: Final = 99


class SeasonRefused(ValueError):
    """The season can't be created as requested; a sentence says why."""


class RowsRefused(ValueError):
    """Nothing of a file was stored. ``problems``: the refused rows, by line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        super().__init__("; ".join(map(str, self.problems)))


@dataclass(slots=True)
class SquadsStored:
    """The result of a file of squads. ``cycles``: the last rounds of a new season."""

    season: Season
    cycles: Sequence[int] = ()
    teams: list[str] = field(default_factory=list)
    stored: int = 0
    already_there: int = 0


def boards_of(entry: SquadPlayer) -> QuerySet[Board]:
    """Return the boards that a squad player has played in the season."""
    boards = Board.objects.filter(match__season=entry.season_id)
    return boards.filter(Q(home_player=entry.player_id) | Q(away_player=entry.player_id))


def store_squads(
    season: str,
    rows: Iterable[SquadRow | Problem],
    *,
    cycles: Sequence[int] | None = None,
    league: str | None = None,
) -> SquadsStored:
    """Store players who are new, with the league, season, cycles and teams they need. All or nothing.

    ``cycles``: the last round of each, required for a new season. A player with the same name in another
    season of the league is the same person. Raises SeasonRefused and RowsRefused.
    """
    rows = list(rows)
    with transaction.atomic():
        lock_league()
        result = _season(season, cycles, league)
        stored_in = result.season
        teams = {team.name: team for team in Team.objects.filter(season=stored_in)}
        players = {player.name: player for player in Player.objects.filter(league=stored_in.league_id)}
        new = _new(rows, stored_in)
        for name in dict.fromkeys(row.team for row in new):
            if name not in teams:
                teams[name] = Team.objects.create(season=stored_in, name=name)
                result.teams.append(name)
        for row in new:
            if row.name not in players:
                players[row.name] = Player.objects.create(league=stored_in.league, name=row.name)
        SquadPlayer.objects.bulk_create(
            SquadPlayer(
                season=stored_in,
                player=players[row.name],
                team=teams[row.team],
                games=row.games,
                rating=points_or_none(row.rating),
                captains_estimate=row.captains_estimate,
            )
            for row in new
        )
    result.stored, result.already_there = len(new), len(rows) - len(new)
    return result


def _new(rows: Sequence[SquadRow | Problem], season: Season) -> list[SquadRow]:
    """Return the rows that aren't stored yet. Raises RowsRefused if any row is refused."""
    stored = {
        one.player.name: one
        for one in SquadPlayer.objects.filter(season=season).select_related("player", "team")
    }
    earlier = SquadPlayer.objects.filter(season__league=season.league_id, season__ordinal__lt=season.ordinal)
    before = set(earlier.values_list("player__name", flat=True))
    problems, new = [], []
    given: dict[str, SquadRow] = {}
    for row in rows:
        if isinstance(row, Problem):
            problems.append(row)
            continue
        first = given.setdefault(row.name, row)
        known = stored.get(row.name)
        if first is not row:
            problems.append(_problem(row, _twice(row, first)))
        elif known is not None:
            if _says(known) != (row.team, row.rating, row.games, row.captains_estimate):
                problems.append(
                    _problem(
                        row,
                        f"{shown(row.name)} is already in the squad of {known.team.name}, {_begins(known)}; "
                        "change it in the admin",
                    )
                )
        elif row.rating is None and not row.captains_estimate and row.name not in before:
            problems.append(
                _problem(
                    row,
                    f"{shown(row.name)} has no rating and wasn’t in an earlier season of {season.league}: "
                    "give rating and games, or captains_estimate yes for a new player",
                )
            )
        else:
            new.append(row)
    if problems:
        raise RowsRefused(problems)
    return new


def _twice(row: SquadRow, first: SquadRow) -> str:
    if row.team == first.team:
        return f"{shown(row.name)} is already on line {first.line}"
    return (
        f"{shown(row.name)} is in the squad of {shown(first.team)} on line {first.line} and of "
        f"{shown(row.team)} on line {row.line}: a player can only be in one team per season"
    )


def _problem(row: SquadRow, reason: str) -> Problem:
    fields = {
        "name": row.name,
        "team": row.team,
        "rating": "" if row.rating is None else str(from_hundredths(row.rating)),
        "games": "" if row.games is None else str(row.games),
        "captains_estimate": "yes" if row.captains_estimate else "no",
    }
    return Problem(row.line, reason, fields)


def _says(one: SquadPlayer) -> tuple[str, int | None, int | None, bool]:
    """Return a stored entry in the words of a row. For a new player, no games and 0 games are the same."""
    rating = None if one.rating is None else to_hundredths(one.rating)
    games = 0 if one.captains_estimate else one.games
    return one.team.name, rating, games, one.captains_estimate


def _begins(one: SquadPlayer) -> str:
    if one.captains_estimate:
        return "as new, with a captain’s estimate"
    if one.rating is None:
        return "with the rating carried over"
    return f"rated {one.rating} after {counted(one.games or 0, 'game')}"


def _season(name: str, cycles: Sequence[int] | None, league: str | None) -> SquadsStored:
    """Return the season with this name; create it if there is none."""
    _check_name("season", name, _LONGEST_SEASON)
    found = Season.objects.select_related("league").filter(name=name).first()
    if found is None:
        return _new_season(name, cycles, _league(league))
    if league is not None and league != found.league.name:
        raise SeasonRefused(f"{name} is a season of {found.league}, not of {league}")
    has = list(found.cycles.order_by("number").values_list("last_round", flat=True))
    if cycles is not None and list(cycles) != has:
        raise SeasonRefused(
            f"the cycles of {name} end after the rounds {_listed(has)}, not {_listed(cycles)}; "
            "leave the cycles out, or change them in the admin"
        )
    return SquadsStored(found)


def _new_season(name: str, cycles: Sequence[int] | None, league: League) -> SquadsStored:
    if not cycles:
        raise SeasonRefused(
            f"season {name} doesn’t exist yet: give the last round of each cycle, such as 5,10,11"
        )
    if list(cycles) != sorted({*cycles}) or cycles[0] < 1 or cycles[-1] > _LAST_ROUND:
        raise SeasonRefused(
            f"cycles end after ascending rounds from 1 to {_LAST_ROUND}, such as 5,10,11, "
            f"not {_listed(cycles)}"
        )
    last = Season.objects.filter(league=league).aggregate(last=Max("ordinal"))["last"] or 0
    season = Season.objects.create(league=league, name=name, ordinal=last + 1)
    Cycle.objects.bulk_create(
        Cycle(season=season, number=number, last_round=round_) for number, round_ in enumerate(cycles, 1)
    )
    return SquadsStored(season, cycles)


def _league(name: str | None) -> League:
    """Return the league with this name, created if there is none. Without a name, return the only league."""
    leagues = list(League.objects.all())
    if name is None:
        if len(leagues) == 1:
            return leagues[0]
        if leagues and all(league.name != DEFAULT_LEAGUE for league in leagues):
            raise SeasonRefused(f"choose one of these leagues: {_listed(leagues)}")
        name = DEFAULT_LEAGUE
    _check_name("league", name, _LONGEST_LEAGUE)
    found = next((league for league in leagues if league.name == name), None)
    return found or League.objects.create(name=name)


def _check_name(what: str, name: str, longest: int) -> None:
    if not name or name != name.strip() or not name.isprintable() or len(name) > longest:
        raise SeasonRefused(
            f"{shown(name)} can’t be the name of a {what}: use 1 to {longest} printable characters, "
            "with no spaces around them"
        )


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
