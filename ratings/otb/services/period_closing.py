"""Closing a rating period over the board (B.02 7)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from foa.text import date_text
from ratings.fide.models import FideList
from ratings.fide.services.locks import lock_fide_lists
from ratings.formats.frl import FideControl
from ratings.otb.citations import cited
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.list_entries import take_over
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.publishing import (
    ACCEPTED,
    Closing,
    NothingToClose,
    Progress,
    publish,
    rerate_seeded,
)
from ratings.otb.services.stages import events as in_events
from ratings.otb.services.stages import first_list, unreported
from ratings.otb.services.standings import control_of, edition_on
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic


def list_day_of(until: date, chapter: int = Chapter.STANDARD) -> date:
    """Return the day of the latest list of a chapter that is closed on this day (2009: 7.13; 2024: 7.1.3)."""
    current = edition_on(until, chapter).list_in_force(until)
    following = edition_on(until, chapter).next_list(current)
    return following if edition_on(following, chapter).closing_day(following) <= until else current


def close_period(
    *,
    until: date,
    chapter: int = Chapter.STANDARD,
    at: datetime,
    by: Any = None,
    progress: Progress | None = None,
) -> Closing:
    """B.02 7.13: rate all tournaments that were received and ended in time, and publish their list.

    ``until``: a day; the list is the latest with a closing day up to it. Reports that came too late for
    an earlier list are rated for this one. One transaction. Raises NothingToClose.
    """
    list_day = list_day_of(until, chapter)
    edition = edition_on(list_day, chapter)
    closes = edition.closing_day(list_day)
    with transaction.atomic():
        lock_tournaments()
        if closes > at.date():
            raise NothingToClose(
                f"the period of the list of {date_text(list_day)} runs until {date_text(closes)}"
                f"{cited(edition, Topic.CLOSING_DAY)}"
            )
        lists = OtbList.objects.in_chapter(chapter)
        last = lists.published().aggregate(day=Max("list_day"))["day"]
        if last is not None and last >= list_day:
            following = edition_on(last, chapter).next_list(last)
            raise NothingToClose(
                f"the list of {date_text(last)} is published; the next, of {date_text(following)}, "
                f"can be closed from {date_text(edition.closing_day(following))} on"
                f"{cited(edition, Topic.CLOSING_DAY)}"
            )
        received = Tournament.objects.filter(status=Tournament.Status.RECEIVED, chapter=chapter).to_be_rated()
        waiting, incomplete, without_report = [], [], unreported()
        for stages in in_events(received.with_report().prefetch_related(*ACCEPTED)):
            if stages[0].event in without_report:
                incomplete += stages
            elif first_list(stages) <= list_day:
                waiting += stages
        if not waiting:
            raise NothingToClose(
                f"no report of a tournament that ended by {date_text(closes)} is waiting"
                f"{cited(edition, Topic.CLOSING_DAY)}"
            )
        lock_fide_lists()
        before = months_after(list_day, -edition.choices.months_per_list)
        taken = _take_over_from_fide(chapter, before, at)
        if chapter != Chapter.STANDARD:
            _keep_standard(before, at)
        if not lists.exists():
            raise NothingToClose(
                f"no FIDE list of {control_of(chapter)} ratings was imported: nobody has a rating yet"
            )
        closing = publish(waiting, list_day=list_day, chapter=chapter, at=at, by=by, progress=progress)
        closing.incomplete = incomplete
        closing.expected = _expected(list_day, chapter, last)
        if chapter == Chapter.STANDARD:
            # Rapid and blitz lists may be ahead, with players who began with the standard list before this.
            following = edition.next_list(list_day if taken is None else taken)
            closing.revised = rerate_seeded(following, at, by)
        return closing


def _take_over_from_fide(chapter: int, before: date, at: datetime) -> date | None:
    """Take over the FIDE list in force unless the office has published a list of this chapter.

    ``before``: day of the latest list that it can be. Return its day; None where nothing is taken over.
    """
    lists = OtbList.objects.in_chapter(chapter)
    fide_list = FideList.objects.in_force(control_of(chapter))
    if fide_list is None or lists.published().exists():
        return None
    day = min(before, fide_list.period)
    if lists.filter(list_day=day).exists():
        return None
    take_over(fide_list, chapter, day, at)
    return day


def _keep_standard(before: date, at: datetime) -> None:
    """Keep FIDE's standard list in an office without standard lists of its own (2024: 7.2.1).

    Players without a rating in rapid or blitz begin with it, and FIDE's next list takes its place. None of a
    day that rated tournaments have used already.
    """
    lists = OtbList.objects.all()
    last = lists.published().aggregate(day=Max("list_day"))["day"]
    fide_list = FideList.objects.in_force(FideControl.STANDARD)
    day = None if fide_list is None else min(before, fide_list.period)
    if last is None or (day is not None and day >= last):
        _take_over_from_fide(Chapter.STANDARD, before, at)


def _expected(list_day: date, chapter: int, last: date | None) -> list[Tournament]:
    """B.02 7.13: return official events that end in this period and have no report yet."""
    registered = Tournament.objects.filter(
        status=Tournament.Status.REGISTERED, chapter=chapter, official=True, last_day__lt=list_day
    ).to_be_rated()
    if last is not None:
        registered = registered.filter(last_day__gte=last)
    return list(registered.order_by("last_day", "first_day", "pk"))
