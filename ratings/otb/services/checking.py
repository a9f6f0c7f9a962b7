"""Stored results and reports held against what the rules give today; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db.models import QuerySet, Sum

from ratings.formats.problems import FileRefused
from ratings.otb.models import OtbList, Tournament, TournamentResult
from ratings.otb.services.period_rating import RESULT_COLUMNS, Period, result_row
from ratings.otb.services.pooling import Events
from ratings.otb.services.rating import rate, read
from ratings.otb.services.stages import events, expected_list, first_list, open_list, unreported
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.rounding import from_hundredths

_IN_HUNDREDTHS = [RESULT_COLUMNS.index(name) for name in ("expected", "change")]
_NUMBER = RESULT_COLUMNS.index("number")


class Differs(NamedTuple):
    """A rated tournament whose stored results aren't those of its report.

    ``numbers``: start numbers of the players whose results differ, or who are missing or too many.
    ``unreadable``: why the report can no longer be read; empty if it can.
    """

    tournament: Tournament
    numbers: tuple[int, ...] = ()
    unreadable: str = ""


def wrong_results() -> Iterator[Differs]:
    """B.02 8: rated tournaments whose stored results are not what report and lists give.

    The periods are rated again from the lists as they are stored, one tournament at a time. A wrong result
    doesn't make others wrong: new players' earlier results are those found here.
    """
    rated = Tournament.objects.filter(status=Tournament.Status.RATED).select_related("report", "part_of")
    for chapter in Chapter:
        of_chapter, lists = rated.filter(chapter=chapter), OtbList.objects.in_chapter(chapter)
        known: dict[int, Events] = {}
        days = lists.published().order_by("list_day").values_list("list_day", flat=True).distinct()
        for day in list(days):
            previous = lists.before(day).first()
            if previous is None:
                continue
            period = Period(day, previous)
            period.results = _young(known, day, period.edition.pool_months)
            period.games = _games(of_chapter, day)
            for stages in events(of_chapter.filter(rated_for=day).iterator(), period.edition):
                yield from _differing(period, stages)
            known = {fide_id: found for fide_id, found in period.results.items() if found} | {
                fide_id: found for fide_id, found in known.items() if fide_id not in period.results
            }
        for one in of_chapter.exclude(rated_for__in=lists.published().values("list_day")):
            yield Differs(one)


def _differing(period: Period, stages: Sequence[Tournament]) -> Iterator[Differs]:
    try:
        found = list(period.rate([stages], {one.pk for one in stages}))
    except FileRefused as refused:
        yield from (Differs(one, unreadable=str(refused)) for one in stages)
        return
    for rated, _counts in found:
        pk = rated.tournament.pk
        stored = {
            row[_NUMBER]: row
            for row in TournamentResult.objects.filter(tournament=pk).values_list(*RESULT_COLUMNS)
        }
        rows = (_as_stored(result_row(pk, period.with_final_k(one))) for one in rated.participants)
        given = {row[_NUMBER]: row for row in rows}
        numbers = {number for number in {*stored, *given} if stored.get(number) != given.get(number)}
        if numbers:
            yield Differs(rated.tournament, tuple(sorted(numbers)))


def _as_stored(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row as the database gives it back: hundredths as points."""
    values = list(row)
    for place in _IN_HUNDREDTHS:
        if values[place] is not None:
            values[place] = from_hundredths(values[place])
    return tuple(values)


def _games(rated: QuerySet[Tournament], day: date) -> dict[int, int]:
    """Return the stored number of rated games of a period by FIDE ID: with them goes K (2024: 8.3.3)."""
    results = TournamentResult.objects.filter(tournament__in=rated.filter(rated_for=day))
    games = results.exclude(fide_id=None).order_by().values("fide_id").annotate(games=Sum("rated_games"))
    return {fide_id: many for fide_id, many in games.values_list("fide_id", "games") if fide_id is not None}


def _young(known: dict[int, Events], day: date, months: int) -> dict[int, Events]:
    """Return the results that may still enter a first rating on this list (2009: 7.14(c); 2024: 7.1.4)."""
    since = months_after(day, -months)
    young = {
        fide_id: {key: one for key, one in found.items() if one[1].last_day >= since}
        for fide_id, found in known.items()
    }
    return {fide_id: found for fide_id, found in young.items() if found}


def overdue(today: date) -> Iterator[tuple[Tournament, date]]:
    """B.02 7.13: reports that wait although they may be rated, with the list on which they should be.

    The list for which they wait is over and was never closed, or they still belong on one that is closed
    and not yet in force.
    """
    received = Tournament.objects.filter(status=Tournament.Status.RECEIVED).to_be_rated()
    without_report = unreported()
    for stages in events(received.select_related("report", "part_of")):
        if stages[0].event in without_report:
            continue
        expected, _missed = expected_list(stages[0])
        open_day, _stages = open_list(stages[0], today)
        due = open_day or (expected if expected is not None and expected <= today else None)
        if due is not None and first_list(stages) <= due and not any(_waits(one) for one in stages):
            yield from ((one, due) for one in stages)


def _waits(tournament: Tournament) -> bool:
    """Return whether something keeps it from being rated, or its report can't be read."""
    if tournament.report is None:
        return True
    try:
        return bool(rate(tournament, read(tournament.report)).refusals)
    except FileRefused:
        return True
