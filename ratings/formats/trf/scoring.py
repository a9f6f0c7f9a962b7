"""How many points each result gives: the usual, unless the file says otherwise (records 162 and XXS)."""

import re
from collections.abc import Iterable
from typing import Final

from ratings.formats.trf.tournament import Pairing, Player, Record, Result, Tournament

_POINTS: Final = re.compile(r"([0-9]{0,4})(?:[.,]([0-9])?|(½))?")
"""11.5 as the specification has it; also 11, 11,5 and 11½."""

_COUNT: Final = re.compile("[0-9]{1,5}")

_WIN, _DRAW, _LOSS = 10, 5, 0
_COLOURS: Final = ("w", "b", "")

_USUAL: Final = {
    **dict.fromkeys(map(Result, "1+WFU"), _WIN),
    **dict.fromkeys(map(Result, "=DH"), _DRAW),
    **dict.fromkeys(map(Result, "0-LZ "), _LOSS),
}

_CODES_162: Final = {"W": "1W+FU", "D": "=DH", "L": "0L", "A": "-Z ", "P": "U", "X": ""}
"""Record 162 of TRF26. An allocated bye is worth a win unless it has its own P. X is for unfinished games."""

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
"""Record XXS of pairing programs. Of two letters, W or B in the first place is the colour."""

_OF_162: Final = re.compile(r"([WDLAPX]) *([0-9.]+) *")
_OF_XXS: Final = re.compile(r"([A-Z]{1,3})=([0-9.]+) *")


def tenths(text: str) -> int:
    """Points in tenths; raises ValueError for what are none."""
    match = _POINTS.fullmatch(text)
    if match is None or not any(match.groups()):
        raise ValueError(text)
    return 10 * int(match[1] or 0) + (5 if match[3] else int(match[2] or 0))


class Scoring:
    """What each result is worth in tenths, by colour. ``misread``: the records that cannot be read."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._points = {(colour, result): points for colour in _COLOURS for result, points in _USUAL.items()}
        self.misread: list[Record] = []
        for record in records:
            pattern, codes = (_OF_162, _CODES_162) if record.tag == "162" else (_OF_XXS, _CODES_XXS)
            # P after W, wherever they stand: W says of an allocated bye only what P does not.
            found = sorted(pattern.findall(record.text), key=lambda pair: pair[0] == "P")
            if pattern.sub("", record.text).strip() or not all(code in codes for code, _ in found):
                self.misread.append(record)
                continue
            try:
                worth = [(code, tenths(text)) for code, text in found]
            except ValueError:
                self.misread.append(record)
                continue
            for code, points in worth:
                colours = (code[0].lower(),) if code[0] in "WB" and len(code) == 2 else _COLOURS
                for result in codes[code]:
                    for colour in colours:
                        self._points[colour, Result(result)] = points

    def of(self, pairings: Iterable[Pairing]) -> int:
        """The points of all these rounds, in tenths."""
        points = self._points
        return sum([points[colour, result] for _, colour, result in pairings])

    def explains(self, player: Player) -> bool:
        """Whether the points of a player can be those of the results, with other points for byes.

        A round without opponent can be worth up to the most that a bye gives, whatever the file calls it.
        """
        if player.points is None:
            return True
        met = [pairing for pairing in player.rounds if pairing.opponent is not None]
        over_the_board, byes = self.of(met), len(player.rounds) - len(met)
        return over_the_board <= player.points <= over_the_board + byes * self._bye

    @property
    def _bye(self) -> int:
        return max(self._points["", Result.FULL_POINT_BYE], self._points["", Result.ALLOCATED_BYE])


def scoring_of(tournament: Tournament) -> Scoring:
    """How the report counts points."""
    records = (*tournament.headers, *tournament.rest)
    return Scoring(record for record in records if record.tag in ("162", "XXS"))


def abnormally_scored(tournament: Tournament) -> set[int]:
    """Whom record 299 of TRF26 gives other points than the result. In a team event it names teams."""
    if tournament.teams:
        return set()
    texts = [record.text[19:] for record in tournament.rest if record.tag == "299"]
    return {int(word) for text in texts for word in _COUNT.findall(text)}


def explained_by_byes(tournament: Tournament) -> list[int]:
    """The start ranks of players whose points differ from their results, as only byes can explain."""
    scoring, abnormal = scoring_of(tournament), abnormally_scored(tournament)
    return [
        player.start_rank
        for player in tournament.players
        if player.points is not None
        and player.points != scoring.of(player.rounds)
        and player.start_rank not in abnormal
    ]
