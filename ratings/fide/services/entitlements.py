"""Entitlements from FIDE's lists: first ratings (RBB 3.4) and over-the-board changes (RBB 3.15).

They are a function of the lists, FIDE IDs, first days of full membership and announced months, not of the
order in which the office learnt of these. What is stored is compared with them: see ``adjustment_diff`` and
``watch``.

The list in force on a day is, for each control, the latest imported list of a month begun by then. What it
says about a member is in the history, or in the list in force now. If the FIDE ID wasn't known while that
list was in force, nothing is given until the list has been looked up: no other list takes its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any, Final, NamedTuple

from django.db.models import Exists, Min, OuterRef, Q, QuerySet

from members.models import FullMembership, Member
from ratings.fide.models import AnnouncedMonth, Announcement, DoubleRating, FideList, FidePlayer, FideRating
from ratings.fide.services.kept_files import is_list_kept
from ratings.formats.frl import FideControl
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.fide_lists import LISTS_OF_CHANGES, first_rating_from_lists, over_the_board_change
from ratings.rules.rounding import to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths, Points

AT_ONCE: Final = 1_000
"""Number of members looked up at once."""

Published = tuple[Points | None, int]
"""Rating and number of games in a control, as a list has them."""


class FirstRatingGiven(NamedTuple):
    """RBB 3.4: a first rating in hundredths, its list, and the moment from which it counts."""

    category: Category
    rating: Hundredths
    effective_at: datetime
    fide_list: FideList
    control: FideControl

    @property
    def source(self) -> str:
        """Return the list's name as the source of a starting rating."""
        return f"FIDE rating list {self.fide_list.period:%Y-%m}, {self.control}"


class AnnouncedDifference(NamedTuple):
    """RBB 3.15: ΣΔR of a member in the list of a month, in hundredths, and when it is added.

    ``previous``, ``new`` and ``games`` are those of the lists; None for a change from a file.
    """

    member: Member
    category: Category
    period: date
    amount: Hundredths
    at: datetime
    previous: Points | None = None
    new: Points | None = None
    games: int | None = None

    @property
    def key(self) -> tuple[int, Category, date]:
        """Return the key of the change: one for each member, category and month (RBB 3.15)."""
        return self.member.pk, self.category, self.period


class Month(NamedTuple):
    """An announced month, with the moment at which its changes are added."""

    announcement: Announcement
    at: datetime

    @property
    def of_lists(self) -> bool:
        """Return True for an announcement from two lists, False for one from a file."""
        return not self.announcement.sha256


class MissingList(NamedTuple):
    """A list whose rating of a member isn't known.

    ``sha256``: "" if it was never imported. ``fide_id``: the FIDE ID to which the list gives several ratings,
    so that somebody must choose one; otherwise 0.
    """

    period: date
    control: str
    sha256: str
    fide_id: int = 0

    @property
    def is_kept(self) -> bool:
        """Return True if the worker can look it up."""
        return bool(self.sha256) and not self.fide_id and is_list_kept(self.sha256)


class Imported:
    """The imported lists: for each control and month, the file imported last."""

    def __init__(self) -> None:
        self._months: dict[FideControl, dict[date, FideList]] = {control: {} for control in FideControl}
        for fide_list in FideList.objects.order_by("period", "pk"):
            for control in fide_list.controls:
                self._months[control][fide_list.period] = fide_list

    def of(self, control: FideControl, month: date) -> FideList | None:
        """Return the list of a month, if it was imported."""
        return self._months[control].get(month)

    def by(self, control: FideControl, day: date) -> FideList | None:
        """Return the latest list of a month begun by this day."""
        months = [month for month in self._months[control] if month <= day]
        return self._months[control][months[-1]] if months else None

    def after(self, control: FideControl, month: date) -> list[date]:
        """Return the later months that have a list, in order."""
        return [one for one in self._months[control] if one > month]

    def in_force(self, control: FideControl) -> FideList:
        """Return the list of the latest month. There must be one."""
        return self._months[control][max(self._months[control])]


class ListedRatings:
    """Ratings of some FIDE IDs in lists."""

    def __init__(self, ids: Sequence[int], imported: Imported) -> None:
        self.imported = imported
        self._players = FidePlayer.objects.in_bulk(ids)
        self._history: dict[tuple[int, str], dict[date, Published]] = defaultdict(dict)
        rows = FideRating.objects.filter(fide_id__in=ids).order_by("period")
        for fide_id, control, period, rating, games in rows.values_list(
            "fide_id", "control", "period", "rating", "games"
        ):
            self._history[fide_id, control][period] = (None if rating is None else Points(rating)), games

        self._doubles: dict[tuple[int, str, int], list[DoubleRating]] = defaultdict(list)
        for double in DoubleRating.objects.filter(fide_id__in=ids).order_by("line", "pk"):
            self._doubles[double.fide_id, double.control, double.fide_list_id].append(double)

    def _double(self, fide_id: int, control: FideControl, month: date) -> list[DoubleRating]:
        """Return the different ratings that the list of a month gives a FIDE ID."""
        listed = self.imported.of(control, month)
        return [] if listed is None else self._doubles.get((fide_id, control.value, listed.pk), [])

    def missing(self, fide_id: int, control: FideControl, month: date) -> MissingList | None:
        """Return the list that is still needed to know the rating of a month.

        None if none is needed, or if the month has no list.
        """
        listed = self.imported.of(control, month)
        if listed is None or self.of(fide_id, control, month) is not None:
            return None
        if not self._double(fide_id, control, month):
            return MissingList(listed.period, listed.control, listed.sha256)
        later = self._later(fide_id, control, month)
        unknown = None if later is None or later[1] is not None else self.imported.of(control, later[0])
        if unknown is not None:
            return MissingList(unknown.period, unknown.control, unknown.sha256)
        return MissingList(listed.period, listed.control, listed.sha256, fide_id)

    def _later(self, fide_id: int, control: FideControl, month: date) -> tuple[date, Published | None] | None:
        """Return the next month whose list rates the FIDE ID, skipping those with several ratings.

        The month comes with None if it isn't known what its list says. None if no later list rates the FIDE
        ID.
        """
        for later in self.imported.after(control, month):
            said = self.of(fide_id, control, later)
            if said is None and self._double(fide_id, control, later):
                continue
            if said is None or said[0] is not None:
                return later, said
        return None

    def _of_double(
        self, fide_id: int, control: FideControl, month: date, rows: Sequence[DoubleRating]
    ) -> Published | None:
        """Return the rating that somebody has chosen, or else the one that the next list has, or None."""
        chosen = [row for row in rows if row.is_chosen]
        if not chosen:
            later = self._later(fide_id, control, month)
            said = None if later is None else later[1]
            chosen = [row for row in rows if said is not None and row.rating == said[0]]
        return (Points(chosen[-1].rating), chosen[-1].games) if chosen else None

    def of(self, fide_id: int, control: FideControl, month: date) -> Published | None:
        """Return what the list of a month says in a control.

        None if that isn't known, or if the month has no list.
        """
        if rows := self._double(fide_id, control, month):
            return self._of_double(fide_id, control, month, rows)
        history = self._history.get((fide_id, control.value), {})
        if month in history or self.imported.of(control, month) is None:
            return history.get(month)
        if month != self.imported.in_force(control).period:
            return None
        player = self._players.get(fide_id)
        if player is None:
            return None, 0
        rating = player.rating(control)
        return (None if rating is None else Points(rating)), getattr(player, f"{control}_games")


def with_first_day(members: QuerySet[Member]) -> QuerySet[Any]:
    """Annotate members with ``first_day``, the first moment of full membership, or None."""
    return members.annotate(first_day=Min("full_memberships__full_from")).order_by("pk")


def became_full(members: QuerySet[Member], at: datetime) -> QuerySet[Member]:
    """RBB 3.4: return those of these members who have become full members by this moment."""
    spans = FullMembership.objects.filter(member=OuterRef("pk"), full_from__lte=at)
    return members.filter(Exists(spans))


def announced_months() -> dict[date, Month]:
    """Return the months whose changes were added, by their first days."""
    moments = dict(AnnouncedMonth.objects.values_list("period", "announced_at"))
    announcements = Announcement.objects.order_by("period")
    return {one.period: Month(one, moments.get(one.period, one.announced_at)) for one in announcements}


def month_before(month: date) -> date:
    """Return the first day of the month before."""
    return (month - timedelta(days=1)).replace(day=1)


class Given:
    """The entitlements of some members with a ``first_day``, and what is stored of them."""

    def __init__(self, members: Sequence[Any], imported: Imported) -> None:
        self.members = members
        keys = [member.pk for member in members]
        self.said = ListedRatings([member.fide_id for member in members if member.fide_id], imported)
        # A merged member may have several in a category; the first is applied (RBB 3.11).
        self.stored: dict[tuple[int, Category], OpeningRating] = {}
        self.further: dict[tuple[int, Category], list[OpeningRating]] = defaultdict(list)
        self.by_hand: set[tuple[int, Category]] = set()
        self._since: dict[int, datetime] = {one.pk: one.first_day for one in members if one.first_day}
        openings = OpeningRating.objects.filter(member__in=keys)
        in_order = openings.select_related("first_rating__fide_list").order_by(
            "effective_at", "-rating", "pk"
        )
        for opening in in_order:
            key = opening.member_id, opening.category
            if not hasattr(opening, "first_rating"):
                self.by_hand.add(key)
            elif self.stored.setdefault(key, opening) is not opening:
                self.further[key].append(opening)
            since = self._since.get(opening.member_id, opening.effective_at)
            self._since[opening.member_id] = min(since, opening.effective_at)
        self.missing: dict[int, set[MissingList]] = {}
        self._first = {member.pk: self._first_ratings(member) for member in members}

    def _first_ratings(self, member: Any) -> dict[Category, FirstRatingGiven]:
        if member.fide_id is None or member.first_day is None:
            return {}
        if not any(self._by_3_4(member.pk, category) for category in Category):
            return {}
        day = member.first_day.date()
        numbers: dict[str, Points | None] = {}
        lists: dict[str, FideList] = {}
        missing = set()
        for control in FideControl:
            of_day = self.said.imported.by(control, day)
            if of_day is None:
                missing.add(MissingList(day.replace(day=1), "", ""))
            elif (one := self.said.missing(member.fide_id, control, of_day.period)) is not None:
                missing.add(one)
            else:
                said = self.said.of(member.fide_id, control, of_day.period)
                numbers[control.value], lists[control.value] = (said[0] if said else None), of_day
        if missing:
            self.missing[member.pk] = missing
            return {}
        found = ((category, first_rating_from_lists(category, numbers)) for category in Category)
        return {
            category: FirstRatingGiven(category, one[1], member.first_day, lists[one[0]], FideControl(one[0]))
            for category, one in found
            if one is not None
        }

    def first_ratings(self, member: Any, *, at: datetime) -> dict[Category, FirstRatingGiven]:
        """RBB 3.4: return a member's first ratings at this moment, except where one was entered by hand.

        It "must be used", so what 3.6 gave in the meantime doesn't count. If the list of the first day isn't
        known, the member is in ``missing``.
        """
        if member.first_day is None or member.first_day > at:
            return {}
        return {
            category: one
            for category, one in self._first[member.pk].items()
            if self._by_3_4(member.pk, category)
        }

    def _by_3_4(self, member: int, category: Category) -> bool:
        """Return True if the first rating in this category is that of 3.4, not one entered by hand."""
        return (member, category) not in self.by_hand

    def contains(self, member: int, category: Category, period: date) -> bool:
        """RBB 3.15: return True if a member's first rating is from the list of this month or a later one."""
        if not self._by_3_4(member, category):
            return False
        if member in self.missing:
            # Until that is known, the stored one counts.
            stored: Any = self.stored.get((member, category))
            return stored is not None and stored.first_rating.fide_list.period >= period
        first = self._first[member].get(category)
        return first is not None and first.fide_list.period >= period

    def lists_missing(self, member: Any, months: Iterable[Month]) -> set[MissingList]:
        """Return lists that may decide a rating of the member, and whose ratings of them aren't known.

        They are those of the first day (RBB 3.4), and of months announced since the member's ratings began
        (3.15).
        """
        missing = set(self.missing.get(member.pk, ()))
        since = self._since.get(member.pk)
        if member.fide_id is None or since is None:
            return missing
        for month in months:
            for name in LISTS_OF_CHANGES.values() if month.of_lists and month.at >= since else ():
                period, control = month.announcement.period, FideControl(name)
                for one in (month_before(period), period):
                    if (unknown := self.said.missing(member.fide_id, control, one)) is not None:
                        missing.add(unknown)
        return missing

    def knows_change(self, member: Any, category: Category, period: date) -> bool:
        """RBB 3.15: return True if it is known what the lists of a month say about a member's change."""
        control = FideControl(LISTS_OF_CHANGES[category])
        return member.fide_id is None or all(
            self.said.of(member.fide_id, control, month) is not None
            for month in (month_before(period), period)
        )

    def changes(self, months: Sequence[Month]) -> Iterator[AnnouncedDifference]:
        """RBB 3.15: yield the changes of these months from lists, even if first ratings contain them."""
        for member in self.members:
            if member.fide_id is None:
                continue
            for month in months:
                yield from self._changes(member, month)

    def _changes(self, member: Any, month: Month) -> Iterator[AnnouncedDifference]:
        period = month.announcement.period
        for category, name in LISTS_OF_CHANGES.items():
            control = FideControl(name)
            before = self.said.of(member.fide_id, control, month_before(period))
            now = self.said.of(member.fide_id, control, period)
            if before is None or now is None:
                continue
            (previous, _games), (new, games) = before, now
            amount = over_the_board_change(previous, new, games)
            if amount:
                yield AnnouncedDifference(member, category, period, amount, month.at, previous, new, games)


def given(members: QuerySet[Member]) -> Iterator[Given]:
    """Yield the entitlements of these members in batches."""
    imported = Imported()
    rows = with_first_day(members).iterator(chunk_size=AT_ONCE)
    while some := list(islice(rows, AT_ONCE)):
        yield Given(some, imported)


def missing_lists(members: QuerySet[Member]) -> Iterator[tuple[Any, MissingList]]:
    """Yield each of these members with every list that is still needed to know their ratings."""
    months = announced_months().values()
    for some in given(members):
        for member in some.members:
            yield from ((member, one) for one in sorted(some.lists_missing(member, months)))


def of_the_lists() -> QuerySet[Member]:
    """Return members about whom lists may say something, or of whom something from a list is stored."""
    adjusted = OtbAdjustment.objects.filter(member=OuterRef("pk"), announced__isnull=False)
    opened = OpeningRating.objects.filter(member=OuterRef("pk"), first_rating__isnull=False)
    return Member.objects.filter(withdrawn_at=None).filter(
        Q(fide_id__isnull=False)
        | Q(first_rating_determination__isnull=False)
        | Exists(adjusted)
        | Exists(opened)
    )


def first_rating_of(opening: Any) -> FirstRatingGiven:
    """Convert a stored opening from a list to a first rating."""
    source = opening.first_rating
    return FirstRatingGiven(
        opening.category,
        to_hundredths(opening.rating),
        opening.effective_at,
        source.fide_list,
        FideControl(source.control),
    )


def published_points(rating: int | None) -> Points | None:
    """Convert a stored rating to the type of the rules."""
    return None if rating is None else Points(rating)


def change_of(adjustment: Any, at: datetime | None = None) -> AnnouncedDifference:
    """Convert a stored adjustment of an announcement to a change."""
    made = adjustment.announced
    return AnnouncedDifference(
        adjustment.member,
        adjustment.category,
        adjustment.period,
        to_hundredths(adjustment.change),
        at or adjustment.effective_at,
        published_points(made.previous),
        published_points(made.new),
        made.games,
    )
