"""FIDE B.02 0.4, 1 to 6, 8.56 and 9.2: eligibility of a tournament for rating, and its unrated parts.

What the rules find is listed, never raised: a person reads it, and accepts a finding where the article leaves
it to somebody to consent.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import IntEnum
from typing import Final, NamedTuple

from ratings.rules.b02.first_ratings import FEWEST_AGAINST_RATED, FEWEST_HALF_POINTS
from ratings.rules.b02.lists import is_k_of_edition, months_after
from ratings.rules.b02.rating import is_decided, pairs_missing
from ratings.rules.b02.types import (
    FLOOR,
    GameReason,
    NewPlayer,
    Outcome,
    Tournament,
    TournamentRating,
    TournamentType,
)
from ratings.rules.units import Points

APPEAL_DAYS: Final = 7
"""B.02 0.5: days after the news of a refusal in which the organizer may appeal."""

ROUNDS_A_DAY: Final = 3
MINUTES_A_DAY: Final = 12 * 60
FIRST_CONTROL_MOVES: Final = 40
"""B.02 1.3: the moves that are advised for the first time control."""

LONGEST_DAYS: Final = 90
"""B.02 4.1: the first and the last day counted."""

_MOVES: Final = 60
"""B.02 1.1: the moves a game is taken to last."""


class Severity(IntEnum):
    """``NOTE``: the tournament is rated, and this says what in it is not, or not as it was reported.
    ``REFUSAL``: it is not rated, unless somebody accepts the finding where that can be.
    """

    NOTE = 1
    REFUSAL = 2


class Finds(IntEnum):
    """Possible findings, each with article, severity, and whether staff may accept it with a reason."""

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

    NOT_REGISTERED = 1, "0.4", Severity.REFUSAL, False, "not registered"
    REGISTERED_LATE = 2, "0.4", Severity.REFUSAL, True, "registered less than a month ahead"
    CONTROL_UNKNOWN = 3, "1.1", Severity.REFUSAL, True, "time control not known"
    TOO_FAST = 4, "1.1", Severity.REFUSAL, False, "too few minutes for 60 moves"
    DAYS_UNKNOWN = 5, "3.1", Severity.NOTE, False, "days of the rounds not known: not checked"
    TOO_MANY_ROUNDS = 6, "3.1", Severity.REFUSAL, False, "more than three rounds on a day"
    TOO_MANY_HOURS = 7, "3.1", Severity.REFUSAL, False, "more than twelve hours of play on a day"
    TOO_LONG = 8, "4.1", Severity.REFUSAL, True, "longer than 90 days (4.12: needs the chairman’s approval)"
    NOT_PLAYED = 9, "5.1", Severity.NOTE, False, "game not played: not rated"
    ZERO_SCORE = 10, "6.1", Severity.NOTE, False, "new player without a point: all their games are left out"
    FEW_RATED = 11, "6.3", Severity.REFUSAL, False, "less than a third of a round robin has ratings"
    FEW_RATED_SMALL = 12, "6.31", Severity.REFUSAL, False, "small round robin: fewer than four rated"
    SMALL_DOUBLE = 13, "6.32", Severity.REFUSAL, False, "double round robin with new players: fewer than six"
    FEW_RATED_NATIONAL = 14, "6.33", Severity.REFUSAL, False, "national championship: too few rated"
    FEW_GAMES = 15, "6.41, 8.21", Severity.NOTE, False, "new player: under three games against rated"
    FEW_POINTS = 16, "6.41, 8.21", Severity.NOTE, False, "new player: less than one point"
    BELOW_FLOOR = 17, "6.41, 8.31", Severity.NOTE, False, "new player: under the lowest published rating"
    GAMES_MISSING = 18, "6.43", Severity.NOTE, False, "round robin with games not played: rated as a Swiss"
    MATCH_DECIDED = 19, "6.5", Severity.NOTE, False, "game after the match was decided: not rated"
    NOT_TWO_PLAYERS = 20, "6.5, 6.6", Severity.REFUSAL, False, "a match is between two players"
    MATCH_UNRATED = 21, "6.6", Severity.REFUSAL, False, "match with an unrated player"
    NO_FIDE_ID = 22, "7.14", Severity.NOTE, False, "new player without FIDE ID: counts for no first rating"
    FIRST_CONTROL = 23, "1.3", Severity.NOTE, False, "first time control not at move 40, as advised"
    ANNOUNCED_UNRATED = 24, "9.2", Severity.REFUSAL, False, "announced as not rated"
    UNFINISHED = 25, "7.13", Severity.REFUSAL, True, "fewer rounds than the report says there are"
    POINTS_OF_BYES = 26, "5.1", Severity.REFUSAL, True, "points that only byes can explain"
    OTHER_DAYS = 27, "4.13", Severity.REFUSAL, True, "first or last round on another day than the tournament"
    OTHER_LAWS = 28, "2.1", Severity.REFUSAL, True, "played by other laws than FIDE’s"
    K_OF_LIST = 29, "8.56", Severity.NOTE, False, "K that this edition doesn’t have: the list’s K counts"
    PENALTY = 30, "5.1", Severity.REFUSAL, True, "game with a penalty: its two results aren’t one point"


class Finding(NamedTuple):
    """Something found: the start numbers, the round or the day it is about, how much there is.

    ``found``, and ``needed``, the least or the most there may be: minutes for 1.1 and the hours of 3.1, days
    for 0.4 and 4.1, moves for 1.3, half points for a new player's score, points of rating for 8.31,
    otherwise a number of rounds, games or players. Of a game with a penalty, ``found`` and ``needed`` are the
    half points of ``player`` and ``opponent``. ``text``: what the report says and can't be read.
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
        """The article of B.02, without its name."""
        return self.finds.article

    @property
    def severity(self) -> Severity:
        """Severity of the finding: whether the tournament is refused for it."""
        return self.finds.severity

    @property
    def acceptable(self) -> bool:
        """True if staff may accept it with a reason."""
        return self.finds.acceptable


class Stage(NamedTuple):
    """A part of a time control: ``seconds`` for ``moves`` (None: for the rest), and ``increment`` a move."""

    moves: int | None
    seconds: int
    increment: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Facts that B.02 needs about a tournament beside players and games.

    ``registered``: the day of registration, if there was one. ``stages``: the time control, empty if unknown;
    ``control``: what is said of it.
    ``round_days``: the day of each round. ``official``: a tournament of FIDE's own handbook (0.3).
    ``league``: 4.11. ``national_championship``, ``women_only``: 6.33. ``announced_unrated``: 9.2.
    ``other_laws``: the games weren't played by FIDE's laws of chess alone (2.1).

    What the report says of itself: ``rounds`` that have results, of how many that are ``planned_rounds``;
    the ``other_days``, by round, on which the first or the last one was played; whose points only byes
    explain (``points_of_byes``: start numbers).
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
    rounds: int = 0
    planned_rounds: int | None = None
    other_days: Mapping[int, date] = field(default_factory=dict)
    points_of_byes: Sequence[int] = ()


def findings(
    tournament: Tournament,
    circumstances: Circumstances,
    rating: TournamentRating,
    whole: Mapping[int, NewPlayer] | None = None,
    without_id: Collection[int] = (),
) -> list[Finding]:
    """Return everything found in this tournament, in the order of the articles (B.02 0.4 to 9.2).

    ``rating``: what :func:`ratings.rules.b02.rating.rate_tournament` made of it. ``whole``: the results of
    new players in all stages of an event (6.2). ``without_id``: start numbers of players without a FIDE ID.
    """
    return sorted(
        [
            *_registration(circumstances),
            *_tempo(tournament, circumstances),
            *_laws(circumstances),
            *_days(circumstances),
            *_games(rating),
            *_penalties(tournament),
            *_composition(tournament, circumstances, rating.kind),
            *_new_players(rating, whole or {}, without_id),
            *_k_of_list(tournament),
            *_announcement(circumstances),
            *_report(tournament, circumstances),
        ],
        # As text the articles are in the order of the book, as long as its parts have one digit.
        key=lambda finding: (finding.article, finding.finds),
    )


def appeal_until(told: date) -> date:
    """Return the last day on which the organizer may appeal against a refusal (B.02 0.5)."""
    return told + timedelta(days=APPEAL_DAYS)


def seconds_for_60_moves(stages: Sequence[Stage]) -> int:
    """Return the seconds for 60 moves: the stages that begin by then, and their increments (B.02 1.1)."""
    seconds = moves = 0
    for stage in stages:
        if moves >= _MOVES:
            break
        length = _MOVES - moves if stage.moves is None else min(stage.moves, _MOVES - moves)
        seconds += stage.seconds + stage.increment * length
        moves += length
    return seconds


def minutes_needed(strongest: Points | None) -> int:
    """Return the minutes each player must have, by the highest rating among them, if any (B.02 1.1)."""
    if strongest is None or strongest < 1600:
        return 60
    return 90 if strongest < 2200 else 120


def _registration(circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 0.3, 0.4: a month ahead; FIDE's own tournaments are always rated."""
    registered, first_day = circumstances.registered, circumstances.first_day
    if circumstances.official:
        return
    if registered is None:
        yield Finding(Finds.NOT_REGISTERED)
    elif registered > (latest := months_after(first_day, -1)):
        found, needed = (first_day - registered).days, (first_day - latest).days
        yield Finding(Finds.REGISTERED_LATE, day=registered, found=found, needed=needed)


def _tempo(tournament: Tournament, circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 1.1, 1.3: the strongest player decides how much time everybody must have."""
    if not circumstances.stages:
        yield Finding(Finds.CONTROL_UNKNOWN, text=circumstances.control)
        return
    moves = circumstances.stages[0].moves
    if moves is not None and moves != FIRST_CONTROL_MOVES:
        yield Finding(Finds.FIRST_CONTROL, found=moves, needed=FIRST_CONTROL_MOVES)
    rated = [(player.rating, -player.number) for player in tournament.players if player.rating is not None]
    strongest, number = max(rated, default=(None, None))
    needed = minutes_needed(strongest)
    seconds = seconds_for_60_moves(circumstances.stages)
    if seconds < 60 * needed:
        yield Finding(
            Finds.TOO_FAST, player=None if number is None else -number, found=seconds // 60, needed=needed
        )


def _laws(circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 2.1: a federation may change FIDE's laws a little, if FIDE's Technical Commission consents."""
    if circumstances.other_laws:
        yield Finding(Finds.OTHER_LAWS)


def _days(circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 3.1, 4.1: rounds and hours a day, and days in all."""
    if not circumstances.round_days:
        yield Finding(Finds.DAYS_UNKNOWN)
    seconds = 2 * seconds_for_60_moves(circumstances.stages)
    for day, rounds in sorted(Counter(circumstances.round_days.values()).items()):
        if rounds > ROUNDS_A_DAY:
            yield Finding(Finds.TOO_MANY_ROUNDS, day=day, found=rounds, needed=ROUNDS_A_DAY)
        minutes = -(-rounds * seconds // 60)
        if minutes > MINUTES_A_DAY:
            yield Finding(Finds.TOO_MANY_HOURS, day=day, found=minutes, needed=MINUTES_A_DAY)
    days = (circumstances.last_day - circumstances.first_day).days + 1
    if days > LONGEST_DAYS and not circumstances.league:
        yield Finding(Finds.TOO_LONG, found=days, needed=LONGEST_DAYS)


def _games(rating: TournamentRating) -> Iterator[Finding]:
    """B.02 5.1, 6.5: games that are not rated, each once; a bye is no game."""
    finds = {GameReason.NOT_PLAYED: Finds.NOT_PLAYED, GameReason.MATCH_DECIDED: Finds.MATCH_DECIDED}
    for result in rating.results:
        for game in result.games:
            if game.opponent is not None and result.number < game.opponent and game.reason in finds:
                yield Finding(finds[game.reason], result.number, game.opponent, game.round)


def _penalties(tournament: Tournament) -> Iterator[Finding]:
    """B.02 5.1: games whose two results aren't one point; each is rated by each player's own score."""
    for game in tournament.games:
        if game.opponents_half_points is not None:
            yield Finding(
                Finds.PENALTY,
                game.player,
                game.opponent,
                game.round,
                found=game.half_points,
                needed=game.opponents_half_points,
            )


def _composition(
    tournament: Tournament, circumstances: Circumstances, kind: TournamentType
) -> Iterator[Finding]:
    """B.02 6.3, 6.43, 6.6: who takes part in a round robin or a match."""
    n = len(tournament.players)
    rated = sum(player.rating is not None for player in tournament.players)
    if tournament.kind is TournamentType.MATCH:
        if n != 2:
            yield Finding(Finds.NOT_TWO_PLAYERS, found=n, needed=2)
        for player in tournament.players:
            if player.rating is None:
                yield Finding(Finds.MATCH_UNRATED, player.number)
    if tournament.kind is not TournamentType.ROUND_ROBIN:
        return
    if kind is not TournamentType.ROUND_ROBIN:
        yield Finding(Finds.GAMES_MISSING, found=pairs_missing(tournament), needed=0)
        return
    if circumstances.national_championship:
        if rated < (enough := 2 if circumstances.women_only else 3):
            yield Finding(Finds.FEW_RATED_NATIONAL, found=rated, needed=enough)
        return
    if n < 10:
        if rated < 4:
            yield Finding(Finds.FEW_RATED_SMALL, found=rated, needed=4)
    elif 3 * rated < n:
        yield Finding(Finds.FEW_RATED, found=rated, needed=-(-n // 3))
    played = sum(game.played for game in tournament.games)
    if rated < n < 6 and played >= n * (n - 1):
        yield Finding(Finds.SMALL_DOUBLE, found=n, needed=6)


def _new_players(
    rating: TournamentRating, whole: Mapping[int, NewPlayer], without_id: Collection[int]
) -> Iterator[Finding]:
    """B.02 6.1, 6.41, 7.14, 8.21, 8.31: new players whose results are left out, or kept for nobody."""
    for number, outcome, *_, new in rating.results:
        if outcome is Outcome.ZERO_SCORE:
            yield Finding(Finds.ZERO_SCORE, number)
        if new is None:
            continue
        result = whole.get(number, new)
        if outcome is Outcome.FEW_GAMES:
            yield Finding(Finds.FEW_GAMES, number, found=result.against_rated, needed=FEWEST_AGAINST_RATED)
        elif outcome is Outcome.FEW_POINTS:
            yield Finding(Finds.FEW_POINTS, number, found=result.half_points, needed=FEWEST_HALF_POINTS)
        elif outcome is Outcome.BELOW_FLOOR:
            yield Finding(Finds.BELOW_FLOOR, number, found=result.final.rating, needed=FLOOR)
        elif outcome is Outcome.NEW_RESULT and number in without_id:
            yield Finding(Finds.NO_FIDE_ID, number)


def _k_of_list(tournament: Tournament) -> Iterator[Finding]:
    """B.02 8.56: players whose K on the list can't be one of this edition. It counts all the same."""
    odd = [
        player.number
        for player in tournament.players
        if player.k is not None
        and (rating := player.later_rating if player.rating is None else player.rating) is not None
        and not is_k_of_edition(player.k, rating)
    ]
    if odd:
        yield Finding(Finds.K_OF_LIST, player=odd[0], found=len(odd))


def _announcement(circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 9.2: an event that was announced as not rated isn't rated, whatever it is."""
    if circumstances.announced_unrated:
        yield Finding(Finds.ANNOUNCED_UNRATED)


def _report(tournament: Tournament, circumstances: Circumstances) -> Iterator[Finding]:
    """B.02 4.13, 5.1, 7.13: what the report says of itself, and doesn't bear out."""
    for number, day in sorted(circumstances.other_days.items()):
        yield Finding(Finds.OTHER_DAYS, round=number, day=day)
    if players := circumstances.points_of_byes:
        yield Finding(Finds.POINTS_OF_BYES, player=players[0], found=len(players))
    rounds, planned = circumstances.rounds, circumstances.planned_rounds
    # A match ends when it is decided (6.5).
    ended = (
        tournament.kind is TournamentType.MATCH
        and planned is not None
        and is_decided(tournament.games, planned)
    )
    if planned is not None and rounds < planned and not ended:
        yield Finding(Finds.UNFINISHED, found=rounds, needed=planned)
