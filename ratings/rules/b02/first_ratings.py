"""FIDE B.02 8.2, 8.3, 8.58 and 7.14, and 7.1.4 and 8.2 of 2024: ratings of players who have none.

Readings of 2024 where the text is open, as decided for this office: p is rounded to hundredths, half up, and
Ru to a whole number, half up; results are pooled by the day on which their event ended.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from fractions import Fraction
from typing import Final, NamedTuple

from ratings.rules.b02.expected_score import CAP
from ratings.rules.b02.floors import FLOOR, FLOOR_2024
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.types import IN_FORCE, Choices, NewPlayer, Outcome, RoundRobin, Ru
from ratings.rules.cited import Cited, _
from ratings.rules.rounding import displayed, divide_half_up
from ratings.rules.tables import DP
from ratings.rules.units import HalfPoints, Hundredths, Points

FEWEST_AGAINST_RATED: Final = 3
"""B.02 6.41, 8.21: games against rated players in the first event that counts."""


FEWEST_HALF_POINTS: Final = HalfPoints(2)
"""B.02 6.41, 8.21: one point in the first event that counts."""


FIRST_RATING_GAMES: Final = 9
"""B.02 7.14(a), (b): games before a first rating is published."""


FIRST_RATING_GAMES_FEWER: Final = 7
"""B.02 7.14(f), (g): at an olympiad or team championship, or for members of IBCA, ICSC and IPCA."""


POOL_MONTHS: Final = 24
"""B.02 7.14(c): results of the last two years are taken together."""


class Score(NamedTuple):
    """A player's score in the games that count; ``opponents_sum``: of the ratings of rated opponents."""

    games: int = 0
    half_points: HalfPoints = HalfPoints(0)
    against_rated: int = 0
    opponents_sum: Points = Points(0)


def performance(
    average: Points,
    half_points: HalfPoints,
    games: int,
    choices: Choices = IN_FORCE,
    opponents: int | None = None,
) -> Ru:
    """Return Ru of a score against this average of opponents (Rc or Ra, whole points; B.02 8.22 to 8.25).

    At 50 % the average (8.22); above, the bonus for each half point over it (8.23); below, d(p) of 8.1(a)
    (8.24), in a round robin × n / (n + 1) with ``opponents`` for n (8.25). Rounded once, half up.
    """
    p = Hundredths(divide_half_up(50 * half_points, games))
    over = HalfPoints(half_points - games)
    if over >= 0:
        rating = displayed(Hundredths(100 * average + choices.bonus_per_half_point * over))
        return Ru("8.23" if over else "8.22", average, games, half_points, p, over, None, opponents, rating)
    dp = DP[p]
    if opponents is None:
        return Ru("8.24", average, games, half_points, p, over, dp, None, Points(average + dp))
    rating = Points(divide_half_up(average * (opponents + 1) + dp * opponents, opponents + 1))
    return Ru("8.25", average, games, half_points, p, over, dp, opponents, rating)


def new_in_swiss(score: Score, choices: Choices = IN_FORCE) -> NewPlayer:
    """Return a result in a Swiss or team tournament, of games against rated players only (B.02 8.2(a))."""
    average = Points(divide_half_up(score.opponents_sum, score.games))
    ru = performance(average, score.half_points, score.games, choices)
    return NewPlayer(*score, first=ru, final=ru, shifts=(), why_not_first=_why_not_first(score, ru))


def new_in_round_robin(
    ratings: Mapping[int, Points | None], scores: Mapping[int, Score], choices: Choices = IN_FORCE
) -> tuple[RoundRobin, dict[int, NewPlayer]]:
    """Return the results of the new players of a round robin, by their numbers (B.02 8.21(b), 8.58).

    ``ratings`` of all players, of whom at least one must have one; ``scores`` over all their games.
    The first Ru come from Ra. Then, once, each opponent more than 400 points from a new player's first Ru
    counts as exactly 400 away, which moves their average, and their new Ru comes from that.
    """
    rated = {number: rating for number, rating in ratings.items() if rating is not None}
    n = len(ratings) - 1
    lines = []
    for number in rated:
        p = Hundredths(divide_half_up(50 * scores[number].half_points, scores[number].games))
        lines.append((number, p, DP[p]))
    rar = Fraction(sum(rated.values()), len(rated))
    dpa = Fraction(sum(dp for _, _, dp in lines), len(rated))
    exact = rar - dpa * n / (n + 1)
    average = Points(divide_half_up(exact.numerator, exact.denominator))

    first = {
        number: performance(average, scores[number].half_points, scores[number].games, choices, n)
        for number, rating in ratings.items()
        if rating is None
    }
    standing = rated | {number: ru.rating for number, ru in first.items()}
    new = {}
    for number, ru in first.items():
        score = scores[number]
        shifts = tuple(
            (opponent, shift)
            for opponent, rating in standing.items()
            if (shift := _beyond_cap(Points(rating - ru.rating)))
        )
        moved = Points(divide_half_up(average * n + sum(shift for _, shift in shifts), n))
        final = performance(moved, score.half_points, score.games, choices, n)
        new[number] = NewPlayer(
            *score._replace(opponents_sum=Points(moved * score.games)),
            first=ru,
            final=final,
            shifts=shifts,
            why_not_first=_why_not_first(score, final),
        )
    return RoundRobin(tuple(lines), rar, dpa, n, average), new


def _beyond_cap(difference: Points) -> Points:
    """Return the points by which an opponent is moved to be exactly 400 away (B.02 8.58)."""
    return Points(max(-CAP, min(CAP, difference)) - difference)


def _why_not_first(score: Score, ru: Ru) -> Outcome | None:
    """Return why a result can't be a player's first that counts, or None (B.02 6.41, 8.21, 8.31)."""
    if score.half_points < FEWEST_HALF_POINTS:
        return Outcome.FEW_POINTS
    if score.against_rated < FEWEST_AGAINST_RATED:
        return Outcome.FEW_GAMES
    return Outcome.BELOW_FLOOR if ru.rating < FLOOR else None


class CountedEvent(NamedTuple):
    """A counted result (:class:`NewPlayer`) of a player who was not yet published.

    ``last_day``: of the event. ``round_robin_opponents``: n of a round robin, None for any other event.
    ``team_championship``: an olympiad, or a team championship of the world or a continent (7.14(f)).
    """

    last_day: date
    games: int
    half_points: HalfPoints
    opponents_sum: Points
    why_not_first: Outcome | None
    round_robin_opponents: int | None = None
    team_championship: bool = False


def as_one(one: CountedEvent, other: CountedEvent) -> CountedEvent:
    """Combine two stages of an event into one result, which counts or not as a whole (B.02 6.2)."""
    return CountedEvent(
        max(one.last_day, other.last_day),
        one.games + other.games,
        HalfPoints(one.half_points + other.half_points),
        Points(one.opponents_sum + other.opponents_sum),
        one.why_not_first,
        None,
        one.team_championship or other.team_championship,
    )


class Publication(Cited):
    """States of publication of a new player's rating."""

    PUBLISHED = 1, "7.14, 8.3", _("first rating published")
    FEW_GAMES = 2, "7.14", _("not yet published: too few games")
    BELOW_FLOOR = 3, "7.14(d), 8.33", _("not published: below the lowest published rating")
    NO_RESULT = 4, "8.21, 8.31", _("no result from the last two years counts")


class FirstRating(NamedTuple):
    """B.02 8.3: a new player before a list.

    ``events``: those taken together, in order. ``games``: in all of them; once published, they are the first
    of their thirty (8.56). ``ru``: as if played in one tournament, None without a result.
    """

    publication: Publication
    events: tuple[CountedEvent, ...] = ()
    games: int = 0
    ru: Ru | None = None

    @property
    def published(self) -> Points | None:
        """The rating to publish, in points, None if there is none."""
        return self.ru.rating if self.ru and self.publication is Publication.PUBLISHED else None


def games_needed(events: Iterable[CountedEvent], disabled: bool) -> int:
    """Return how many games a first rating takes, for a player with these events (B.02 7.14).

    ``disabled``: a member of IBCA, ICSC or IPCA (7.14(g)).
    """
    fewer = FIRST_RATING_GAMES_FEWER
    if disabled or any(event.team_championship and event.games >= fewer for event in events):
        return fewer
    return FIRST_RATING_GAMES


def first_rating(
    events: Iterable[CountedEvent], list_day: date, choices: Choices = IN_FORCE, disabled: bool = False
) -> FirstRating:
    """Return the first rating of a player not on the list, as of ``list_day`` (B.02 7.14, 8.3).

    Events that ended in the two years before that day; those before the first that can stand alone are
    forgotten, later ones count whatever they brought. One round robin keeps its own formula (8.25), anything
    else is taken as one Swiss. ``disabled``: a member of IBCA, ICSC or IPCA (7.14(g)).
    """
    since = months_after(list_day, -POOL_MONTHS)
    pool = sorted((event for event in events if since <= event.last_day < list_day), key=lambda e: e.last_day)
    while pool and pool[0].why_not_first is not None:
        del pool[0]
    if not pool:
        return FirstRating(Publication.NO_RESULT)
    games = sum(event.games for event in pool)
    ru = performance(
        Points(divide_half_up(sum(event.opponents_sum for event in pool), games)),
        HalfPoints(sum(event.half_points for event in pool)),
        games,
        choices,
        pool[0].round_robin_opponents if len(pool) == 1 else None,
    )
    if games < games_needed(pool, disabled):
        publication = Publication.FEW_GAMES
    else:
        publication = Publication.BELOW_FLOOR if ru.rating < FLOOR else Publication.PUBLISHED
    return FirstRating(publication, tuple(pool), games, ru)


FIRST_RATING_GAMES_2024: Final = 5
"""7.1.4: games against rated opponents before a first rating is published."""


POOL_MONTHS_2024: Final = 26
"""7.1.4: consecutive periods, of a month each, whose results are taken together."""


HYPOTHETICAL_OPPONENTS: Final = 2
"""8.2.2: opponents who are added to those of the games, a draw with each."""


HYPOTHETICAL_RATING: Final = Points(1800)
"""8.2.2: their rating, in points."""


HIGHEST_FIRST_RATING: Final = Points(2200)
"""8.2.3: maximum first rating, in points."""


def performance_2024(score: Score) -> Ru:
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


def new_player_2024(score: Score, earlier_result: bool) -> NewPlayer:
    """Return the result of a player without a rating in an event (8.2).

    Only the very first event must have brought something: without a point it is forgotten (8.2.1).
    """
    ru = performance_2024(score)
    why_not = None if score.half_points or earlier_result else Outcome.ZERO_SCORE
    return NewPlayer(*score, first=ru, final=ru, shifts=(), why_not_first=why_not)


def first_rating_2024(events: Iterable[CountedEvent], list_day: date) -> FirstRating:
    """Return the first rating of a player not on the list, as of ``list_day`` (7.1.4, 8.2).

    All ``events`` count that ended in the 26 months before that day: a first one without a point was never
    among them (8.2.1).
    """
    since = months_after(list_day, -POOL_MONTHS_2024)
    pool = sorted((event for event in events if since <= event.last_day < list_day), key=lambda e: e.last_day)
    games = sum(event.games for event in pool)
    if not games:
        return FirstRating(Publication.NO_RESULT)
    half_points = HalfPoints(sum(event.half_points for event in pool))
    ru = performance_2024(
        Score(games, half_points, games, Points(sum(event.opponents_sum for event in pool)))
    )
    if games < FIRST_RATING_GAMES_2024:
        publication = Publication.FEW_GAMES
    else:
        publication = Publication.BELOW_FLOOR if ru.rating < FLOOR_2024 else Publication.PUBLISHED
    return FirstRating(publication, tuple(pool), games, ru)
