"""FIDE B.02: tournaments and their results, as the rules take and return them. Articles are those of 2009.

Ratings of the list are whole points; bonuses, expected scores, changes and probabilities are hundredths;
scores are half points (0, 1, 2 a game). Players are known by their start number in the tournament.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Final, NamedTuple

from ratings.rules.cited import Cited, _
from ratings.rules.units import HalfPoints, Hundredths, Points

_BONUS: Final = Hundredths(15_00)


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices of an edition: what B.02 leaves open, or prints in two ways.

    ``bonus_per_half_point``: 8.23, hundredths: 15 as the article says; its own examples use 12.5.
    ``printed_table``: 8.1(b) as the Polish text prints it, 0.88 from D = 327 instead of 329 on.
    ``changes_from_first_ru``: 8.58: changes use the new players' first Ru, as the printed We column does,
    instead of the new Ru, as the article says.
    ``months_per_list``: 7.11, two months from one list to the next, or one after a decision under 7.3.
    ``closing_days``: 7.13, days before a list by which a tournament for it must have ended.
    ``uncapped_from``: 8.3.1 of 2024, rating in points from which a player's differences count as they are.
    """

    bonus_per_half_point: Hundredths = _BONUS
    printed_table: bool = False
    changes_from_first_ru: bool = False
    months_per_list: int = 2
    closing_days: int = 7
    uncapped_from: Points | None = None


IN_FORCE: Final = Choices()


AS_IN_EXAMPLES: Final = Choices(bonus_per_half_point=Hundredths(12_50), changes_from_first_ru=True)
"""Choices that reproduce the worked examples of 8.34 and 8.58."""


class TournamentType(IntEnum):
    """Kinds of tournaments, as far as B.02 6 and 8 tell them apart."""

    SWISS = 1
    ROUND_ROBIN = 2
    TEAM = 3
    MATCH = 4

    @property
    def slug(self) -> str:
        """The name in commands and files: ``swiss``, ``round-robin``, ``team``, ``match``."""
        return self.name.lower().replace("_", "-")


class GameReason(Cited):
    """Reason why a game counts for a player, or doesn't."""

    RATED = 1, "8.51", _("game between two rated players")
    RATED_AGAINST_NEW = 2, "8.52", _("against a new player, at the rating achieved in this round robin")
    TOWARDS_RATING = 3, "8.2", _("part of a new player’s result")
    NOT_PLAYED = 4, "5.1", _("not played, or not rated: does not count")
    ZERO_SCORE = 5, "6.1", _("left out: a new player scored no points")
    BOTH_UNRATED = 6, "6.41, 8.2", _("both players unrated: does not count")
    OPPONENT_UNRATED = 7, "6.42", _("opponent unrated: not rated")
    MATCH_DECIDED = 8, "6.5", _("played after the match was decided: not rated")
    MATCH_UNRATED = 9, "6.6", _("match with an unrated player: not rated")
    # Of the edition of 2024 alone.
    TOO_FAST = 10, "1.1", _("too little time for these ratings: not rated")
    TOO_FAR_APART = 11, "7.3.1", _("600 points or more apart, one above 2600: not rated")


class Outcome(Cited):
    """Outcome of a tournament for a player."""

    CHANGED = 1, "8.55", _("rating change")
    NEW_RESULT = 2, "8.2", _("result of an unrated player")
    NOTHING_RATED = 3, "5.1, 6.4", _("no games count")
    ZERO_SCORE = 4, "6.1", _("left out: no points, and no earlier result")
    FEW_GAMES = 5, "6.41, 8.21", _("left out: fewer than three games against rated players")
    FEW_POINTS = 6, "6.41, 8.21", _("left out: less than one point")
    BELOW_FLOOR = 7, "6.41, 8.31", _("left out: below the lowest published rating")


class Topic(Cited):
    """Subjects that pages cite an article for, here that of 2009; empty where that edition has none."""

    LIST_IN_FORCE = 1, "4.13", "the list in force on the first day"
    LATER_RATING = 2, "8.4", "a rating received since the first day"
    EXPECTED = 3, "8.54, 8.55(a), 8.1(b)", "D and P(D)"
    SUM_OF_EXPECTED = 4, "8.55(a)", "the expected score"
    DIFFERENCE = 5, "8.55(b)", "score less expected score"
    K = 6, "8.56", "K"
    CHANGE = 7, "8.55(c)", "the change"
    NEW_RATING = 8, "8.55(c), 8.57", "the new rating, rounded once"
    CLOSING_DAY = 9, "7.13", "the last day for a list"
    STANDARD_RATING = 10, "", "a standard rating in place of one in rapid or blitz"
    OPPONENTS = 11, "", "two hypothetical opponents"
    FIRST_RATING = 12, "", "the rating of a new player"
    FIRST_EVENT = 13, "", "the very first event"
    STAGES = 14, "6.2", "the stages of an event, rated together"
    BY_PERIOD = 15, "4.13", "a league that is rated period by period"
    APPEAL = 16, "0.5", "an appeal against a refusal"
    ANNOUNCED_UNRATED = 17, "9.2", "a tournament announced as unrated"
    GAMES_NEEDED = 18, "7.14", "the games that a first rating takes"
    PROSPECT = 19, "7.14(e), 8.3", "the first rating of all results so far"
    LIST_DAYS = 20, "7.11", "the days of the lists"
    WHOLE_LIST = 21, "7.12, 7.23", "the list of all players"
    ACTIVE = 22, "7.23(b)", "the list of the active players"
    TOP = 23, "7.24", "the top list"
    DELISTED = 24, "7.21", "the players who fell below the floor"
    TITLED = 25, "7.22", "titled players without a rating"
    DRIFT = 26, "10.3", "how the scale of a list moves"
    MANY_GAMES = 27, "12.3", "more games in a period than a rating can follow"
    FEWER_GAMES = 28, "7.14(f), 7.14(g)", "the fewer games that a first rating takes in some tournaments"


class Entrant(NamedTuple):
    """A player as the list in force on the first day shows them (4.13).

    ``number``: their start number. ``rating``: points, None for a player without one, also a delisted one
    (7.21). ``k``: K of that list, the same for the whole tournament; for a player with a rating.
    ``earlier_result``: of a player without a rating: one of their results of the last two years counts
    already, so that 6.1, 6.41, 8.21 and 8.31 no longer bind them. In the edition of 2024: they have played in
    an earlier event, whatever it brought (8.2.1).
    ``later_rating``: 8.4: the rating that a player without one at the start has got before this tournament is
    rated; their own games use it (with the ``k`` that came with it), those of their opponents do not.
    """

    number: int
    rating: Points | None
    k: int | None = None
    earlier_result: bool = False
    later_rating: Points | None = None


class Game(NamedTuple):
    """One pairing; the colours do not matter.

    ``opponent``: None for a bye. ``half_points``: those of ``player``; None if nobody got any, in a game that
    was not played. ``played``: each side made a move (5.1); False for forfeits, byes and games that are not
    to be rated (``W``, ``D``, ``L`` of a TRF). ``opponents_half_points``: in a game with a penalty, such as
    0-0; None in any other, where the opponent has the rest of the two.
    """

    round: int
    player: int
    opponent: int | None
    half_points: HalfPoints | None
    played: bool = True
    opponents_half_points: HalfPoints | None = None


class TournamentToRate(NamedTuple):
    """A tournament, rated in one go. ``planned_games``: of a match (6.5); None: as many as there are.

    For the edition of 2024: ``seconds`` that each player has for 60 moves (1.1; None if not known);
    ``to_the_end``: it was asked beforehand that a match is rated also after it is decided (6.2).
    """

    kind: TournamentType
    players: Sequence[Entrant]
    games: Sequence[Game]
    planned_games: int | None = None
    seconds: int | None = None
    to_the_end: bool = False


class GameResult(NamedTuple):
    """A game as one player sees it.

    ``opponent_rating``: points, as used: of a new player in a round robin Ru. ``difference``: own rating
    minus the opponent's as they are, while ``expected`` (hundredths) takes no more than 400 of it (8.54).
    All three None where the game does not count, the last two also where it counts towards a new rating.
    """

    round: int
    opponent: int | None
    half_points: HalfPoints | None
    reason: GameReason
    opponent_rating: Points | None = None
    difference: Points | None = None
    expected: Hundredths | None = None


class Ru(NamedTuple):
    """B.02 8.22 to 8.25: how a rating follows from a score and an average.

    In the edition of 2024 (8.2.3) ``average`` and ``p`` are with the two hypothetical opponents, ``games``
    and ``half_points`` without them; ``average`` is rounded for readers, the rating is from the exact one.

    ``average``: Rc or Ra, points. ``games``, ``half_points``: the score. ``p``: hundredths, half up.
    ``over``: half points over 50 %, negative below. ``dp``: d(p) in points, None from 50 % up in 2009.
    ``opponents``: n of a round robin, None elsewhere. ``rating``: points, rounded half up.
    """

    article: str
    average: Points
    games: int
    half_points: HalfPoints
    p: Hundredths
    over: HalfPoints
    dp: Points | None
    opponents: int | None
    rating: Points


class NewPlayer(NamedTuple):
    """The result of a player without a rating, and everything 7.14 and 8.3 need of it later.

    ``games``, ``half_points``: all games in a round robin, else those against rated players.
    ``against_rated``: games against rated players. ``opponents_sum``: what enters a common average: the sum
    of the opponents' ratings, in a round robin Rc new × games. ``first``: Ru, ``final``: the new Ru of 8.58,
    the same outside a round robin. ``shifts``: 8.58: opponents over 400 points away, and by how many points
    each was moved. ``why_not_first``: what keeps it from being their first counted result, if anything does.
    """

    games: int
    half_points: HalfPoints
    against_rated: int
    opponents_sum: Points
    first: Ru
    final: Ru
    shifts: tuple[tuple[int, Points], ...]
    why_not_first: Outcome | None


class EntrantResult(NamedTuple):
    """Result of the tournament for one player; a line of the cross-table.

    ``games``: every pairing by round, with the reason of each. ``rated_games``, ``half_points``: those
    that count, none where the result is left out. ``average``: Rc, points, half up. ``rating``, ``k``,
    ``expected`` (We, hundredths), ``change`` (ΣΔR × K, hundredths): of a rated player.
    ``new``: of a player without a rating; given with what was left out, so that it can be explained, and for
    8.4 beside the change, because their opponents' games count against their Ru.
    """

    number: int
    outcome: Outcome
    games: tuple[GameResult, ...]
    rated_games: int = 0
    half_points: HalfPoints = HalfPoints(0)
    average: Points | None = None
    rating: Points | None = None
    k: int | None = None
    expected: Hundredths | None = None
    change: Hundredths | None = None
    new: NewPlayer | None = None

    @property
    def counts(self) -> bool:
        """True if anything of this player is rated."""
        return self.outcome in (Outcome.CHANGED, Outcome.NEW_RESULT)

    @property
    def delta(self) -> Hundredths | None:
        """ΣΔR in hundredths: the score less the expected score; None without a change."""
        return None if self.expected is None else Hundredths(50 * self.half_points - self.expected)


class RoundRobin(NamedTuple):
    """B.02 8.21(b): how the average of a round robin with new players came about.

    ``rated``: start number, p (hundredths) and d(p) (points) of each rated player. ``rar``, ``dpa``: exact.
    ``opponents``: n. ``average``: Ra, points, half up.
    """

    rated: tuple[tuple[int, Hundredths, Points], ...]
    rar: Fraction
    dpa: Fraction
    opponents: int
    average: Points


class TournamentRating(NamedTuple):
    """A tournament, rated. ``kind``: as what; a round robin with a game missing is rated as a Swiss (6.43).

    ``results``: one for each player, in the order they were given. ``round_robin``: where 8.21(b) was used.
    """

    kind: TournamentType
    results: tuple[EntrantResult, ...]
    round_robin: RoundRobin | None = None
