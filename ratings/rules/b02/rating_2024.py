"""FIDE's regulations of 1 March 2024 for standard, rapid and blitz: a tournament is rated as one batch.

With the amendments of 1 December 2024 (7.3.1 of rapid and blitz) and 1 October 2025 (8.3.1 of standard), each
of which holds for tournaments from that first day on. The kind of a tournament doesn't matter, except that of
a match.

Readings where the text is open, as decided for this office: games against unrated opponents count for nobody,
so that points from them aren't points of a first event either (8.2.1); the ratings of 1.1 and 7.3.1 are those
of the list in force, where an unrated player counts as below 1800.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from ratings.rules.b02.first_ratings_2024 import new_player
from ratings.rules.b02.rating import (
    check,
    line_of_new_player,
    line_of_rated_player,
    not_played_or_of_match,
    score_of,
    seen_by_both,
)
from ratings.rules.b02.stages import StageRating, freed
from ratings.rules.b02.time_controls_2024 import seconds_needed
from ratings.rules.b02.types import (
    Chapter,
    Edition,
    Game,
    GameReason,
    GameResult,
    Outcome,
    Player,
    Result,
    Tournament,
    TournamentRating,
)
from ratings.rules.units import Points

FAR_APART: Final = Points(600)
"""7.3.1 of rapid and blitz: difference in points from which a game with a strong player isn't rated."""

FAR_APART_ABOVE: Final = Points(2600)
"""7.3.1 of rapid and blitz: a strong player is rated above this, in points."""


def rate_stages(
    stages: Sequence[Tournament],
    who: Sequence[Mapping[int, Hashable]],
    edition: Edition,
    chapter: Chapter,
    rates_far_apart: bool,
) -> list[StageRating]:
    """Return the ratings of each stage of an event, in the same order (8).

    ``who``: for each stage, who has which start number; not needed for an event of one stage. All stages are
    one event for 8.2.1: whoever has a point in one isn't without a point in another.
    Raises ValueError if a stage contradicts itself.
    """
    ratings = [_rate(stage, edition, chapter, rates_far_apart) for stage in stages]
    if len(stages) > 1:
        scored = {
            ids.get(result.number)
            for ids, rating in zip(who, ratings, strict=True)
            for result in rating.results
            if result.new is not None and result.new.half_points
        } - {None}
        ratings = [
            _rate(freed(stage, ids, scored), edition, chapter, rates_far_apart)
            for stage, ids in zip(stages, who, strict=True)
        ]
    return [StageRating(rating, {}) for rating in ratings]


def _rate(
    tournament: Tournament, edition: Edition, chapter: Chapter, rates_far_apart: bool
) -> TournamentRating:
    check(tournament)
    games = sorted(tournament.games, key=lambda game: game.round)
    listed = {player.number: player.rating for player in tournament.players}

    def by_ratings(game: Game) -> GameReason | None:
        if game.opponent is None:
            return None
        ratings = listed[game.player], listed[game.opponent]
        if chapter is Chapter.STANDARD:
            return _too_fast(tournament.seconds, *ratings)
        return None if rates_far_apart else _too_far_apart(*ratings)

    reasons = not_played_or_of_match(tournament, games, to_the_end=tournament.to_the_end)
    left_out = [reason or by_ratings(game) for reason, game in zip(reasons, games, strict=True)]
    own = {p.number: p.later_rating if p.rating is None else p.rating for p in tournament.players}
    seen = seen_by_both(games, left_out, listed, listed, own, edition)
    return TournamentRating(
        tournament.kind,
        tuple(_line(player, own[player.number], seen[player.number]) for player in tournament.players),
    )


def _too_fast(seconds: int | None, one: Points | None, other: Points | None) -> GameReason | None:
    """Standard 1.1: the stronger of the two decides how much time each must have had."""
    strongest = max(one or Points(0), other or Points(0))
    return GameReason.TOO_FAST if seconds is not None and seconds < seconds_needed(strongest) else None


def _too_far_apart(one: Points | None, other: Points | None) -> GameReason | None:
    """Rapid and blitz 7.3.1, since 1 December 2024: both ratings are those of the list in force."""
    if one is None or other is None or max(one, other) <= FAR_APART_ABOVE:
        return None
    return GameReason.TOO_FAR_APART if abs(one - other) >= FAR_APART else None


def _line(player: Player, rating: Points | None, games: Sequence[GameResult]) -> Result:
    """Return a player's line of the cross-table (8.2, 8.3)."""
    if rating is not None and player.k is not None:
        return line_of_rated_player(player, rating, player.k, games)
    score, _ = score_of(games)
    if not score.games:
        return Result(player.number, Outcome.NOTHING_RATED, tuple(games))
    new = new_player(score, player.earlier_result)
    return line_of_new_player(player.number, tuple(games), new, new.why_not_first or Outcome.NEW_RESULT)
