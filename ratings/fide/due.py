"""Tasks from FIDE's lists that are due: import, announce, and give first ratings (RBB 3.4, 3.15)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of, first_days
from foa.text import date_text, month_text, utc
from members.models import Member
from ratings.fide.audit import CHECKS
from ratings.fide.decisions.first_ratings import name_of_list
from ratings.fide.models import Announcement, DoubleRating
from ratings.fide.services.announcing import NotAnnounced, require_lists
from ratings.fide.services.entitlements import MissingList, given, missing_lists, of_the_lists
from ratings.fide.services.first_ratings import waiting
from ratings.fide.services.lists import in_force
from ratings.fide.services.watch import watched
from ratings.office.due import ClosingStep, Dated, Due, Looked, finds_dates, finds_due, looks_at
from ratings.office.models import AuditFinding, ChangeSet

_MOST: Final = 10_000
"""Maximum number of findings read."""


@finds_due(_("FIDE rating lists"), "fide.import_fidelist", step=ClosingStep.FIDE_LIST)
def lists_to_import(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the lists for which members wait, and this month's while one of its controls is missing.

    Also yield lists in which somebody must choose one of several ratings.
    """
    missing = Counter(one for _member, one in missing_lists(_concerned(now)))
    for one, number in sorted(missing.items()):
        if not one.is_kept and not one.fide_id:
            text = ngettext(
                "Import the %(list)s (%(number)d member waiting)",
                "Import the %(list)s (%(number)d members waiting)",
                number,
            ) % {"list": name_of_list(one), "number": number}
            asked = urlencode({"month": f"{one.period:%Y-%m}", "control": one.control})
            link = f"{reverse('admin:fide_fidelist_import')}?{asked}"
            yield Due(text=text, button=gettext("Import"), link=link, at=beginning_of(one.period))
    yield from _ratings_to_choose(missing)
    month = now.astimezone(UTC).date().replace(day=1)
    if MissingList(month, "", "") in missing:
        return
    if all(listed is not None and listed.period >= month for listed in in_force().values()):
        return
    text = gettext("%(month)s FIDE rating list") % {"month": month_text(month)}
    yield Due(
        text=text,
        button=gettext("Import"),
        link=reverse("admin:fide_fidelist_import"),
        at=beginning_of(month),
    )


def _ratings_to_choose(missing: Collection[MissingList]) -> Iterator[Due]:
    """Yield lists with several ratings of a FIDE ID: those in force, or those for which members wait."""
    rows = DoubleRating.objects.undecided()
    numbers: dict[tuple[date, str], set[int]] = defaultdict(set)
    for control, listed in in_force().items():
        if listed is not None:
            some = rows.filter(fide_list=listed, control=control.value)
            numbers[listed.period, listed.control] |= set(some.values_list("fide_id", flat=True))
    for one in missing:
        if one.fide_id:
            numbers[one.period, one.control].add(one.fide_id)
    link = f"{reverse('admin:fide_doublerating_changelist')}?{urlencode({'undecided': 'yes'})}"
    for (period, control_name), found in sorted(numbers.items()):
        if found:
            words = {"list": name_of_list(MissingList(period, control_name, "")), "number": len(found)}
            text = ngettext(
                "%(list)s: %(number)d FIDE ID has several ratings, and none of them counts",
                "%(list)s: %(number)d FIDE IDs have several ratings, and none of them counts",
                len(found),
            )
            yield Due(
                text=text % words,
                button=gettext("Choose"),
                link=link,
                at=beginning_of(period),
                key=f"double ratings {period} {control_name}",
            )


@finds_due(_("FIDE rating lists"), "fide.announce_fidelist", step=ClosingStep.ANNOUNCED)
def months_to_announce(user: Any, now: datetime) -> Iterator[Due]:
    """RBB 3.15: yield the latest month with both lists, unless it was announced."""
    month = max((listed.period for listed in in_force().values() if listed), default=None)
    if month is None or Announcement.objects.filter(period__gte=month).exists():
        return
    try:
        require_lists(month)
    except NotAnnounced:
        return
    text = gettext("Over-the-board changes of the %(month)s FIDE list") % {"month": month_text(month)}
    link = f"{reverse('admin:fide_fidelist_announce')}?{urlencode({'period': f'{month:%Y-%m}'})}"
    yield Due(text=text, button=gettext("Announce"), link=link, at=beginning_of(month))


@finds_due(_("First ratings"), "ratings.add_openingrating", step=ClosingStep.FIRST_RATINGS)
def first_ratings(user: Any, now: datetime) -> Iterator[Due]:
    """RBB 3.4: yield the number of members who can be given first ratings, due since the first of them."""
    days = [
        member.first_day
        for some in given(waiting(at=now))
        for member in some.members
        if member.pk not in some.missing
    ]
    if days:
        text = ngettext(
            "%d member is waiting for first ratings (RBB 3.4)",
            "%d members are waiting for first ratings (RBB 3.4)",
            len(days),
        )
        link = reverse("admin:fide_fidelist_waiting")
        yield Due(text=text % len(days), button=gettext("Determine first ratings"), link=link, at=min(days))


@finds_due(_("First ratings"), "ratings.change_openingrating")
def differing(user: Any, now: datetime) -> Iterator[Due]:
    """RBB 3.4, 3.15: yield the number of members whose figures differ from what the lists give."""
    if number := sum(1 for _one in watched(at=now, members=_concerned(now))):
        text = ngettext(
            "%d member’s ratings differ from the FIDE lists (RBB 3.4, 3.15)",
            "%d members’ ratings differ from the FIDE lists (RBB 3.4, 3.15)",
            number,
        )
        link = reverse("admin:fide_fidelist_watch")
        yield Due(text=text % number, button=gettext("First-rating check"), link=link)


@looks_at(ClosingStep.FIDE_LIST)
def lists_imported(month: datetime, now: datetime) -> Looked:
    """Name the lists in force."""
    lists = {listed.pk: listed for listed in in_force().values() if listed is not None}
    if not lists:
        return Looked(False, gettext("No FIDE rating list has been imported."))
    named = [
        gettext("%(list)s, imported %(at)s")
        % {
            "list": name_of_list(MissingList(listed.period, listed.control, "")),
            "at": utc(listed.imported_at),
        }
        for listed in lists.values()
    ]
    is_done = all(listed.period >= month.date() for listed in lists.values())
    return Looked(is_done, "; ".join(named))


@looks_at(ClosingStep.ANNOUNCED)
def announced(month: datetime, now: datetime) -> Looked:
    """Name the last announcement."""
    last = Announcement.objects.order_by("-period").first()
    if last is None:
        return Looked(False, gettext("No FIDE list has been announced, and none is ready to announce."))
    words = {"month": month_text(last.period), "at": utc(last.announced_at), "number": last.count}
    text = ngettext(
        "%(month)s FIDE list announced %(at)s: %(number)d adjustment.",
        "%(month)s FIDE list announced %(at)s: %(number)d adjustments.",
        last.count,
    )
    return Looked(last.period >= month.date(), text % words)


@looks_at(ClosingStep.FIRST_RATINGS)
def first_ratings_given(month: datetime, now: datetime) -> Looked:
    """Say how many decisions gave first ratings since the month began."""
    number = ChangeSet.objects.applied().filter(kind="first-ratings", applied_at__gte=month).count()
    text = ngettext(
        "First ratings determined by %(number)d decision since %(day)s; nobody was waiting at %(at)s.",
        "First ratings determined by %(number)d decisions since %(day)s; nobody was waiting at %(at)s.",
        number,
    )
    return Looked(number > 0, text % {"number": number, "day": date_text(month), "at": utc(now)})


def _concerned(now: datetime) -> QuerySet[Member]:
    """Return members who wait for first ratings, and those found by the last check of ratings.

    Checking everybody would take too long for a page; the worker does so every hour.
    """
    found = AuditFinding.objects.filter(check_name__in=CHECKS, is_there=True).open()
    keys = {int(key.split()[1]) for key in found.values_list("key", flat=True)[:_MOST]}
    return of_the_lists().filter(Q(pk__in=keys) | Q(pk__in=waiting(at=now).values("pk")))


@finds_dates
def list_days(first: date, last: date) -> Iterator[Dated]:
    """Yield the first day of each month, when FIDE publishes its lists."""
    for day in first_days(first, last):
        text = gettext("%(month)s FIDE rating list") % {"month": month_text(day)}
        heading = gettext("FIDE list")
        yield Dated(day=day, key="fide-list", heading=heading, text=text, link=reverse("fide:lists"))
