"""Standings of an arena's event: points from all its games, performance ratings from the rated ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db.models import Count, Max, Min, QuerySet

from members.models import Member
from ratings.office.bulk import batches, stored_rows
from ratings.rbb.models import ArenaEvent, Game, RatingChange
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.strengths import Strength
from ratings.rules.fide_page.estimates import performance_against
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths
from ratings.rules.time_controls import Category, Control, category_of
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_SCORES: Final[dict[str, tuple[HalfPoints, HalfPoints]]] = {
    Game.Result.WHITE_WINS: (WIN, LOSS),
    Game.Result.DRAW: (DRAW, DRAW),
    Game.Result.BLACK_WINS: (LOSS, WIN),
}


class EventLine(NamedTuple):
    """A player in an event. ``half_points``: from all ``games``; ``rated`` of these had a rated opponent.

    ``place``: the same for everybody with equal points. ``performance``: None without a rated opponent.
    ``strength``: the rating before their first rated game of the event; None without one, or in an event
    with several categories.
    """

    place: int
    member: Member
    half_points: int
    games: int
    rated: int
    performance: Points | None
    strength: Strength | None


@dataclass(slots=True)
class _Score:
    half_points: int = 0
    games: int = 0
    rated: int = 0
    rated_half_points: int = 0
    opponents: int = 0
    strength: Strength | None = None

    @property
    def performance(self) -> Points | None:
        """RBB 3.7.1, 4.1: the rated opponents' average, plus dp for the score against them."""
        if not self.rated:
            return None
        average = Hundredths(divide_half_up(self.opponents, self.rated))
        return displayed(performance_against(average, self.rated, HalfPoints(self.rated_half_points)).rating)


@dataclass(frozen=True, slots=True)
class Standings:
    """The players of an event, best first, and the categories of its rated games.

    Ratings of several categories can't be averaged, so in that case nobody has a performance rating.
    """

    lines: list[EventLine]
    categories: set[Category]


def standings(event: ArenaEvent) -> Standings:
    """Return the standings after the finished games that aren't void.

    Opponents count with their exact ratings before each game, as in the ledger.
    """
    games = list(
        _ended(event).values_list(
            "pk", "tie_rank", "white", "black", "result", "time_control__initial", "time_control__increment"
        )
    )
    keys = [
        change_id(EventType.GAME, pk, black, tie_rank=rank)
        for pk, rank, *_rest in games
        for black in (False, True)
    ]
    opponents: dict[int, int | None] = {}
    for some in batches(keys):
        opponents |= stored_rows(RatingChange.objects.filter(pk__in=some), ("id", "opponent_rating"))
    scores: defaultdict[int, _Score] = defaultdict(_Score)
    categories: set[Category] = set()
    for pk, rank, white, black, result, initial, increment in games:
        for is_black, player in enumerate((white, black)):
            score, half_points = scores[player], _SCORES[result][is_black]
            score.games += 1
            score.half_points += half_points
            own_line = change_id(EventType.GAME, pk, bool(is_black), tie_rank=rank)
            opponent = opponents.get(own_line)
            if score.strength is None and own_line in opponents:
                # For the opponent, the player's own rating is that of the opponent.
                own = opponents[own_line ^ 1]
                score.strength = Strength(None if own is None else from_hundredths(Hundredths(own)))
            category = category_of(Control(initial, increment))
            if opponent is not None and category is not None:
                score.rated += 1
                score.rated_half_points += half_points
                score.opponents += opponent
                categories.add(category)
    return Standings(list(_placed(scores, len(categories) == 1)), categories)


def with_spans(events: QuerySet[ArenaEvent]) -> QuerySet[Any, Any]:
    """Return these events with their number of games, the first start and the last end."""
    return events.annotate(
        number=Count("games"), started_at=Min("games__started_at"), ended_at=Max("games__ended_at")
    )


def _ended(event: ArenaEvent) -> QuerySet[Game]:
    return (
        event.games.filter(ended_at__isnull=False, voided_at=None)
        .exclude(result="")
        .order_by("ended_at", "pk")
    )


def _placed(scores: Mapping[int, _Score], one_category: bool) -> Iterator[EventLine]:
    members = Member.everybody.in_bulk(scores)
    found = [
        (score, score.performance if one_category else None, members[key]) for key, score in scores.items()
    ]
    found.sort(
        key=lambda one: (-one[0].half_points, one[1] is None, -(one[1] or 0), one[2].username, one[2].pk)
    )
    place, last = 0, None
    for number, (score, performance, member) in enumerate(found, 1):
        if score.half_points != last:
            place, last = number, score.half_points
        strength = score.strength if one_category else None
        yield EventLine(place, member, score.half_points, score.games, score.rated, performance, strength)
