"""The lines of teams: record 013 of TRF16, record 310 of TRF26."""

import re
from typing import Final

from ratings.formats.problems import shown
from ratings.formats.trf.scoring import points_text, tenths
from ratings.formats.trf.tournament import Team

TEAM_TAGS: Final = ("013", "310")

_NUMBER: Final = re.compile("[0-9]{1,6}")
_PLAYER_WIDTH: Final = 5
_FIRST_OF_013: Final = 36
_FIRST_OF_310: Final = 73
"""Position of the first player in the line, counted from 0."""


def read_team(number: int, line: str) -> Team:
    """Read the team on a line; raises ValueError if its columns contain something else."""
    if line.startswith("013"):
        return Team(
            number, None, line[4:36].strip(), "", None, None, None, None, _players(line, _FIRST_OF_013)
        )
    row = line.ljust(_FIRST_OF_310)
    for column in (3, 7, 40, 46, 53, 60, 67, 71, 72):
        if row[column] != " ":
            raise ValueError(f"the columns are shifted: {shown(row[column])} in column {column + 1}")
    return Team(
        number,
        _number(row[4:7]),
        row[8:40].strip(),
        row[41:46].strip(),
        _number(row[47:53]),
        _points(row[54:60]),
        _points(row[61:67]),
        _number(row[68:71]),
        _players(row, _FIRST_OF_310),
    )


def team_line(team: Team) -> str:
    """Return the line of a team. A long name is cut; raises ValueError for a number that doesn't fit."""
    if team.number is None:
        line = f"013 {team.name[:32]:<32}"
        return line + " ".join(f"{player:4}" for player in team.players)
    line = (
        f"310 {team.number:>3} {team.name[:32]:<32} {team.nickname:<5} {_blank(team.strength):>6} "
        f"{points_text(team.match_points):>6} {points_text(team.game_points):>6} {_blank(team.rank):>3}  "
    )
    if len(line) != _FIRST_OF_310:
        raise ValueError(f"a value of team {team.number} is too long for its columns: {line}")
    return (line + " ".join(f"{player:4}" for player in team.players)).rstrip()


def _players(line: str, first: int) -> tuple[int, ...]:
    cells = [line[at : at + _PLAYER_WIDTH] for at in range(first, len(line), _PLAYER_WIDTH)]
    for cell in cells:
        if cell[4:].strip() or not _NUMBER.fullmatch(cell.strip()):
            raise ValueError(f"{shown(cell.strip())} isn't a start rank in four columns and a blank")
    return tuple(map(int, cells))


def _number(text: str) -> int | None:
    text = text.strip()
    if text and not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} isn't a number")
    return int(text) if text else None


def _points(text: str) -> int | None:
    try:
        return tenths(text.strip()) if text.strip() else None
    except ValueError:
        raise ValueError(f"{shown(text.strip())} are no points such as 11.5") from None


def _blank(number: int | None) -> str:
    return "" if number is None else str(number)
