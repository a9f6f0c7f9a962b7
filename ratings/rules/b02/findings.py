"""FIDE B.02, all editions: what may be found in a tournament, and the facts that it is looked for in.

What the rules find is listed, never raised: a person reads it, and accepts a finding where the article leaves
it to somebody to consent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum
from typing import Final, NamedTuple

from ratings.rules.b02.time_controls import Stage
from ratings.rules.cited import _


class Severity(IntEnum):
    """``NOTE``: the tournament is rated, and this says what in it is not, or not as it was reported.
    ``REFUSAL``: it is not rated, unless somebody accepts the finding where that can be.
    """

    NOTE = 1
    REFUSAL = 2


_NOTE: Final = Severity.NOTE
_REFUSAL: Final = Severity.REFUSAL


class Finds(IntEnum):
    """Possible findings, each with article, severity, and whether staff may accept it with a reason.

    Articles and words are those of the first edition that finds it; ``Edition.article`` has those of each.
    """

    article: str
    severity: Severity
    acceptable: bool
    text: str

    def __new__(cls, value: int, article: str, severity: Severity, acceptable: bool, text: str) -> "Finds":
        member = int.__new__(cls, value)
        member._value_ = value
        member.article = article
        member.severity = severity
        member.acceptable = acceptable
        member.text = text
        return member

    NOT_REGISTERED = 1, "0.4", _REFUSAL, False, _("not registered")
    REGISTERED_LATE = 2, "0.4", _REFUSAL, True, _("registered less than a month ahead")
    CONTROL_UNKNOWN = 3, "1.1", _REFUSAL, True, _("time control not known")
    TOO_FAST = 4, "1.1", _REFUSAL, False, _("too few minutes for 60 moves")
    DAYS_UNKNOWN = 5, "3.1", _NOTE, False, _("dates of the rounds not known: not checked")
    TOO_MANY_ROUNDS = 6, "3.1", _REFUSAL, False, _("more than three rounds on a day")
    TOO_MANY_HOURS = 7, "3.1", _REFUSAL, False, _("more than twelve hours of play on a day")
    TOO_LONG = 8, "4.1", _REFUSAL, True, _("longer than 90 days: needs approval (4.12)")
    NOT_PLAYED = 9, "5.1", _NOTE, False, _("game not played: not rated")
    ZERO_SCORE = 10, "6.1", _NOTE, False, _("new player without points: all their games are left out")
    FEW_RATED = 11, "6.3", _REFUSAL, False, _("fewer than a third of a round robin’s players are rated")
    FEW_RATED_SMALL = 12, "6.31", _REFUSAL, False, _("small round robin: fewer than four rated")
    SMALL_DOUBLE = 13, "6.32", _REFUSAL, False, _("double round robin with new players: fewer than six")
    FEW_RATED_NATIONAL = 14, "6.33", _REFUSAL, False, _("national championship: too few rated")
    FEW_GAMES = 15, "6.41, 8.21", _NOTE, False, _("new player: fewer than three games against rated players")
    FEW_POINTS = 16, "6.41, 8.21", _NOTE, False, _("new player: less than one point")
    BELOW_FLOOR = 17, "6.41, 8.31", _NOTE, False, _("new player: below the lowest published rating")
    GAMES_MISSING = 18, "6.43", _NOTE, False, _("round robin with games not played: rated as a Swiss")
    MATCH_DECIDED = 19, "6.5", _NOTE, False, _("game after the match was decided: not rated")
    NOT_TWO_PLAYERS = 20, "6.5, 6.6", _REFUSAL, False, _("a match is between two players")
    MATCH_UNRATED = 21, "6.6", _REFUSAL, False, _("match with an unrated player")
    NO_FIDE_ID = (
        22,
        "7.14",
        _NOTE,
        False,
        _("new player without a FIDE ID: can’t count towards a first rating"),
    )
    FIRST_CONTROL = 23, "1.3", _NOTE, False, _("first time control not at the advised move 40")
    ANNOUNCED_UNRATED = 24, "9.2", _REFUSAL, False, _("announced as unrated")
    UNFINISHED = 25, "7.13", _REFUSAL, True, _("fewer rounds with results than the report announces")
    POINTS_OF_BYES = 26, "5.1", _REFUSAL, True, _("points that only byes can explain")
    OTHER_DAYS = (
        27,
        "4.13",
        _REFUSAL,
        True,
        _("first or last round not on the tournament’s first or last day"),
    )
    OTHER_LAWS = 28, "2.1", _REFUSAL, True, _("not played under FIDE’s laws")
    K_OF_LIST = 29, "8.56", _NOTE, False, _("K that this edition doesn’t have: the list’s K counts")
    PENALTY = 30, "5.1", _REFUSAL, True, _("game with a penalty: its results don’t add up to one point")
    OTHER_NAME = 38, "4.13", _REFUSAL, True, _("FIDE ID of a player with a different name")
    # Of the edition of 2024 alone.
    NO_CHAPTER = 31, "1.1", _REFUSAL, False, _("time control is not standard, rapid or blitz")
    OTHER_CHAPTER = 32, "1.1", _REFUSAL, False, _("time control belongs on another rating list")
    SHORT_CONTROL = 33, "1.1", _REFUSAL, False, _("first time control of fewer than 30 moves")
    GAME_TOO_FAST = 34, "1.1", _NOTE, False, _("too little time for these ratings: not rated")
    UNEQUAL_TIMES = 35, "1.2", _REFUSAL, False, _("players with different time limits")
    TOO_FAR_APART = 36, "7.3.1", _NOTE, False, _("600 points or more apart, one above 2600: not rated")
    REPORTED_LATE = 37, "9.1", _REFUSAL, False, _("reported too late for the third list after it ended")


class Finding(NamedTuple):
    """Something found: the start numbers, the round or the day it is about, how much there is.

    ``found``, and ``needed``, the least or the most there may be: minutes for 1.1 and the hours of 3.1, days
    for 0.4 and 4.1, moves for 1.3, half points for a new player's score, points of rating for 8.31,
    otherwise a number of rounds, games or players. Of a game with a penalty, ``found`` and ``needed`` are the
    half points of ``player`` and ``opponent``; of a player with another name, ``found`` is the FIDE ID.
    ``text``: what the report says and can't be read, or the name that the list has.
    """

    finds: Finds
    player: int | None = None
    opponent: int | None = None
    round: int | None = None
    day: date | None = None
    found: int | None = None
    needed: int | None = None
    text: str = ""

    @property
    def article(self) -> str:
        """The article of the first edition that finds it, without its name."""
        return self.finds.article

    @property
    def severity(self) -> Severity:
        """Severity of the finding: whether the tournament is refused for it."""
        return self.finds.severity

    @property
    def acceptable(self) -> bool:
        """True if staff may accept it with a reason."""
        return self.finds.acceptable


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Facts that B.02 needs about a tournament beside players and games.

    ``registered``: the day of registration, if there was one. ``stages``: the time control, empty if unknown;
    ``control``: what is said of it.
    ``round_days``: the day of each round. ``official``: a tournament of FIDE's own handbook (0.3).
    ``league``: 4.11. ``national_championship``, ``women_only``: 6.33. ``announced_unrated``: 9.2.
    ``other_laws``: the games weren't played by FIDE's laws of chess alone (2.1). ``unequal_times``: the two
    players of a game had different times (1.2 of 2024). ``for_list``: the list date that would rate it,
    None while that isn't known (9.1 of 2024).

    What the report says of itself: ``rounds`` that have results, of how many that are ``planned_rounds``;
    the ``other_days``, by round, on which the first or the last one was played; whose points only byes
    explain (``points_of_byes``: start numbers). ``other_names``: FIDE ID and name on the list, by start
    number, of players who have another name in the report.
    """

    first_day: date
    last_day: date
    registered: date | None = None
    stages: Sequence[Stage] = ()
    control: str = ""
    round_days: Mapping[int, date] = field(default_factory=dict)
    official: bool = False
    league: bool = False
    national_championship: bool = False
    women_only: bool = False
    announced_unrated: bool = False
    other_laws: bool = False
    unequal_times: bool = False
    for_list: date | None = None
    rounds: int = 0
    planned_rounds: int | None = None
    other_days: Mapping[int, date] = field(default_factory=dict)
    points_of_byes: Sequence[int] = ()
    other_names: Mapping[int, tuple[int, str]] = field(default_factory=dict)
