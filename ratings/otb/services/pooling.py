"""B.02 7.14: the results of tournaments that a first rating is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db.models import Exists, OuterRef, Q

from ratings.office.bulk import batches
from ratings.otb.models import Tournament, TournamentResult
from ratings.otb.services.standings import edition_on
from ratings.rules.b02.first_ratings import CountedEvent, as_one
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.types import Outcome
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
    "tournament",
    "tournament__stage_of",
)


Events = dict[int, tuple[date, CountedEvent]]
"""A player's results by event (number of the first stage), each with the day of its list."""


def events_of(fide_ids: Iterable[int], list_day: date, chapter: int) -> dict[int, Events]:
    """Return the results that may enter a first rating on the list of ``list_day``, by FIDE ID.

    Those that counted, of tournaments rated for earlier lists. The stages of an event are one result (6.2).
    """
    ids = sorted(set(fide_ids))
    since = months_after(list_day, -edition_on(list_day, chapter).pool_months)
    # The rules decide by the last day of the whole event; this only leaves out what is too old in any case.
    later_stages = Tournament.objects.filter(stage_of=OuterRef("tournament"))
    young = Q(tournament__last_day__gte=since) | Q(tournament__stage_of__isnull=False) | Exists(later_stages)
    found: dict[int, Events] = defaultdict(dict)
    for some in batches(ids, _AT_ONCE):
        rows = TournamentResult.objects.filter(
            young,
            fide_id__in=some,
            outcome=Outcome.NEW_RESULT,
            tournament__chapter=chapter,
            tournament__rated_for__lt=list_day,
        )
        for fide_id, games, half_points, total, why_not, opponents, *of in rows.values_list(*_COLUMNS):
            last_day, team_championship, rated_for, tournament, first_stage = of
            event = event_of(
                last_day,
                games,
                HalfPoints(half_points),
                Points(total),
                why_not,
                opponents,
                team_championship,
            )
            add_stage(found[fide_id], first_stage or tournament, rated_for, event)
    return found


def have_played(fide_ids: Iterable[int], list_day: date, chapter: int) -> set[int]:
    """Return who had a result without a rating before, however long ago, and whatever it brought."""
    results = TournamentResult.objects.filter(
        outcome__in=(Outcome.NEW_RESULT, Outcome.ZERO_SCORE),
        tournament__chapter=chapter,
        tournament__rated_for__lt=list_day,
    )
    ids = sorted(set(fide_ids))
    found: set[int] = set()
    for some in batches(ids, _AT_ONCE):
        rows = results.filter(fide_id__in=some).values_list("fide_id", flat=True)
        found |= {fide_id for fide_id in rows if fide_id is not None}
    return found


def add_stage(events: Events, key: int, list_day: date, stage: CountedEvent) -> None:
    """B.02 6.2: add a result to those of a player, as one with the other stages of its event.

    ``key``: the number of the first stage of the event. ``list_day``: of the list for which it is rated.
    """
    before = events.get(key)
    events[key] = (list_day, stage if before is None else as_one(before[1], stage))


def event_of(
    last_day: date,
    games: int,
    half_points: HalfPoints,
    opponents_sum: Points,
    why_not_first: int | None,
    opponents: int | None,
    team_championship: bool,
) -> CountedEvent:
    """Convert a stored result to the type of the rules."""
    return CountedEvent(
        last_day,
        games,
        half_points,
        opponents_sum,
        None if why_not_first is None else OUTCOMES[why_not_first],
        opponents,
        team_championship,
    )


OUTCOMES = {outcome.value: outcome for outcome in Outcome}
