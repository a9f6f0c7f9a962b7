"""FIDE B.02 6.2: the stages of one event, such as a preliminary and a final, rated together.

Each stage is rated as what it was played as, with its own games. But a new player's stages count as one
tournament for 6.1, 6.4 and 8.2: whether they scored a point, and whether games, points and rating are
enough for a first result, is asked of all their stages together. Where somebody played in several, all
their games are taken as one Swiss, as results of several tournaments are (8.3).
"""

from collections.abc import Hashable, Mapping, Sequence

from ratings.rules.b02.first_ratings import Score, new_in_swiss
from ratings.rules.b02.tournament_rating import (
    StageRating,
    freed,
    is_new,
    line_of_new_player,
    rate_tournament,
)
from ratings.rules.b02.types import (
    IN_FORCE,
    Choices,
    EntrantResult,
    GameReason,
    NewPlayer,
    Outcome,
    TournamentRating,
    TournamentToRate,
)
from ratings.rules.units import HalfPoints, Points


def rate_stages(
    stages: Sequence[TournamentToRate],
    who: Sequence[Mapping[int, Hashable]] = (),
    choices: Choices = IN_FORCE,
) -> list[StageRating]:
    """Return the ratings of each stage of an event, in the same order (B.02 6.2, 8).

    ``who``: for each stage, who has which start number; those who can't be told in another stage are missing.
    Not needed for an event of one stage. Raises ValueError if a stage contradicts itself.
    """
    if len(stages) == 1:
        return [StageRating(rate_tournament(stages[0], choices), {})]
    # Where each is taken to have a point: 6.1 binds nobody who has one in another stage. Everybody at
    # first; a point against somebody who leaves is none, so there are fewer each time.
    scored = [set(ids.values()) for ids in who]
    while True:
        ratings = [
            rate_tournament(freed(stage, who[at], _in_others(scored, at)), choices)
            for at, stage in enumerate(stages)
        ]
        left = [_with_a_point(rating, ids) for rating, ids in zip(ratings, who, strict=True)]
        if left == scored:
            break
        scored = left
    whole = _whole(stages, who, ratings, set().union(*scored), choices)
    return [
        _judged(stage, ids, rating, whole) for stage, ids, rating in zip(stages, who, ratings, strict=True)
    ]


def _in_others(scored: Sequence[set[Hashable]], at: int) -> set[Hashable]:
    """Return the players with a point in another stage than this one."""
    return set().union(*(some for place, some in enumerate(scored) if place != at))


def _with_a_point(rating: TournamentRating, ids: Mapping[int, Hashable]) -> set[Hashable]:
    """Return the players who scored in played games that weren't left out with an opponent (6.1)."""
    lost = (GameReason.NOT_PLAYED, GameReason.MATCH_UNRATED, GameReason.ZERO_SCORE)
    return {
        ids[result.number]
        for result in rating.results
        if result.number in ids and any(game.half_points and game.reason not in lost for game in result.games)
    }


def _whole(
    stages: Sequence[TournamentToRate],
    who: Sequence[Mapping[int, Hashable]],
    ratings: Sequence[TournamentRating],
    scored: set[Hashable],
    choices: Choices,
) -> dict[Hashable, NewPlayer]:
    """Return results of new players with a point, over all stages where they have one (B.02 6.2, 8.2)."""
    found: dict[Hashable, list[NewPlayer]] = {}
    for stage, ids, rating in zip(stages, who, ratings, strict=True):
        for player, result in zip(stage.players, rating.results, strict=True):
            person = ids.get(player.number)
            if person is not None and is_new(player) and result.new is not None:
                found.setdefault(person, []).append(result.new)
    return {
        person: news[0] if len(news) == 1 else _together(news, choices)
        for person, news in found.items()
        if person in scored
    }


def _together(news: Sequence[NewPlayer], choices: Choices) -> NewPlayer:
    """Combine results as if played in one Swiss, as 8.3 does with several tournaments."""
    score = Score(
        sum(one.games for one in news),
        HalfPoints(sum(one.half_points for one in news)),
        sum(one.against_rated for one in news),
        Points(sum(one.opponents_sum for one in news)),
    )
    return new_in_swiss(score, choices)


def _judged(
    stage: TournamentToRate,
    ids: Mapping[int, Hashable],
    rating: TournamentRating,
    whole: Mapping[Hashable, NewPlayer],
) -> StageRating:
    """Return the stage, keeping or leaving out new players' results by the whole event."""
    results: list[EntrantResult] = []
    of_all: dict[int, NewPlayer] = {}
    for player, result in zip(stage.players, rating.results, strict=True):
        event = whole.get(ids.get(player.number))
        if event is not None and result.new is not None and is_new(player):
            new = result.new._replace(why_not_first=event.why_not_first)
            why_not = None if player.earlier_result else event.why_not_first
            result = line_of_new_player(player.number, result.games, new, why_not or Outcome.NEW_RESULT)
            if event.games != new.games:
                of_all[player.number] = event
        results.append(result)
    return StageRating(rating._replace(results=tuple(results)), of_all)
