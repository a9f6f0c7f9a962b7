"""Reports as rows: players and games of each report that counts, read by everything else.

The rows give back the very values that :func:`ratings.formats.trf.read_trf` reads from the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext

from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.office.bulk import Row, fetch_rows, insert_rows, stored_rows, upsert_rows
from ratings.otb.models import (
    Tournament,
    TournamentGame,
    TournamentPlayer,
    TournamentReport,
    TournamentResult,
)
from ratings.otb.services.places import by_place, tie_breaks_of
from ratings.rules.b02.types import EntrantResult, GameResult, TournamentType
from ratings.rules.tie_breaks import TieBreaks

_AS_REPORTED: Final = (
    "line",
    "number",
    "sex",
    "title",
    "name",
    "rating",
    "federation",
    "fide_id",
    "other_id",
    "birth",
    "points",
    "rank",
)
"""Columns of a player in the order of the fields of ``trf.Player``."""

PLAYER_COLUMNS: Final = (
    "tournament_id",
    *_AS_REPORTED,
    "team",
    "place",
    "buchholz_cut_1",
    "buchholz",
    "sonneborn_berger",
    "won",
)
GAME_COLUMNS: Final = (
    "tournament_id",
    "round",
    "white",
    "black",
    "colours",
    "white_result",
    "black_result",
)
FIGURE_COLUMNS: Final = (
    "white_reason",
    "black_reason",
    "white_against",
    "black_against",
    "white_expected",
    "black_expected",
)
"""Columns of a game that the rating of a period fills."""

_NO_FIGURES: Final = dict.fromkeys(FIGURE_COLUMNS)
_UNKNOWN: Final = "-"


def store(tournament: Tournament, report: trf.Tournament) -> None:
    """Replace the rows of a tournament by those of a report, and its other lines by the report's.

    ``tournament.report`` is that report, stored. Call it in a transaction that holds the lock.
    """
    stored = tournament.report
    if stored is None:
        raise ValueError(f"{tournament} has no report")
    TournamentGame.objects.filter(tournament=tournament).delete()
    TournamentPlayer.objects.filter(tournament=tournament).delete()
    insert_rows(TournamentPlayer, PLAYER_COLUMNS, player_rows(tournament, report))
    insert_rows(TournamentGame, GAME_COLUMNS, game_rows(tournament, report))
    TournamentReport.objects.filter(tournament=tournament, records__isnull=False).update(records=None)
    stored.records = other_lines(report)
    stored.save(update_fields=["records"])


def place_again(tournament: Tournament) -> None:
    """Compute places and tie-breaks again, after a tournament's kind or days changed."""
    if tournament.report_id is None or tournament.report is None or tournament.report.records is None:
        return
    store(tournament, reported(tournament))


def player_rows(tournament: Tournament, report: trf.Tournament) -> list[Row]:
    """Return the players of a report as rows, in the order of the columns."""
    ties = tie_breaks_of(tournament, report)
    placed = by_place(TournamentType(tournament.kind), report.players, ties)
    places = {one.start_rank: place for place, one in enumerate(placed, 1)}
    teams: dict[int, str] = {}
    for team in report.teams:
        for number in team.players:
            teams.setdefault(number, team.name)
    rows: list[Row] = []
    for player in report.players:
        number = player.start_rank
        tie = ties.get(number)
        own = (None,) * 4 if tie is None else tie
        rows.append((tournament.pk, *player[:-1], teams.get(number, ""), places[number], *own))
    return rows


def game_rows(tournament: Tournament, report: trf.Tournament) -> list[Row]:
    """Return the pairings of a report as rows, each once, in the order of the columns."""
    rounds = {player.start_rank: player.rounds for player in report.players}
    rows: list[Row] = []
    for number, own in rounds.items():
        for at, pairing in enumerate(own):
            opponent, colour, result = pairing
            if opponent is None:
                if pairing != trf.NO_PAIRING:
                    colours = (colour or _UNKNOWN) + _UNKNOWN
                    rows.append((tournament.pk, at + 1, number, None, colours, result.value, ""))
                continue
            _number, their_colour, theirs = rounds[opponent][at]
            # Each game from the side of White; where neither line gives a colour, of the lower number.
            if (
                colour == "w"
                or their_colour == "b"
                or (not colour and not their_colour and number < opponent)
            ):
                colours = (colour or _UNKNOWN) + (their_colour or _UNKNOWN)
                rows.append((tournament.pk, at + 1, number, opponent, colours, result.value, theirs.value))
    return rows


def other_lines(report: trf.Tournament) -> dict[str, Any]:
    """Return every line except those of players, as JSON."""
    return {
        "headers": [list(one) for one in report.headers],
        "teams": [[*one[:-1], list(one.players)] for one in report.teams],
        "rest": [list(one) for one in report.rest],
    }


class NotInRows(FileRefused):
    """A report whose players and games aren't rows yet."""

    def __init__(self) -> None:
        told = gettext("The players and games of this report aren’t ready yet. Please try again in an hour.")
        super().__init__(told)


def reported(tournament: Tournament) -> trf.Tournament:
    """Return the report that counts, from the rows. Raises NotInRows."""
    return reported_by([tournament])[tournament.pk]


def reported_by(tournaments: Sequence[Tournament]) -> dict[int, trf.Tournament]:
    """Return the reports of these tournaments by their keys, from the rows. Raises NotInRows."""
    ids = [one.pk for one in tournaments]
    players: dict[int, list[Row]] = defaultdict(list)
    games: dict[int, list[Row]] = defaultdict(list)
    columns = ("tournament_id", *_AS_REPORTED)
    for row in fetch_rows(TournamentPlayer, columns, ids, by="tournament_id"):
        players[row[0]].append(row[1:])
    for row in fetch_rows(TournamentGame, GAME_COLUMNS, ids, by="tournament_id"):
        games[row[0]].append(row[1:])
    seen = _Pairings()
    return {one.pk: _report(one, sorted(players[one.pk]), games[one.pk], seen) for one in tournaments}


def places_of(tournament: Tournament) -> dict[int, TieBreaks | None]:
    """Return the start numbers of the players by place, with their tie-breaks where there are any."""
    columns = ("number", "buchholz_cut_1", "buchholz", "sonneborn_berger", "won")
    rows = tournament.players.order_by("place").values_list(*columns)
    return {number: None if ties[-1] is None else TieBreaks(*ties) for number, *ties in rows}


def reported_with_opponents(tournament: Tournament, number: int) -> tuple[trf.Tournament, list[Row]]:
    """Return the part of a report about one player's games, and the figures of these games.

    The figures are round, reason, opponent's rating and expected score in hundredths. Raises NotInRows.
    """
    own = TournamentGame.objects.filter(Q(white=number) | Q(black=number), tournament=tournament)
    games = list(stored_rows(own.order_by("round"), (*GAME_COLUMNS[1:], *FIGURE_COLUMNS)))
    as_white = [game[1] == number for game in games]
    met = {number, *(game[2] if white else game[1] for game, white in zip(games, as_white, strict=True))}
    some = TournamentPlayer.objects.filter(tournament=tournament, number__in=met - {None})
    players = sorted(stored_rows(some, _AS_REPORTED))
    count = len(GAME_COLUMNS) - 1
    report = _report(tournament, players, [game[:count] for game in games], _Pairings())
    figures = [
        (game[0], *game[count if white else count + 1 :: 2])
        for game, white in zip(games, as_white, strict=True)
    ]
    return report, figures


class _Pairings(dict[tuple[int | None, str, str], trf.Pairing]):
    """Pairings by opponent, colour and result, each made once: tournaments have few distinct ones."""

    def __missing__(self, key: tuple[int | None, str, str]) -> trf.Pairing:
        opponent, colour, result = key
        said = "" if colour == _UNKNOWN else colour
        found = self[key] = trf.Pairing(opponent, said, trf.Result(result))
        return found


def _report(
    tournament: Tournament, players: Sequence[Row], games: Sequence[Row], seen: _Pairings
) -> trf.Tournament:
    records = None if tournament.report is None else tournament.report.records
    if records is None:
        raise NotInRows
    rounds = max((game[0] for game in games), default=0)
    pairings: dict[int, list[trf.Pairing]] = {player[1]: [trf.NO_PAIRING] * rounds for player in players}
    for number, white, black, colours, white_result, black_result in games:
        pairings[white][number - 1] = seen[black, colours[0], white_result]
        if black is not None:
            pairings[black][number - 1] = seen[white, colours[1], black_result]
    return trf.Tournament(
        tuple(trf.Record._make(one) for one in records["headers"]),
        tuple(trf.Player._make((*player, tuple(pairings[player[1]]))) for player in players),
        tuple(trf.Team._make((*one[:-1], tuple(one[-1]))) for one in records["teams"]),
        tuple(trf.Record._make(one) for one in records["rest"]),
    )


_KEPT: Final = ("id", *GAME_COLUMNS)


def store_figures(results: Iterable[tuple[int, Sequence[EntrantResult]]]) -> None:
    """Store the figures of rated games.

    ``results``: of all players, with the key of their tournament. Call it in a transaction.
    """
    games = {pk: {result.number: result.games for result in some} for pk, some in results}
    rows: list[Row] = []
    for row in fetch_rows(TournamentGame, _KEPT, list(games), by="tournament_id"):
        _id, pk, number, white, black, *_ = row
        of_players = games[pk]
        ours = _in_round(of_players[white], number)
        theirs = None if black is None else _in_round(of_players[black], number)
        rows.append(row + figures(ours, theirs))
    upsert_rows(TournamentGame, (*_KEPT, *FIGURE_COLUMNS), rows, kept=len(_KEPT))


def _in_round(games: Sequence[GameResult], number: int) -> GameResult:
    """Return a player's game of a round, by their games in order; most players have one in each round."""
    if len(games) >= number and games[number - 1].round == number:
        return games[number - 1]
    return next(game for game in games if game.round == number)


def rows_are_of(tournament: Tournament, report: trf.Tournament) -> bool:
    """Return True if a tournament's rows and other lines are those of a report."""
    if tournament.report is None or tournament.report.records != other_lines(report):
        return False
    ids = [tournament.pk]
    return sorted(fetch_rows(TournamentPlayer, PLAYER_COLUMNS, ids, by="tournament_id")) == sorted(
        player_rows(tournament, report)
    ) and _by_round(fetch_rows(TournamentGame, GAME_COLUMNS, ids, by="tournament_id")) == _by_round(
        game_rows(tournament, report)
    )


def _by_round(games: Iterable[Row]) -> list[Row]:
    return sorted(games, key=lambda row: row[1:3])


def wrong_figures(pk: int, results: Sequence[EntrantResult]) -> set[int]:
    """Return the start numbers of players with a game whose stored figures aren't those of these results."""
    rows = fetch_rows(TournamentGame, ("white", "black", "round", *FIGURE_COLUMNS), [pk], by="tournament_id")
    of_player = {result.number: {game.round: game for game in result.games} for result in results}
    wrong: set[int] = set()
    for white, black, number, *stored in rows:
        ours = of_player.get(white, {}).get(number)
        theirs = None if black is None else of_player.get(black, {}).get(number)
        if ours is None or tuple(stored) != figures(ours, theirs):
            wrong.add(white)
    return wrong


def figures(ours: GameResult, theirs: GameResult | None) -> Row:
    """Return the figures of a game, in the order of the columns; ``ours``: of White."""
    if theirs is None:
        return (ours.reason.value, None, ours.opponent_rating, None, ours.expected, None)
    return (
        ours.reason.value,
        theirs.reason.value,
        ours.opponent_rating,
        theirs.opponent_rating,
        ours.expected,
        theirs.expected,
    )


def forget_results(tournaments: Iterable[Tournament]) -> None:
    """Delete the results and figures of these tournaments."""
    keys = [one.pk for one in tournaments]
    TournamentResult.objects.filter(tournament__in=keys).delete()
    rated = TournamentGame.objects.filter(tournament__in=keys).exclude(white_reason=None)
    rated.update(**_NO_FIGURES)
