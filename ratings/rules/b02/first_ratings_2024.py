"""FIDE's regulations of 1 March 2024, 7.1.4 and 8.2: ratings of players who have none.

Readings where the text is open, as decided for this office: p is rounded to hundredths, half up, and Ru to a
whole number, half up; results are pooled by the day on which their event ended.
"""

from collections.abc import Iterable
from datetime import date
from typing import Final

from ratings.rules.b02.first_ratings import CountedEvent, FirstRating, Publication, Score
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.lists_2024 import FLOOR
from ratings.rules.b02.types import NewPlayer, Outcome, Ru
from ratings.rules.rounding import divide_half_up
from ratings.rules.tables import DP
from ratings.rules.units import HalfPoints, Hundredths, Points

FIRST_RATING_GAMES: Final = 5
"""7.1.4: games against rated opponents before a first rating is published."""

POOL_MONTHS: Final = 26
"""7.1.4: consecutive periods, of a month each, whose results are taken together."""

HYPOTHETICAL_OPPONENTS: Final = 2
"""8.2.2: opponents who are added to those of the games, a draw with each."""

HYPOTHETICAL_RATING: Final = Points(1800)
"""8.2.2: their rating, in points."""

HIGHEST_FIRST_RATING: Final = Points(2200)
"""8.2.3: maximum first rating, in points."""


def performance(score: Score) -> Ru:
    """Return Ru of a score against rated opponents, the same in every kind of tournament (8.2.2, 8.2.3).

    Ra = (sum of the opponents' ratings + 3600) / (n + 2) and p = (W + 1) / (n + 2), because of the two
    hypothetical opponents. *Reading:* p to hundredths, half up; Ra + dp is rounded once, half up.
    """
    games = score.games + HYPOTHETICAL_OPPONENTS
    total = score.opponents_sum + HYPOTHETICAL_OPPONENTS * HYPOTHETICAL_RATING
    p = Hundredths(divide_half_up(50 * (score.half_points + HYPOTHETICAL_OPPONENTS), games))
    dp = DP[p]
    return Ru(
        "8.2.3",
        Points(divide_half_up(total, games)),
        score.games,
        score.half_points,
        p,
        HalfPoints(score.half_points - score.games),
        dp,
        None,
        min(HIGHEST_FIRST_RATING, Points(divide_half_up(total + dp * games, games))),
    )


def new_player(score: Score, earlier_result: bool) -> NewPlayer:
    """Return the result of a player without a rating in an event (8.2).

    Only the very first event must have brought something: without a point it is forgotten (8.2.1).
    """
    ru = performance(score)
    why_not = None if score.half_points or earlier_result else Outcome.ZERO_SCORE
    return NewPlayer(*score, first=ru, final=ru, shifts=(), why_not_first=why_not)


def first_rating(events: Iterable[CountedEvent], list_day: date) -> FirstRating:
    """Return the first rating of a player not on the list, as of ``list_day`` (7.1.4, 8.2).

    All ``events`` count that ended in the 26 months before that day: a first one without a point was never
    among them (8.2.1).
    """
    since = months_after(list_day, -POOL_MONTHS)
    pool = sorted((event for event in events if since <= event.last_day < list_day), key=lambda e: e.last_day)
    games = sum(event.games for event in pool)
    if not games:
        return FirstRating(Publication.NO_RESULT)
    half_points = HalfPoints(sum(event.half_points for event in pool))
    ru = performance(Score(games, half_points, games, Points(sum(event.opponents_sum for event in pool))))
    if games < FIRST_RATING_GAMES:
        publication = Publication.FEW_GAMES
    else:
        publication = Publication.BELOW_FLOOR if ru.rating < FLOOR else Publication.PUBLISHED
    return FirstRating(publication, tuple(pool), games, ru)
