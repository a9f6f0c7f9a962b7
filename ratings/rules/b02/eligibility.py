"""FIDE's regulations over the board: what keeps a tournament, or a part of it, from being rated.

FIDE B.02 of 2009 (0.4, 1 to 6, 8.56 and 9.2). In 2024 (0.2 to 9.1) registration (0.2) and FIDE's laws (2.1)
are asked of every tournament; the number of rounds and hours a day, the days in all and the composition of a
round robin aren't.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Final

from ratings.rules.b02.findings import Circumstances, Finding, Finds
from ratings.rules.b02.first_ratings import FEWEST_AGAINST_RATED, FEWEST_HALF_POINTS
from ratings.rules.b02.floors import FLOOR
from ratings.rules.b02.k_factor import is_k_of_edition
from ratings.rules.b02.lists import last_list_to_report, months_after
from ratings.rules.b02.time_controls import (
    FIRST_CONTROL_MOVES,
    FIRST_CONTROL_MOVES_2024,
    Chapter,
    chapter_of_2024,
    minutes_needed,
    seconds_for_60_moves,
)
from ratings.rules.b02.tournament_rating import is_decided, pairs_missing
from ratings.rules.b02.types import (
    GameReason,
    NewPlayer,
    Outcome,
    TournamentRating,
    TournamentToRate,
    TournamentType,
)

APPEAL_DAYS: Final = 7
"""B.02 0.5: days after the news of a refusal in which the organizer may appeal."""


ROUNDS_A_DAY: Final = 3


MINUTES_A_DAY: Final = 12 * 60


LONGEST_DAYS: Final = 90
"""B.02 4.1: the first and the last day counted."""


def findings(
    tournament: TournamentToRate,
    circumstances: Circumstances,
    rating: TournamentRating,
    whole: Mapping[int, NewPlayer] | None = None,
    without_id: Collection[int] = (),
) -> list[Finding]:
    """Return everything found in this tournament, in the order of the articles (B.02 0.4 to 9.2).

    ``rating``: what :func:`rate_tournament` made of it. ``whole``: the results of new players in all stages
    of an event (6.2). ``without_id``: start numbers of players without a FIDE ID.
    """
    return sorted(
        [
            *_registration(circumstances),
            *_tempo(tournament, circumstances),
            *laws(circumstances),
            *_days(circumstances),
            *unrated_games(rating),
            *penalties(tournament),
            *match_players(tournament),
            *_composition(tournament, circumstances, rating.kind),
            *_new_players(rating, whole or {}, without_id),
            *_k_of_list(tournament),
            *_announcement(circumstances),
            *report(tournament, circumstances),
        ],
        # As text the articles are in the order of the book, as long as its parts have one digit.
        key=lambda finding: (finding.article, finding.finds),
    )


def appeal_until(told: date) -> date:
    """Return the last day on which the organizer may appeal against a refusal (B.02 0.5)."""
    return told + timedelta(days=APPEAL_DAYS)


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


def _tempo(tournament: TournamentToRate, circumstances: Circumstances) -> Iterator[Finding]:
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


def laws(circumstances: Circumstances) -> Iterator[Finding]:
    """Find games played by other laws than FIDE's; its Technical Commission may consent (B.02 2.1)."""
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


_UNRATED_GAMES: Final = {
    GameReason.NOT_PLAYED: Finds.NOT_PLAYED,
    GameReason.MATCH_DECIDED: Finds.MATCH_DECIDED,
    GameReason.TOO_FAST: Finds.GAME_TOO_FAST,
    GameReason.TOO_FAR_APART: Finds.TOO_FAR_APART,
}


def unrated_games(rating: TournamentRating) -> Iterator[Finding]:
    """Find games that are not rated, each once; a bye isn't a game (B.02 5.1, 6.5; 1.1, 7.3.1 of 2024)."""
    for result in rating.results:
        for game in result.games:
            if game.opponent is not None and result.number < game.opponent and game.reason in _UNRATED_GAMES:
                yield Finding(_UNRATED_GAMES[game.reason], result.number, game.opponent, game.round)


def penalties(tournament: TournamentToRate) -> Iterator[Finding]:
    """Find games whose two results aren't one point; each is rated by each player's own score (B.02 5.1)."""
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


def match_players(tournament: TournamentToRate) -> Iterator[Finding]:
    """Find a match that isn't between two players who both have a rating (B.02 6.5, 6.6; 6.1 of 2024)."""
    if tournament.kind is not TournamentType.MATCH:
        return
    if (n := len(tournament.players)) != 2:
        yield Finding(Finds.NOT_TWO_PLAYERS, found=n, needed=2)
    for player in tournament.players:
        if player.rating is None:
            yield Finding(Finds.MATCH_UNRATED, player.number)


def _composition(
    tournament: TournamentToRate, circumstances: Circumstances, kind: TournamentType
) -> Iterator[Finding]:
    """B.02 6.3, 6.43: yield findings about the players of a round robin."""
    n = len(tournament.players)
    rated = sum(player.rating is not None for player in tournament.players)
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


def _k_of_list(tournament: TournamentToRate) -> Iterator[Finding]:
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
    """B.02 9.2: an event that was announced as unrated isn't rated, whatever it is."""
    if circumstances.announced_unrated:
        yield Finding(Finds.ANNOUNCED_UNRATED)


def report(tournament: TournamentToRate, circumstances: Circumstances) -> Iterator[Finding]:
    """Find what the report says of itself and doesn't bear out (B.02 4.13, 5.1, 7.13)."""
    for number, (fide_id, name) in sorted(circumstances.other_names.items()):
        yield Finding(Finds.OTHER_NAME, number, found=fide_id, text=name)
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


_WRONG_CONTROL: Final = (Finds.NO_CHAPTER, Finds.OTHER_CHAPTER)


def findings_2024(
    tournament: TournamentToRate,
    circumstances: Circumstances,
    rating: TournamentRating,
    chapter: Chapter,
    without_id: Collection[int] = (),
) -> list[Finding]:
    """Return everything found in this tournament, in no particular order (0.2 to 9.1).

    ``chapter``: the list for which it is registered. ``without_id``: start numbers of players without a FIDE
    ID.
    """
    control = list(_control(circumstances, chapter))
    games = unrated_games(rating)
    if any(finding.finds in _WRONG_CONTROL for finding in control):
        # Said once of the tournament, it needn't be said of every game.
        games = (finding for finding in games if finding.finds is not Finds.GAME_TOO_FAST)
    return [
        *_registration_2024(circumstances),
        *control,
        *laws(circumstances),
        *games,
        *penalties(tournament),
        *match_players(tournament),
        *_new_players_2024(rating, without_id),
        *report(tournament, circumstances),
        *_late(circumstances),
    ]


def _registration_2024(circumstances: Circumstances) -> Iterator[Finding]:
    """0.2: a federation registers a tournament beforehand; FIDE's own need none."""
    if circumstances.registered is None and not circumstances.official:
        yield Finding(Finds.NOT_REGISTERED)


def _control(circumstances: Circumstances, chapter: Chapter) -> Iterator[Finding]:
    """1.1, 1.2: the time control fits the chapter, at least for unrated players; others are told by game."""
    if circumstances.unequal_times and chapter is not Chapter.STANDARD:
        yield Finding(Finds.UNEQUAL_TIMES)
    stages = circumstances.stages
    if not stages:
        yield Finding(Finds.CONTROL_UNKNOWN, text=circumstances.control)
        return
    fits, minutes = chapter_of_2024(stages, None), seconds_for_60_moves(stages) // 60
    if fits is None:
        yield Finding(Finds.NO_CHAPTER, found=minutes)
    elif fits is not chapter:
        yield Finding(Finds.OTHER_CHAPTER, found=minutes)
    moves = stages[0].moves
    if chapter is Chapter.STANDARD and moves is not None and moves < FIRST_CONTROL_MOVES_2024:
        yield Finding(Finds.SHORT_CONTROL, found=moves, needed=FIRST_CONTROL_MOVES_2024)


def _new_players_2024(rating: TournamentRating, without_id: Collection[int]) -> Iterator[Finding]:
    """7.1.2, 8.2.1: new players whose first event is forgotten, or whose result is kept for nobody."""
    for result in rating.results:
        if result.outcome is Outcome.ZERO_SCORE:
            yield Finding(Finds.ZERO_SCORE, result.number)
        elif result.outcome is Outcome.NEW_RESULT and result.number in without_id:
            yield Finding(Finds.NO_FIDE_ID, result.number)


def _late(circumstances: Circumstances) -> Iterator[Finding]:
    """9.1: a report that misses the third list after the end isn't rated."""
    last = last_list_to_report(circumstances.last_day)
    if circumstances.for_list is not None and circumstances.for_list > last:
        yield Finding(Finds.REPORTED_LATE, day=last)
