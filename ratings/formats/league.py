"""Squads and rounds of a team league from CSV, each row checked as far as possible on its own."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final

from ratings.formats.csv_rows import Row, Rows, hundredths_of
from ratings.formats.games import TRUTH, length_fault
from ratings.formats.problems import Problem, shown
from ratings.formats.results import board_result_of
from ratings.rules.bal.cycles import BoardResult, MatchStage, results_of
from ratings.rules.units import Hundredths

SQUAD_COLUMNS: Final = ("name", "team", "rating", "games", "captains_estimate")
ROUND_COLUMNS: Final = ("round", "home_team", "away_team", "board", "home_player", "away_player", "result")

ROUND_OPTIONAL: Final = ("stage",)
"""Columns of a file of rounds that may be missing. ``stage`` is blank for matches of the schedule."""

_STAGES: Final = {
    **{stage.value.replace("-", "").replace(" ", ""): stage for stage in MatchStage},
    "playoffs": MatchStage.PLAYOFF,
    "quarterfinals": MatchStage.QUARTER_FINAL,
    "qf": MatchStage.QUARTER_FINAL,
    "semifinals": MatchStage.SEMI_FINAL,
    "sf": MatchStage.SEMI_FINAL,
    "3rdplace": MatchStage.THIRD_PLACE,
    "finals": MatchStage.FINAL,
}
"""Stages by their names in small letters, without hyphens and spaces."""

_MAX_NAME: Final = 100
_MAX_GAMES: Final = 99_999
_MAX_NUMBER: Final = 99
_HIGHEST: Final = Hundredths(4000_00)


@dataclass(frozen=True, slots=True)
class SquadRow:
    """A player of a squad.

    ``rating``, in hundredths, and ``games`` are both None if the league already has them and carries them
    over. A new player, with a captain’s estimate, has 0 games; the captain’s estimate may be the rating.
    """

    line: int
    name: str
    team: str
    rating: Hundredths | None
    games: int | None
    captains_estimate: bool


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A board of a match in a round. A player's name is empty if the team had none.

    ``stage``: of the match in the play-offs; empty if the file doesn't say any.
    """

    line: int
    round: int
    home_team: str
    away_team: str
    board: int
    home_player: str
    away_player: str
    result: BoardResult
    stage: MatchStage = MatchStage.SCHEDULE


def read_squads(stream: BinaryIO) -> Rows[SquadRow]:
    """Read the players of a CSV file with SQUAD_COLUMNS; a bad row gives a Problem with all reasons.

    Raises FileRefused when the first row is requested, as ``Rows`` does.
    """
    return Rows(stream, required=SQUAD_COLUMNS, made=_squad_row)


def read_rounds(stream: BinaryIO) -> Rows[BoardRow]:
    """Read the boards of a CSV file with ROUND_COLUMNS, in the same way as ``read_squads``."""
    return Rows(stream, required=ROUND_COLUMNS, optional=ROUND_OPTIONAL, made=_board_row)


def _squad_row(row: Row) -> SquadRow | Problem:
    values = row.values
    faults = [length_fault(name, values[name], _MAX_NAME) for name in ("name", "team")]
    is_new = TRUTH.get(values["captains_estimate"].lower() or "no")
    if is_new is None:
        faults.append(
            f"captains_estimate: {shown(values['captains_estimate'])} is neither yes nor no "
            "(1, 0, true, false, yes, no)"
        )
    rating = games = None
    if values["rating"]:
        with suppress(ValueError):
            rating = hundredths_of(values["rating"])
        if rating is None or not 0 <= rating <= _HIGHEST:
            faults.append(
                f"rating: {shown(values['rating'])} isn’t a number from 0 to {_HIGHEST // 100} "
                "with at most two decimals"
            )
    if values["games"]:
        games = _number("games", values["games"], 0, _MAX_GAMES, faults)
    if is_new:
        if games:
            faults.append(f"games is {games}, but a new player with a captain’s estimate has none")
        games = 0
    elif is_new is not None and bool(values["rating"]) != bool(values["games"]):
        missing, there = ("games", "rating") if values["rating"] else ("rating", "games")
        faults.append(
            f"{missing} is missing, but {there} is {shown(values[there])}: give both, neither to carry them "
            "over, or captains_estimate yes for a new player"
        )
    if any(faults) or is_new is None:
        return Problem(row.line, "; ".join(filter(None, faults)), values)
    return SquadRow(row.line, values["name"], values["team"], rating, games, is_new)


def _board_row(row: Row) -> BoardRow | Problem:
    values = row.values
    faults = [length_fault(name, values[name], _MAX_NAME) for name in ("home_team", "away_team")]
    home, away = values["home_player"], values["away_player"]
    faults += [
        length_fault(name, values[name], _MAX_NAME) for name in ("home_player", "away_player") if values[name]
    ]
    for one, other in (("home_team", "away_team"), ("home_player", "away_player")):
        if values[one] and values[one] == values[other]:
            faults.append(f"{one} and {other} are both {shown(values[one])}")
    number = _number("round", values["round"], 1, _MAX_NUMBER, faults)
    board = _number("board", values["board"], 1, _MAX_NUMBER, faults)
    told = board_result_of(values["result"])
    result = BoardResult(told) if told else None
    if result is None:
        faults.append(f"result: {shown(values['result'])} isn’t one of {', '.join(BoardResult)}")
    elif result not in (possible := results_of(home=bool(home), away=bool(away))):
        missing = " and ".join(name for name in ("home_player", "away_player") if not values[name])
        said = f"result: {shown(values['result'])} needs {missing}"
        faults.append(f"{said}; without, it is {' or '.join(possible)}")
    told_stage = values.get("stage", "")
    stage = _STAGES.get(re.sub("[- ]", "", told_stage.lower()))
    if stage is None:
        names = ", ".join(one for one in MatchStage if one)
        faults.append(f"stage: {shown(told_stage)} isn’t one of {names}")
    if any(faults) or number is None or board is None or result is None or stage is None:
        return Problem(row.line, "; ".join(filter(None, faults)), values)
    return BoardRow(
        row.line,
        number,
        values["home_team"],
        values["away_team"],
        board,
        home,
        away,
        result,
        stage,
    )


def _number(name: str, text: str, least: int, most: int, faults: list[str]) -> int | None:
    """Return a whole number within these limits; otherwise add a fault and return None."""
    # At most ten digits: more exceed every limit and are slow to convert.
    if text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most:
        return int(text)
    faults.append(f"{name}: {shown(text)} isn’t a whole number from {least} to {most}")
    return None
