"""FIDE's regulations of 1 March 2024: what keeps a tournament, or a part of it, from being rated.

Registration (0.2) and FIDE's laws (2.1) are asked of every tournament. The number of rounds and hours a day,
the days in all and the composition of a round robin aren't.
"""

from collections.abc import Collection, Iterator
from typing import Final

from ratings.rules.b02.eligibility import (
    laws,
    match_players,
    penalties,
    report,
    seconds_for_60_moves,
    unrated_games,
)
from ratings.rules.b02.findings import Circumstances, Finding, Finds
from ratings.rules.b02.lists_2024 import last_list_to_report
from ratings.rules.b02.time_controls_2024 import FIRST_CONTROL_MOVES, chapter_of
from ratings.rules.b02.types import Chapter, Outcome, Tournament, TournamentRating

_WRONG_CONTROL: Final = (Finds.NO_CHAPTER, Finds.OTHER_CHAPTER)


def findings(
    tournament: Tournament,
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
        *_registration(circumstances),
        *control,
        *laws(circumstances),
        *games,
        *penalties(tournament),
        *match_players(tournament),
        *_new_players(rating, without_id),
        *report(tournament, circumstances),
        *_late(circumstances),
    ]


def _registration(circumstances: Circumstances) -> Iterator[Finding]:
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
    fits, minutes = chapter_of(stages, None), seconds_for_60_moves(stages) // 60
    if fits is None:
        yield Finding(Finds.NO_CHAPTER, found=minutes)
    elif fits is not chapter:
        yield Finding(Finds.OTHER_CHAPTER, found=minutes)
    moves = stages[0].moves
    if chapter is Chapter.STANDARD and moves is not None and moves < FIRST_CONTROL_MOVES:
        yield Finding(Finds.SHORT_CONTROL, found=moves, needed=FIRST_CONTROL_MOVES)


def _new_players(rating: TournamentRating, without_id: Collection[int]) -> Iterator[Finding]:
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
