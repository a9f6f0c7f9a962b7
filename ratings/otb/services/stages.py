"""B.02 6.2: the stages of events, and the list for which an event is rated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django.db.models import Q, QuerySet

from ratings.fide.models import FideList
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.standings import control_of, edition_on
from ratings.rules.b02.editions.b02_2009 import Edition


def event_stages(tournament: Tournament) -> QuerySet[Tournament]:
    """Return all stored stages of a tournament's event.

    Stages that are refused or announced as unrated are left out.
    """
    event = tournament.event
    stages = Tournament.objects.filter(Q(pk=event) | Q(stage_of=event)).to_be_rated()
    stages = stages.exclude(status=Tournament.Status.REFUSED).with_report()
    return stages.order_by("last_day", "first_day", "pk")


def events(tournaments: Iterable[Tournament], edition: Edition | None = None) -> list[list[Tournament]]:
    """Return the tournaments grouped by event, in the order in which the events ended.

    ``edition``: the one that they are rated by in this order, which says what comes first on the same days.
    """
    found: dict[int, list[Tournament]] = {}
    for one in sorted(tournaments, key=_place):
        found.setdefault(one.event, []).append(one)
    if edition is None:
        return sorted(found.values(), key=lambda stages: _place(stages[-1]))

    def place(stages: Sequence[Tournament]) -> tuple[Any, ...]:
        last = stages[-1]
        return edition.event_order(last.last_day, last.first_day, stages[0].name, last.pk)

    return sorted(found.values(), key=place)


def unreported() -> set[int]:
    """Return the numbers of events with several stages, one of which has no report yet."""
    waiting = Tournament.objects.filter(status=Tournament.Status.REGISTERED).to_be_rated()
    several = waiting.filter(Q(stage_of__isnull=False) | Q(stages__isnull=False))
    return {one.event for one in several.only("pk", "stage_of")}


def first_list(stages: Sequence[Tournament]) -> date:
    """B.02 7.13: return the first list for which an event can be rated, by its last stage (6.2)."""
    last = max(stages, key=_place)
    return edition_on(last.last_day, last.chapter).rated_on(last.last_day, last.official)


def with_stored_stages(tournament: Tournament) -> list[Tournament]:
    """Return all stages of an event, with this unsaved one in place of its row."""
    if tournament.pk is None:
        return [tournament]
    return [tournament, *event_stages(tournament).exclude(pk=tournament.pk)]


def open_list(tournament: Tournament, on: date) -> tuple[date | None, list[Tournament]]:
    """B.02 7.13: return the list that is closed but not yet in force, if a waiting event still enters it.

    That is an official event of FIDE's own, which may end until the day before the list. With it the stages
    that are to be rated, all of them with a report.
    """
    last = _last_list(tournament.chapter)
    stages = list(event_stages(tournament))
    if (
        last is None
        or on >= last
        or not stages
        or any(stage.status != Tournament.Status.RECEIVED or not stage.is_to_be_rated for stage in stages)
        or not max(stages, key=_place).official
        or first_list(stages) > last
    ):
        return None, []
    return last, stages


def expected_list(tournament: Tournament) -> tuple[date | None, date | None]:
    """B.02 7.13: return the list for which a received tournament waits, and the closed one that it missed.

    Both are None if it doesn't wait to be rated.
    """
    if tournament.status != Tournament.Status.RECEIVED or not tournament.is_to_be_rated:
        return None, None
    first, last = first_list(with_stored_stages(tournament)), _last_list(tournament.chapter)
    if last is None or first > last:
        return first, None
    return edition_on(last, tournament.chapter).next_list(last), first


def next_list_for(stages: Sequence[Tournament]) -> date:
    """Return the list for which an event would be rated now: the first that is still to be published.

    Until the office has published one, those from the imported FIDE list on.
    """
    chapter, first = stages[0].chapter, first_list(stages)
    last = _last_list(chapter)
    if last is None:
        imported = FideList.objects.in_force(control_of(chapter))
        last = None if imported is None else imported.period
    return first if last is None or first > last else edition_on(last, chapter).next_list(last)


def _last_list(chapter: int) -> date | None:
    """Return the day of a chapter's last list made from a period."""
    lists = OtbList.objects.in_chapter(chapter).published()
    return lists.newest_first().values_list("list_day", flat=True).first()


def _place(tournament: Tournament) -> tuple[date, date, int]:
    return tournament.last_day, tournament.first_day, tournament.pk
