"""B.02 7.14: the results of tournaments that a first rating is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db import DEFAULT_DB_ALIAS

from ratings.otb.models import TournamentResult
from ratings.rules.b02.first_ratings import POOL_MONTHS, CountedEvent
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.parts import Outcome
from ratings.rules.units import HalfPoints, Points

_AT_ONCE = 500
_COLUMNS = (
    "fide_id",
    "new_games",
    "new_half_points",
    "new_opponents_sum",
    "why_not_first",
    "new_opponents",
    "tournament__last_day",
    "tournament__team_championship",
    "tournament__rated_for",
)


def events_of(
    fide_ids: Iterable[int], list_day: date, using: str = DEFAULT_DB_ALIAS
) -> dict[int, list[tuple[date, CountedEvent]]]:
    """The results that may enter a first rating on the list of ``list_day``, by FIDE ID.

    Those that counted, of tournaments rated for earlier lists: each with the day of its list.
    """
    ids = sorted(set(fide_ids))
    found: dict[int, list[tuple[date, CountedEvent]]] = defaultdict(list)
    for start in range(0, len(ids), _AT_ONCE):
        rows = TournamentResult.objects.using(using).filter(
            fide_id__in=ids[start : start + _AT_ONCE],
            outcome=Outcome.NEW_RESULT,
            tournament__rated_for__lt=list_day,
            tournament__last_day__gte=months_after(list_day, -POOL_MONTHS),
        )
        for fide_id, games, half_points, total, why_not, opponents, *of in rows.values_list(*_COLUMNS):
            last_day, team_championship, rated_for = of
            event = event_of(
                last_day,
                games,
                HalfPoints(half_points),
                Points(total),
                why_not,
                opponents,
                team_championship,
            )
            found[fide_id].append((rated_for, event))
    return found


def event_of(
    last_day: date,
    games: int,
    half_points: HalfPoints,
    opponents_sum: Points,
    why_not_first: int | None,
    opponents: int | None,
    team_championship: bool,
) -> CountedEvent:
    """A stored result in the words of the rules."""
    return CountedEvent(
        last_day,
        games,
        half_points,
        opponents_sum,
        None if why_not_first is None else _OUTCOMES[why_not_first],
        opponents,
        team_championship,
    )


def can_stand_alone(events: Iterable[tuple[date, CountedEvent]], since: date | None) -> bool:
    """B.02 6.1: whether one of these results was above the floor, with the points and games of 8.21.

    ``since``: the day of the list that made him a new player again (7.21), None if there was none.
    """
    return any(
        event.why_not_first is None and (since is None or rated_for > since) for rated_for, event in events
    )


_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
