"""A tournament as given by a report file (TRF): frozen values, nothing added and nothing left out."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from ratings.formats.trf.dates import round_dates, start_and_end
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
