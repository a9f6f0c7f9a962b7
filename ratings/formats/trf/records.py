"""The records of players (001) and teams (013, 310), column by column."""

import re
from typing import Final

from ratings.formats.frl.rows import HIGHEST_RATING, LOWEST_RATING, OLD_TITLES
from ratings.formats.problems import Findings, shown
from ratings.formats.trf.scoring import points_text, tenths
from ratings.formats.trf.tournament import (
    BYES,
    FIRST_ROUND,
    MAX_ROUNDS,
    NO_PAIRING,
    ROUND_WIDTH,
    Pairing,
    Player,
    Result,
    Team,
)
from ratings.rules.federations import FEDERATIONS
from ratings.rules.units import FideId, Points

_LONGEST_NAME: Final = 33
"""Maximum number of characters in a name, columns 15 to 47."""

_GAPS: Final = (3, 8, 13, 47, 52, 56, 84, 89, 90)
"""Columns, counted from 0, that are blank unless the line is shifted. The gaps on both sides of the date of
birth, 68 and 79, are left out: in some files the date itself is one column off."""

_BEFORE_BIRTH: Final = 68
_AFTER_BIRTH: Final = 79
_LONGEST_BIRTH: Final = 10
_NUMBER: Final = re.compile("[0-9]{1,4}")
_FIDE_ID: Final = re.compile("[0-9]{6,9}")
"""A FIDE ID. A shorter number nearly always comes from a national federation, and is another player's FIDE
ID."""

_TITLE: Final = re.compile("[A-Za-z]{0,3}")
_SEXES: Final = {"": "", "m": "m", "M": "m", "w": "w", "W": "w", "f": "w", "F": "w"}
_COLOURS: Final = {"w": "w", "W": "w", "b": "b", "B": "b", "-": "", " ": ""}
_RESULTS: Final = {code: result for result in Result for code in (result, result.lower())}


class Players:
    """The reader of players' lines. ``illegible``: start ranks of players with a round that can't be read."""

    def __init__(self, findings: Findings, *, skip_unknown_federations: bool) -> None:
        self.findings = findings
        self.illegible: set[int] = set()
        self._skip = skip_unknown_federations
        # Apart from the players, a file has few distinct cells: at most 60,000 for 10,000 players.
        self._cells: dict[str, Pairing | str] = {" " * ROUND_WIDTH: NO_PAIRING}

    def read(self, number: int, line: str) -> Player | None:
        """Return the player on a line, None without a start rank. Faults are added to the findings."""
        row = line.ljust(FIRST_ROUND)
        if not line.isascii() and not _fits(row) and _fits(padded := _padded_by_bytes(row)):
            self.findings.remark(number, "the columns are counted in bytes, not in characters")
            row = padded
        text = row[4:8].strip()
        start_rank = int(text) if _NUMBER.fullmatch(text) else 0
        if fault := _shifted(row):
            self.findings.refuse(number, f"the columns are shifted: {fault}")
            self.illegible.add(start_rank)
            # If the number is shifted too, it is another player's.
            known = start_rank and row[8] == " "
            return _only_number(number, start_rank) if known else None
        if not start_rank:
            self.findings.refuse(number, f"start rank: {shown(text)} isn’t a number from 1 to 9999")
            return None
        fide_id, other_id = self._fide_id(number, row[57:68].strip())
        return Player(
            number,
            start_rank,
            self._sex(number, row[9].strip()),
            self._title(number, row[10:13].strip()),
            row[14:47].strip(),
            self._rating(number, row[48:52].strip()),
            self._federation(number, row[53:56].strip()),
            fide_id,
            other_id,
            self._birth(number, row),
            self._points(number, row[80:84].strip()),
            self._rank(number, row[85:89].strip()),
            self._rounds(number, start_rank, row),
        )

    def _sex(self, line: int, text: str) -> str:
        if text not in _SEXES:
            self.findings.remark(line, f"sex: {shown(text)} is neither m nor w; left out")
        return _SEXES.get(text, "")

    def _title(self, line: int, text: str) -> str:
        if not _TITLE.fullmatch(text):
            self.findings.remark(line, f"title: {shown(text)} isn’t a title; left out")
            return ""
        return OLD_TITLES.get(text.lower(), text.upper())

    def _rating(self, line: int, text: str) -> Points | None:
        # B.02 4.13: ratings come from the list in force, so the report's rating decides nothing.
        rating = self._number(line, "rating", text)
        if rating and not LOWEST_RATING <= rating <= HIGHEST_RATING:
            self.findings.remark(
                line, f"rating: {rating} is not between {LOWEST_RATING} and {HIGHEST_RATING}; left out"
            )
            return None
        return Points(rating) if rating else None

    def _federation(self, line: int, text: str) -> str:
        federation = text.upper()
        if not federation or federation in FEDERATIONS:
            return federation
        reason = f"federation: {shown(text)} isn’t a FIDE federation"
        if self._skip:
            self.findings.remark(line, f"{reason}; left out")
        else:
            self.findings.refuse(line, f"{reason}; correct it, or leave out unknown federations")
        return ""

    def _fide_id(self, line: int, text: str) -> tuple[FideId | None, str]:
        if not text.strip("0"):
            return None, ""
        if _FIDE_ID.fullmatch(text.lstrip("0")):
            return FideId(int(text)), ""
        self.findings.remark(
            line, f"FIDE ID: {shown(text)} doesn’t have 6 to 9 digits; kept as another number"
        )
        return None, text

    def _birth(self, line: int, row: str) -> str:
        if row[_BEFORE_BIRTH] != " " or row[_AFTER_BIRTH] != " ":
            self.findings.remark(line, "date of birth: one column out of place")
        return row[_BEFORE_BIRTH : _AFTER_BIRTH + 1].strip()

    def _points(self, line: int, text: str) -> int | None:
        if not text:
            return None
        try:
            return tenths(text)
        except ValueError:
            self.findings.refuse(line, f"points: {shown(text)} can’t be read; write them as 11.5")
            return None

    def _rank(self, line: int, text: str) -> int | None:
        return self._number(line, "rank", text) or None

    def _number(self, line: int, what: str, text: str) -> int:
        if text and not _NUMBER.fullmatch(text):
            self.findings.remark(line, f"{what}: {shown(text)} isn’t a number; left out")
            return 0
        return int(text or 0)

    def _rounds(self, line: int, start_rank: int, row: str) -> tuple[Pairing, ...]:
        cells = self._cells
        rounds: list[Pairing] = []
        if len(row) > FIRST_ROUND + MAX_ROUNDS * ROUND_WIDTH:
            self.findings.refuse(line, f"more than {MAX_ROUNDS} rounds")
            self.illegible.add(start_rank)
            return ()
        for at in range(FIRST_ROUND, len(row), ROUND_WIDTH):
            text = row[at : at + ROUND_WIDTH]
            pairing = cells.get(text)
            if pairing is None:
                pairing = cells[text] = _pairing(text.ljust(ROUND_WIDTH))
            if isinstance(pairing, str):
                self.findings.refuse(line, f"round {len(rounds) + 1}: {pairing}")
                self.illegible.add(start_rank)
                pairing = NO_PAIRING
            rounds.append(pairing)
        return tuple(rounds)


def _only_number(line: int, start_rank: int) -> Player:
    """Return a player of whom only the number can be read."""
    return Player(line, start_rank, "", "", "", None, "", None, "", "", None, None, ())


def in_columns(line: str, *, with_results: bool) -> bool:
    """Return whether a line has a player in the columns of record 001, regardless of its record.

    ``with_results``: require points or rounds too, which the line of a national federation lacks.
    """
    row = line.ljust(FIRST_ROUND + ROUND_WIDTH)
    if not _NUMBER.fullmatch(row[4:8].strip()) or not row[14].isalpha() or _shifted(row):
        return False
    first = _pairing(row[FIRST_ROUND : FIRST_ROUND + ROUND_WIDTH])
    has_results = row[80:84].strip() != "" or first != NO_PAIRING
    return has_results or (not with_results and _FIDE_ID.fullmatch(row[57:68].strip()) is not None)


def player_line(player: Player) -> str:
    """Return the line of a player. A long name is cut; raises ValueError for a number that doesn't fit."""
    line = (
        f"001 {player.start_rank:>4} {player.sex:1}{player.title:>3} "
        f"{player.name[:_LONGEST_NAME]:<{_LONGEST_NAME}} "
        f"{player.rating or '':>4} {player.federation:<3} {player.fide_id or player.other_id:>11} "
        f"{player.birth:<10} {points_text(player.points):>4} {player.rank or '':>4}"
    )
    if len(line) != FIRST_ROUND - 2:
        raise ValueError(f"a value of player {player.start_rank} is too long for its columns: {line}")
    return "".join([line, *map(_cell, player.rounds)]).rstrip()


def _cell(pairing: Pairing) -> str:
    if pairing == NO_PAIRING:
        return " " * ROUND_WIDTH
    opponent = "0000" if pairing.opponent is None else f"{pairing.opponent:4}"
    return f"  {opponent} {pairing.colour or '-'} {pairing.result}"


def _shifted(row: str) -> str:
    """Return the first character that is out of place, or ``""``."""
    for column in _GAPS:
        if row[column] != " ":
            return f"{shown(row[column])} in column {column + 1}, which is always blank"
    if (
        row[_BEFORE_BIRTH] != " " != row[_BEFORE_BIRTH - 1]
        or row[_AFTER_BIRTH] != " " != row[_AFTER_BIRTH + 1]
    ):
        return f"{shown(row[57:84].strip())} has no space between FIDE ID, date of birth and points"
    if len(row[_BEFORE_BIRTH : _AFTER_BIRTH + 1].strip()) > _LONGEST_BIRTH:
        return f"{shown(row[_BEFORE_BIRTH : _AFTER_BIRTH + 1])} is too long for a date of birth"
    return ""


def _fits(row: str) -> bool:
    return not _shifted(row) and not isinstance(_pairing(row[FIRST_ROUND : FIRST_ROUND + ROUND_WIDTH]), str)


def _padded_by_bytes(row: str) -> str:
    """Return the row as it would be if its writer counted each byte of a UTF-8 name as a column."""
    for end in range(15, 15 + _LONGEST_NAME):
        if len(row[14:end].encode()) == _LONGEST_NAME:
            return row[:end].ljust(14 + _LONGEST_NAME) + row[end:]
    return row


def _pairing(text: str) -> Pairing | str:
    """Return what a player did in a round, or why that is unclear."""
    cell = text.ljust(ROUND_WIDTH)
    opponent, colour, result = cell[:4].strip(), _COLOURS.get(cell[5]), _RESULTS.get(cell[7])
    in_place = (cell[4] + cell[6] + cell[8:]).isspace() and _NUMBER.fullmatch(opponent or "0")
    if not in_place or colour is None or result is None:
        return f"{shown(cell.rstrip())} isn’t an opponent, colour and result such as “  12 w 1”"
    number = int(opponent or 0) or None
    if number and result in BYES and result is not Result.BLANK:
        return f"{shown(cell.strip())} is a bye, and a bye has no opponent"
    return Pairing(number, colour, result)


TEAM_TAGS: Final = ("013", "310")

_TEAM_NUMBER: Final = re.compile("[0-9]{1,6}")
_PLAYER_WIDTH: Final = 5
_FIRST_OF_013: Final = 36
_FIRST_OF_310: Final = 73
"""Position of the first player in the line, counted from 0."""


def read_team(number: int, line: str) -> Team:
    """Read the team on a line; raises ValueError if its columns contain something else."""
    if line.startswith("013"):
        return Team(
            number, None, line[4:36].strip(), "", None, None, None, None, _start_ranks(line, _FIRST_OF_013)
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
        _start_ranks(row, _FIRST_OF_310),
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


def _start_ranks(line: str, first: int) -> tuple[int, ...]:
    cells = [line[at : at + _PLAYER_WIDTH] for at in range(first, len(line), _PLAYER_WIDTH)]
    for cell in cells:
        if cell[4:].strip() or not _TEAM_NUMBER.fullmatch(cell.strip()):
            raise ValueError(f"{shown(cell.strip())} isn’t a start rank in four columns followed by a space")
    return tuple(map(int, cells))


def _number(text: str) -> int | None:
    text = text.strip()
    if text and not _TEAM_NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} isn’t a number")
    return int(text) if text else None


def _points(text: str) -> int | None:
    try:
        return tenths(text.strip()) if text.strip() else None
    except ValueError:
        raise ValueError(f"{shown(text.strip())} isn’t a number of points such as 11.5") from None


def _blank(number: int | None) -> str:
    return "" if number is None else str(number)
