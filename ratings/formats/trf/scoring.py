"""Points for each result: the usual ones, unless the file says otherwise (records 162, XXS and 299)."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from ratings.formats.trf.tournament import Pairing, Player, Record, Result, Tournament

_POINTS: Final = re.compile(r"(-?)([0-9]{0,4})(?:[.,]([0-9])?|(½))?")
"""Points: 11.5 as in the specification; also 11, 11,5 and 11½, and -0.5 after a penalty."""

_WIN, _DRAW, _LOSS = 10, 5, 0
_COLOURS: Final = ("w", "b", "")

_USUAL: Final = {
    **dict.fromkeys(map(Result, "1+WFU"), _WIN),
    **dict.fromkeys(map(Result, "=DH"), _DRAW),
    **dict.fromkeys(map(Result, "0-LZ "), _LOSS),
}

_CODES_162: Final = {"W": "1W+FU", "D": "=DH", "L": "0L", "A": "-Z ", "P": "U", "X": ""}
"""Codes of record 162 (TRF26). An allocated bye is worth a win unless it has its own P. X means an unfinished
game."""

_CODES_XXS: Final = {
    "W": "1W+F",
    "D": "=DH",
    "WW": "1W",
    "BW": "1W",
    "WD": "=D",
    "BD": "=D",
    "WL": "0L",
    "BL": "0L",
    "ZPB": "Z ",
    "HPB": "H",
    "FPB": "F",
    "PAB": "U",
    "FW": "+",
    "FL": "-",
}
"""Codes of record XXS, from pairing programs. In a code of two letters, a leading W or B is the colour."""

_PAIR: Final = re.compile(r"(?<!\S)([^\s=0-9.,½]{1,3})(?: *= *| *)([0-9.,½]{1,6})(?!\S)")
"""A code and its points: W 3.0 in record 162, W=3.0 in record XXS."""

_CODES_299: Final = {
    "W": "1W",
    "D": "=D",
    "L": "0L",
    "F": "F",
    "H": "H",
    "Z": "Z ",
    "+": "+",
    "-": "-",
    " ": "",
}
"""Codes of record 299 (TRF26), with the results for each type. Without a type it is a penalty or a bonus."""

_NUMBERS: Final = re.compile(r"[0-9]{1,4}(?: +[0-9]{1,4})*")


class Abnormal(NamedTuple):
    """Points that some players get instead of the usual ones (record 299 of TRF26).

    ``results``: the codes to which they apply; none for a penalty or a bonus, which is added. ``points``: in
    tenths, negative for a penalty. ``round``: None for all rounds. ``players``: start ranks.
    """

    results: str
    points: int
    round: int | None
    players: tuple[int, ...]


def abnormal_in(record: Record) -> Abnormal | None:
    """Return the contents of a record 299; None if it can't be read.

    Column 5 has the type, 8 to 17 the teams' match points and the points, 20 to 22 the round, the rest the
    players.
    """
    text = record.text.ljust(19)
    points, round_, players = text[1:15].split(), text[15:18].strip() or "0", text[19:].strip()
    if text[0].upper() not in _CODES_299 or not points or not round_.isdecimal():
        return None
    if not _NUMBERS.fullmatch(players):
        return None
    try:
        worth = tenths(points[-1])
    except ValueError:
        return None
    numbers = tuple(map(int, players.split()))
    return Abnormal(_CODES_299[text[0].upper()], worth, int(round_) or None, numbers)


def tenths(text: str) -> int:
    """Return points in tenths; raises ValueError for an invalid text."""
    match = _POINTS.fullmatch(text)
    if match is None or not any(match.groups()[1:]):
        raise ValueError(text)
    points = 10 * int(match[2] or 0) + (5 if match[4] else int(match[3] or 0))
    return -points if match[1] else points


def points_text(points: int | None) -> str:
    """Return points in tenths as reports write them, such as 11.5; an empty text for None."""
    if points is None:
        return ""
    return f"{'-' * (points < 0)}{abs(points) // 10}.{abs(points) % 10}"


class Scoring:
    """The value of each result in tenths, by colour. ``misread``: what can't be read, with its record.

    ``abnormal``: the points from record 299, by start rank.
    """

    def __init__(self, records: Iterable[Record], abnormal: Iterable[Record] = ()) -> None:
        self._points = {(colour, result): points for colour in _COLOURS for result, points in _USUAL.items()}
        self.misread: list[tuple[Record, str]] = []
        self.abnormal: dict[int, list[Abnormal]] = {}
        for record in abnormal:
            one = abnormal_in(record)
            if one is None:
                self.misread.append((record, record.text.strip()))
                continue
            for number in one.players:
                self.abnormal.setdefault(number, []).append(one)
        for record in records:
            self._take(record, _CODES_162 if record.tag == "162" else _CODES_XXS)

    def _take(self, record: Record, codes: Mapping[str, str]) -> None:
        """Read the codes of a record that are known. What isn't one, or has no points, is misread."""
        worth: dict[str, int] = {}
        for match in _PAIR.finditer(record.text):
            code = match[1].upper()
            try:
                worth[code] = tenths(match[2])
            except ValueError:
                self.misread.append((record, match[0]))
                continue
            if code not in codes:
                del worth[code]
                self.misread.append((record, match[0]))
        if rest := " ".join(_PAIR.sub(" ", record.text).split()):
            self.misread.append((record, rest))
        # P after W, whatever their order: W sets the points of an allocated bye only if P doesn't.
        for code in sorted(worth, key=lambda one: one == "P"):
            colours = (code[0].lower(),) if code[0] in "WB" and len(code) == 2 else _COLOURS
            for result in codes[code]:
                for colour in colours:
                    self._points[colour, Result(result)] = worth[code]

    def of(self, player: Player) -> int:
        """Return a player's points in tenths, including those of record 299."""
        total = self.usual(player.rounds)
        for one in self.abnormal.get(player.start_rank, ()):
            if not one.results:
                total += one.points
                continue
            rounds = player.rounds if one.round is None else player.rounds[one.round - 1 : one.round]
            some = [pairing for pairing in rounds if pairing.result in one.results]
            total += len(some) * one.points - self.usual(some)
        return total

    def usual(self, pairings: Iterable[Pairing]) -> int:
        """Return the usual points for these rounds, in tenths."""
        points = self._points
        return sum([points[colour, result] for _, colour, result in pairings])

    def explains(self, player: Player) -> bool:
        """Return whether a player's points can be explained by the results, with other points for byes.

        A round without an opponent can be worth up to the maximum for a bye, whatever the file calls it.
        """
        if player.points is None:
            return True
        byes = [pairing for pairing in player.rounds if pairing.opponent is None]
        over_the_board = self.of(player) - self.usual(byes)
        return over_the_board <= player.points <= over_the_board + len(byes) * self._bye

    @property
    def _bye(self) -> int:
        return max(self._points["", Result.FULL_POINT_BYE], self._points["", Result.ALLOCATED_BYE])


def scoring_of(tournament: Tournament) -> Scoring:
    """Return the report's scoring. If teams have numbers (record 310), record 299 is about teams."""
    records = (*tournament.headers, *tournament.rest)
    of_teams = any(team.number is not None for team in tournament.teams)
    return Scoring(
        (record for record in records if record.tag in ("162", "XXS")),
        (record for record in tournament.rest if record.tag == "299" and not of_teams),
    )


def explained_by_byes(tournament: Tournament) -> list[int]:
    """Return the start ranks of players whose points differ from their results as only byes can explain."""
    scoring = scoring_of(tournament)
    return [
        player.start_rank
        for player in tournament.players
        if player.points not in (None, scoring.of(player), scoring.usual(player.rounds))
    ]
