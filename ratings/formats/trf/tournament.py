"""A tournament as given by a report file (TRF): frozen values, nothing added and nothing left out."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from ratings.rules.units import FideId, Points

FIRST_ROUND: Final = 91
"""Position of the first round in lines 001 and 132, counted from 0."""

ROUND_WIDTH: Final = 10

MAX_ROUNDS: Final = 200
"""Maximum number of rounds read; no tournament has ever had as many."""

PLANNED_ROUNDS: Final = ("142", "XXR")
"""Records that give a tournament's number of rounds: that of TRF26, and that of pairing programs."""

_BIRTH_YEAR: Final = re.compile("(?<![0-9])(?:1[89]|20)[0-9]{2}(?![0-9])")
_COUNT: Final = re.compile(" *([0-9]{1,5})")


class Result(StrEnum):
    """The result codes of TRF16 and TRF26, from the view of the line's player."""

    WIN = "1"
    DRAW = "="
    LOSS = "0"
    FORFEIT_WIN = "+"
    FORFEIT_LOSS = "-"
    UNRATED_WIN = "W"
    UNRATED_DRAW = "D"
    UNRATED_LOSS = "L"
    HALF_POINT_BYE = "H"
    FULL_POINT_BYE = "F"
    ALLOCATED_BYE = "U"
    ZERO_POINT_BYE = "Z"
    BLANK = " "
    """The same as Z in the specification. It is kept apart so that a file can be written as it was read."""


BYES: Final = frozenset(map(Result, "HFUZ "))
"""Results of rounds without an opponent."""

PLAYED: Final = frozenset({Result.WIN, Result.DRAW, Result.LOSS})
"""B.02 5.1: results of games in which each side has made a move; only these are rated."""


class Pairing(NamedTuple):
    """A player's round.

    ``opponent``: the opponent's start rank, None for a bye or an absence. ``colour``: w, b or "".
    """

    opponent: int | None
    colour: str
    result: Result

    @property
    def played(self) -> bool:
        """True if the game counts for rating. Old files write byes as = + - without an opponent."""
        return self.opponent is not None and self.result in PLAYED


NO_PAIRING: Final = Pairing(None, "", Result.BLANK)
"""A round for which the player's line has no entry."""


class Player(NamedTuple):
    """A player of the tournament (record 001).

    ``line``: its position in the file, counted from 1; 0 if it doesn't come from a file. ``sex``: m, w or "".
    ``title``: FIDE's abbreviation. ``rating``: None if unrated. ``federation``: a FIDE code or "".
    ``fide_id``: None if the column has none; any other content is in ``other_id``. ``birth``: as written.
    ``points``: in tenths, None if the file gives none. ``rounds``: the same number for each player.
    """

    line: int
    start_rank: int
    sex: str
    title: str
    name: str
    rating: Points | None
    federation: str
    fide_id: FideId | None
    other_id: str
    birth: str
    points: int | None
    rank: int | None
    rounds: tuple[Pairing, ...]

    @property
    def birth_year(self) -> int | None:
        """The year in 1993-12-20, 1978/00/00, 20.12.1993 or 1993."""
        match = _BIRTH_YEAR.search(self.birth)
        return int(match[0]) if match else None


class Team(NamedTuple):
    """A team from TRF16 (record 013, which has only a name and players) or TRF26 (record 310).

    ``number``: None in a record 013. ``match_points``, ``game_points``: in tenths. ``players``: start ranks.
    """

    line: int
    number: int | None
    name: str
    nickname: str
    strength: int | None
    match_points: int | None
    game_points: int | None
    rank: int | None
    players: tuple[int, ...]


class Record(NamedTuple):
    """A line kept unchanged. ``tag``: its first three characters, "" for a comment or an unknown line."""

    line: int
    tag: str
    text: str


class OtherDay(NamedTuple):
    """A first or last round on a different day from the tournament's (records 132, and 042 or 052).

    ``is_first``: True for the first round and day, False for the last. ``day``: the round's day by record
    132. ``said``: the tournament's day.
    """

    is_first: bool
    round: int
    day: date
    said: date


@dataclass(frozen=True)
class Tournament:
    """A report. ``headers``: the tournament's records (012 to 362). ``rest``: all other lines, in order.

    Every line of the file is in one of the four fields with its number, so that it can be written back in
    place.
    """

    headers: tuple[Record, ...]
    players: tuple[Player, ...]
    teams: tuple[Team, ...] = ()
    rest: tuple[Record, ...] = ()

    def header(self, tag: str) -> str:
        """Return the text of the first header with this tag that has one, or ""."""
        return next((record.text.strip() for record in self.headers if record.tag == tag and record.text), "")

    @property
    def name(self) -> str:
        """Record 012."""
        return self.header("012")

    @property
    def city(self) -> str:
        """Record 022."""
        return self.header("022")

    @property
    def federation(self) -> str:
        """Record 032: where the tournament was played, as written."""
        return self.header("032")

    @property
    def start(self) -> date | None:
        """Record 042."""
        return start_and_end(self.header("042"), self.header("052"))[0]

    @property
    def end(self) -> date | None:
        """Record 052, or else the last day of record 132."""
        end = start_and_end(self.header("042"), self.header("052"))[1]
        return end or max((day for day in self.round_dates if day), default=None)

    @property
    def kind(self) -> str:
        """Record 192, an agreed code such as FIDE_DUTCH_2025, or else 092, in free text."""
        return self.header("192") or self.header("092")

    @property
    def time_control(self) -> str:
        """Record 222, encoded in seconds (5400+30), or else 122, in free text."""
        return self.header("222") or self.header("122")

    @property
    def rounds(self) -> int:
        """Number of rounds for which the players' lines have entries."""
        return len(self.players[0].rounds) if self.players else 0

    @property
    def rounds_with_results(self) -> int:
        """The last round in which anybody with an opponent has a result."""
        found = 0
        for player in self.players:
            rounds = player.rounds
            # Backwards: most tournaments have a result in the last round.
            for number in range(len(rounds), found, -1):
                pairing = rounds[number - 1]
                if pairing.opponent is not None and pairing.result is not Result.BLANK:
                    found = number
                    break
        return found

    @property
    def planned_rounds(self) -> int | None:
        """Records 142 and XXR: the planned number of rounds; None if neither gives it."""
        records = (*self.headers, *self.rest)
        texts = (record.text for record in records if record.tag in PLANNED_ROUNDS)
        return max((int(match[1]) for text in texts if (match := _COUNT.match(text))), default=None)

    @property
    def other_days(self) -> tuple[OtherDay, ...]:
        """First or last rounds for which record 132 has a different day from records 042 and 052."""
        start, end = start_and_end(self.header("042"), self.header("052"))
        days = self.round_dates
        if not days:
            return ()
        compared = ((True, 1, days[0], start), (False, len(days), days[-1], end))
        return tuple(
            OtherDay(is_first, number, day, said)
            for is_first, number, day, said in compared
            if day and said and day != said
        )

    @cached_property
    def round_dates(self) -> tuple[date | None, ...]:
        """Record 132: the day of each round, None for one that can't be read."""
        text = next((record.text for record in self.headers if record.tag == "132"), "")
        first = FIRST_ROUND - len("132 ")
        cells = [text[at : at + ROUND_WIDTH].strip() for at in range(first, len(text), ROUND_WIDTH)]
        # Some programs write the dates one after the other, without columns.
        texts = text.split() if text[:first].strip() else cells
        return round_dates(texts[:MAX_ROUNDS], *start_and_end(self.header("042"), self.header("052")))


_ORDERS: Final = ("ymd", "dmy", "mdy", "ydm")
"""Orders of year, month and day, as they are tried. The last occurs in real files: 11.25.02 for 25 February
2011."""

_NUMBERS: Final = re.compile("(?<![0-9])([0-9]{1,4})[^0-9]{1,3}([0-9]{1,2})[^0-9]{1,3}([0-9]{1,4})(?![0-9])")
_DIGITS: Final = re.compile("(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])")
_DAY_FIRST: Final = re.compile(
    "(?<![0-9])([0-9]{1,2})[a-z]{0,2}[ .-]+([A-Z][a-z]{2})[a-z]*[ .,-]+([0-9]{4})", re.I
)
_MONTH_FIRST: Final = re.compile("([A-Z][a-z]{2})[a-z]*[ .]+([0-9]{1,2})[a-z]{0,2},? +([0-9]{4})", re.I)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_LONGEST: Final = 100
"""Maximum number of characters of a text that are examined."""

_FIRST_OF_THE_TWENTIETH: Final = 70
"""First two-digit year of the 20th century: 69 is 2069, 70 is 1970."""


def start_and_end(start: str, end: str) -> tuple[date | None, date | None]:
    """Return the first and last day (records 042, 052), if possible in one order that fits both.

    None for a date that is missing or can't be read.
    """
    readings = _readings((start, end))
    first, last = next(
        (days for days in readings if days[0] <= days[1]), readings[0] if readings else (None, None)
    )
    return first or _alone(start), last or _alone(end)


def is_ambiguous(start: str, end: str) -> bool:
    """Return whether the two dates can be read in more than one way, as 02/10/2010 alone can."""
    together = _readings([text for text in (start, end) if text])
    readings = [together] if together else [_readings([start]), _readings([end])]
    return any(len(set(map(tuple, days))) > 1 for days in readings)


def round_dates(texts: Sequence[str], start: date | None, end: date | None) -> tuple[date | None, ...]:
    """Return the day of each round, in the order that fits first and last day; None if blank."""
    readings = _readings([text for text in texts if text])
    if not readings:
        return tuple(map(_alone, texts))
    fitting = (days for days in readings if days[0] == start and days[-1] == (end or days[-1]))
    days = iter(next(fitting, readings[0]))
    return tuple(next(days) if text else None for text in texts)


def _readings(texts: Sequence[str]) -> list[list[date]]:
    """Return the texts as dates, once for each order in which all of them are dates."""
    found = []
    for order in _ORDERS:
        days = [day for text in texts if (day := _date(text, order))]
        if days and len(days) == len(texts):
            found.append(days)
    return found


def _alone(text: str) -> date | None:
    return next((day for order in _ORDERS if (day := _date(text, order))), None)


def _date(text: str, order: str) -> date | None:
    text = text[:_LONGEST]
    if match := _DIGITS.search(text):
        order = "ymd"
    elif match := _DAY_FIRST.search(text):
        order = "dmy"
    elif match := _MONTH_FIRST.search(text):
        order = "mdy"
    elif not (match := _NUMBERS.search(text)):
        return None
    part = dict(zip(order, match.groups(), strict=True))
    whole = len(part["y"]) == 4
    # After a four-digit year the month comes first; between dots, the day comes first.
    if whole and (order == "ydm" or (order == "mdy" and "." in match[0] and part["m"].isdigit())):
        return None
    month = part["m"].lower()
    try:
        return date(
            int(part["y"]) if whole else _in_full(part["y"]),
            _MONTHS.index(month) + 1 if month in _MONTHS else int(month),
            int(part["d"]),
        )
    except ValueError:
        return None


def _in_full(year: str) -> int:
    """Return the full year for two digits; raises ValueError for any other number of digits."""
    if len(year) != 2:
        raise ValueError(year)
    return int(year) + (1900 if int(year) >= _FIRST_OF_THE_TWENTIETH else 2000)


_KEPT: Final = frozenset({"022", "032", "092", "102", "112", "122", "162", "192", "222"})
"""Records that apply to a part as well as to the whole; counts of players, rounds or points don't."""


def extract(report: Tournament, rounds: Collection[int], name: str, first: date, last: date) -> Tournament:
    """Return a report of these rounds alone, with this name and these first and last days.

    Players and rounds keep their numbers, so that they can be compared with the whole report. Points are left
    out, since the report's points cover all rounds.
    """
    days = {number: day for number, day in enumerate(report.round_dates, 1) if number in rounds and day}
    said = {"012": name, "042": f"{first:%Y/%m/%d}", "052": f"{last:%Y/%m/%d}", "132": record_132(days)}
    headers = [Record(0, tag, text) for tag, text in said.items()]
    headers += [record._replace(line=0) for record in report.headers if record.tag in _KEPT]
    return Tournament(tuple(headers), tuple(_in_rounds(player, rounds) for player in report.players))


def played_rounds(report: Tournament) -> list[int]:
    """Return the rounds in which anybody has an opponent."""
    rounds = range(1, report.rounds + 1)
    return [
        number
        for number in rounds
        if any(player.rounds[number - 1].opponent is not None for player in report.players)
    ]


def _in_rounds(player: Player, rounds: Collection[int]) -> Player:
    # Leaving out later rounds keeps the extract the same once they are played.
    until = player.rounds[: max(rounds, default=0)]
    kept = [pairing if number in rounds else NO_PAIRING for number, pairing in enumerate(until, 1)]
    return player._replace(line=0, points=None, rank=None, rounds=tuple(kept))


def record_132(days: dict[int, date]) -> str:
    """Return record 132: the day of each round in its column."""
    texts = {number: f"{day:%y/%m/%d}" for number, day in days.items()}
    cells = [texts.get(number, "").ljust(ROUND_WIDTH) for number in range(1, max(days, default=0) + 1)]
    return " " * (FIRST_ROUND - len("132 ")) + "".join(cells)
