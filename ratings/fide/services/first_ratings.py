"""RBB 3.4: the first ratings of new members, from the FIDE lists, once.

The list in force on the day on which somebody first became a full member is, for each control, that of the
latest period not after this day, as far as lists have been imported. What it said of him is known while it
is in force, and afterwards from the history, if his FIDE ID was on the books by then. If it was not, the
list in force now takes its place. A member of a day before the first list that was imported waits: an older
list can be imported for the history.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, Min, Q, QuerySet

from members.models import FullMembership, Member
from ratings.fide.models import Determination, FideList, FidePlayer, FideRating, FirstRating
from ratings.fide.services.lists import in_force
from ratings.formats.frl import FideControl
from ratings.models.games import OpeningRating
from ratings.models.ledger import Rating
from ratings.rules.rbb.fide_lists import first_rating_from_lists
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Points
from ratings.services.ledger.replay import ReplaySummary, deferred

_AT_ONCE: Final = 1_000

Lists = dict[FideControl, FideList]


class _New(NamedTuple):
    """A member who waits: under which FIDE ID, since when, and the lists in force on that day."""

    member: Member
    fide_id: int
    since: datetime
    lists: Lists


@dataclass(slots=True)
class Determined:
    """What became of the members who waited.

    ``openings``: the opening ratings that were given or taken back. ``unrated``: members without any
    (RBB 3.5).
    ``not_known``: members who keep waiting, by the first day of the month whose list is missing.
    """

    members: int = 0
    openings: list[OpeningRating] = field(default_factory=list)
    unrated: list[Member] = field(default_factory=list)
    not_known: Counter[date] = field(default_factory=Counter)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def waiting(*, at: datetime, using: str = DEFAULT_DB_ALIAS) -> QuerySet[Member]:
    """Full members with a FIDE ID to whom 3.4 was not yet applied, with ``first_day``, their first moment.

    One who was looked up under another FIDE ID, and was given nothing, waits again.
    """
    looked_up = Q(first_rating_determination__fide_id=F("fide_id")) | Q(
        opening_ratings__first_rating__isnull=False
    )
    return (
        Member.objects.using(using)
        .full(at=at)
        .filter(fide_id__isnull=False)
        .exclude(pk__in=Member.objects.using(using).filter(looked_up).values("pk"))
        .annotate(first_day=Min("full_memberships__full_from"))
        .order_by("pk")
    )


def determine_on_joining(membership: FullMembership, *, at: datetime, using: str) -> Determined | None:
    """RBB 3.4: on the first span of full membership. None where there is nothing to do yet."""
    if membership.member.fide_id is None or not FideList.objects.using(using).exists():
        return None
    return determine_first_ratings(at=at, member=membership.member, using=using)


def determine_first_ratings(
    *, at: datetime, member: Member | None = None, using: str = DEFAULT_DB_ALIAS
) -> Determined:
    """Give the members who wait their first ratings, from their first moment as full members on.

    ``member``: only to him. A category in which somebody has an opening rating, or ever was rated, is left
    alone: 3.4 is applied once, and never after a fall through the floor (3.3). One replay.
    """
    result = Determined()
    members = waiting(at=at, using=using)
    if member is not None:
        members = members.filter(pk=member.pk)
    known: dict[date, Lists | date] = {}
    with deferred(using=using) as work:
        ready = []
        one: Any  # with what waiting() added
        for one in members:
            day = one.first_day.date()
            if day not in known:
                known[day] = _lists_of(day, using)
            lists = known[day]
            if isinstance(lists, date):
                result.not_known[lists] += 1
            else:
                ready.append(_New(one, one.fide_id, one.first_day, lists))
        for start in range(0, len(ready), _AT_ONCE):
            _determine(ready[start : start + _AT_ONCE], at, using, result)
    result.replayed = work.summary
    return result


def take_back_first_ratings(*, determined_at: datetime, using: str = DEFAULT_DB_ALIAS) -> Determined:
    """Remove what one run of determine_first_ratings made: opening ratings, their sources, determinations.

    Its members wait again. Whoever was looked up again since, under another FIDE ID, is left alone. One
    replay.
    """
    made = Determination.objects.using(using).filter(determined_at=determined_at)
    members = Member.objects.using(using).filter(first_rating_determination__in=made).order_by("pk")
    with deferred(using=using) as work:
        found = list(members)
        given = OpeningRating.objects.using(using).filter(
            first_rating__isnull=False, member__in=made.values("member")
        )
        openings = list(given.select_related("member").order_by("member", "category"))
        given.delete()
        made.delete()
    rated = {one.member_id for one in openings}
    unrated = [one for one in found if one.pk not in rated]
    return Determined(len(found), openings, unrated, replayed=work.summary)


def _lists_of(day: date, using: str) -> Lists | date:
    """The lists in force on a day; the first of its month if one of them is not known."""
    lists = in_force(using, day=day)
    known = {control: fide_list for control, fide_list in lists.items() if fide_list is not None}
    return known if len(known) == len(lists) else day.replace(day=1)


def _determine(some: list[_New], at: datetime, using: str, result: Determined) -> None:
    members = [new.member.pk for new in some]
    rated = Rating.objects.using(using).filter(peak__isnull=False)
    closed = {
        key
        for inputs in (OpeningRating.objects.using(using), rated)
        for key in inputs.filter(member__in=members).values_list("member", "category")
    }
    published = _Published([new.fide_id for new in some], using)
    openings: list[OpeningRating] = []
    sources: list[FirstRating] = []
    for new in some:
        said = {control: published.rating(new.fide_id, of, control) for control, of in new.lists.items()}
        numbers = {
            control.value: None if rating is None else Points(rating) for control, (rating, _) in said.items()
        }
        before = len(openings)
        for category in Category:
            found = first_rating_from_lists(category, numbers)
            if found is None or (new.member.pk, category) in closed:
                continue
            control, hundredths = FideControl(found[0]), found[1]
            fide_list = said[control][1]
            opening = OpeningRating(member=new.member, category=category, effective_at=new.since)
            opening.rating = from_hundredths(hundredths)
            opening.source = f"FIDE rating list {fide_list.period:%Y-%m}, {control}"
            openings.append(opening)
            sources.append(FirstRating(opening=opening, fide_list=fide_list, control=control.value))
        if len(openings) == before:
            result.unrated.append(new.member)
    OpeningRating.objects.using(using).bulk_create(openings)
    for source in sources:
        source.opening_id = source.opening.pk
    FirstRating.objects.using(using).bulk_create(sources)
    Determination.objects.using(using).bulk_create(
        [Determination(member=new.member, fide_id=new.fide_id, determined_at=at) for new in some],
        update_conflicts=True,
        unique_fields=["member"],
        update_fields=["fide_id", "determined_at"],
    )
    result.members += len(some)
    result.openings += openings


class _Published:
    """What the lists say of the holders of some FIDE IDs."""

    def __init__(self, ids: list[int], using: str) -> None:
        self.present = in_force(using)
        self.players = FidePlayer.objects.using(using).in_bulk(ids)
        self.history: dict[tuple[int, str, date], int | None] = {
            (fide_id, control, period): rating
            for fide_id, control, period, rating in FideRating.objects.using(using)
            .filter(fide_id__in=ids)
            .values_list("fide_id", "control", "period", "rating")
        }

    def rating(self, fide_id: int, of_day: FideList, control: FideControl) -> tuple[int | None, FideList]:
        """The rating in a control, and the list that says so."""
        present = self.present[control] or of_day
        if of_day.period != present.period:
            key = (fide_id, control.value, of_day.period)
            if key in self.history:
                return self.history[key], of_day
        player = self.players.get(fide_id)
        return (player.rating(control) if player else None), present
