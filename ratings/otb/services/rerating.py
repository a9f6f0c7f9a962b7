"""Rating closed periods over the board again: the next revisions of their lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q

from ratings.office.publications import reissue
from ratings.otb.models import OtbList, RaisedList, Tournament
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.publishing import ACCEPTED, NothingToClose, publish
from ratings.otb.services.stages import open_list
from ratings.otb.services.writing import differ
from ratings.rules.b02.time_controls import Chapter


def enter_open_list(tournament: Tournament, *, at: datetime, by: Any = None) -> list[OtbList]:
    """B.02 7.13: rate an event for the list that is closed but not yet in force, if it still enters it.

    The next revision of that list; none where the event waits for a later one, or may not be rated.
    """
    with transaction.atomic():
        lock_tournaments()
        list_day, stages = open_list(tournament, at.date())
        if list_day is None:
            return []
        return rerate_from(list_day, tournament.chapter, at=at, by=by, entering=stages)


def rerate_from(
    list_day: date,
    chapter: int = Chapter.STANDARD,
    *,
    at: datetime,
    by: Any = None,
    replaced: Iterable[Tournament] = (),
    entering: Iterable[Tournament] = (),
) -> list[OtbList]:
    """Rate the period of this list, and every later one, again; return the revisions of lists that differ.

    After standard lists, rapid and blitz ones too: newcomers there begin with standard ratings (2024: 7.2.1).

    Whether they may be rated at all is asked of the tournaments alone whose reports were ``replaced``, and of
    those ``entering`` the last list: others were judged under the ratings of their day, and stay rated.
    """
    new = [one.pk for one in entering]
    judged = {*new, *(one.pk for one in replaced)}
    with transaction.atomic():
        lock_tournaments()
        revised = _rerate_chapter(list_day, chapter, at, by, new, judged)
        if chapter == Chapter.STANDARD and revised:
            revised += rerate_seeded(list_day, at, by)
    return revised


def rerate_seeded(list_day: date, at: datetime, by: Any) -> list[OtbList]:
    """Rate the rapid and blitz periods again, from this list on (2024: 7.2.1)."""
    return [
        one
        for chapter in (Chapter.RAPID, Chapter.BLITZ)
        for one in _rerate_chapter(list_day, chapter, at, by, [], set())
    ]


def _rerate_chapter(
    list_day: date,
    chapter: int,
    at: datetime,
    by: Any,
    new: Collection[int],
    judged: Collection[int],
) -> list[OtbList]:
    """Rate the periods of a chapter again, from this list on."""
    revised = []
    lists = OtbList.objects.in_chapter(chapter)
    days = list(
        lists.published()
        .filter(list_day__gte=list_day)
        .order_by("list_day")
        .values_list("list_day", flat=True)
        .distinct()
    )
    for day in days:
        rated_for = Q(rated_for=day, chapter=chapter)
        if day == days[-1]:
            rated_for |= Q(pk__in=new)
        tournaments = list(
            Tournament.objects.filter(rated_for)
            .select_related("report", "part_of")
            .prefetch_related(*ACCEPTED)
            .order_by("pk")
        )
        stay = {one.pk for one in tournaments}.difference(judged)
        revision = reissue(
            lists.latest_of(day),
            partial(_list_again, day, chapter, tournaments, at, by, stay),
            differ,
        )
        if revision is not None:
            revised.append(revision)
    return revised


def raise_ratings(otb_list: OtbList, *, at: datetime, by: Any = None, back: bool = False) -> list[OtbList]:
    """Make the one-off change of 2024 on a list, or take it ``back``; return the revisions that this brings.

    Raises NothingToClose for a list that has the change already, or doesn't have it.
    """
    which = {"chapter": otb_list.chapter, "list_day": otb_list.list_day}
    with transaction.atomic():
        lock_tournaments()
        found = RaisedList.objects.filter(**which)
        if found.exists() != back:
            had = "doesn't have the change" if back else "has the change already"
            raise NothingToClose(f"{otb_list} {had}")
        if back:
            found.delete()
        else:
            RaisedList.objects.create(**which)
        return rerate_from(otb_list.list_day, otb_list.chapter, at=at, by=by)


def _list_again(
    day: date,
    chapter: int,
    tournaments: list[Tournament],
    at: datetime,
    by: Any,
    stay: Collection[int],
) -> OtbList:
    return publish(day, chapter, tournaments, at, by, None, stay).otb_list
