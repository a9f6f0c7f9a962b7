"""Audit of first ratings (RBB 3.4) and over-the-board changes (3.15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.db.models.functions import TruncMonth
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import signed, utc_text
from ratings.fide.decisions.first_ratings import name_of_list
from ratings.fide.models import FirstRating
from ratings.fide.services.entitlements import (
    AnnouncedDifference,
    FirstRatingGiven,
    given,
    missing_lists,
    of_the_lists,
)
from ratings.fide.services.first_ratings import waiting
from ratings.fide.services.watch import watched
from ratings.office.audit import Finding, audited
from ratings.rbb.models import OtbAdjustment
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category

_AT_ONCE = 1_000

CHECKS: Final = ("first-ratings", "announced-changes", "fide-lists-missing", "fide-ratings-undecided")
"""Checks that the worker runs every hour, because corrected FIDE IDs and first days need action."""


@audited("first-ratings", "RBB 3.4", _("First ratings that differ from the FIDE lists"))
def first_ratings() -> Iterator[Finding]:
    """Yield first ratings that differ from those of the list in force on the first day of membership."""
    for member, openings, _changes, _recorded in watched(at=timezone.now()):
        for one in openings:
            words = {
                "member": member.username,
                "category": one.category.slug,
                "stored": _rating(one.was),
                "given": _rating(one.wanted),
            }
            if one.was is None:
                text = gettext_noop(
                    "%(member)s, %(category)s: no first rating. By the FIDE lists, it should be %(given)s."
                )
            elif one.wanted is None:
                text = gettext_noop(
                    "%(member)s, %(category)s: first rating %(stored)s. By the FIDE lists, there should "
                    "be none."
                )
            else:
                text = gettext_noop(
                    "%(member)s, %(category)s: first rating %(stored)s. By the FIDE lists, it should be "
                    "%(given)s."
                )
            yield _finding(f"member {member.pk} {one.category.slug}", text, words, member)


@audited("first-ratings-waiting", "RBB 3.4", _("First ratings not yet determined"))
def first_ratings_waiting() -> Iterator[Finding]:
    """Yield first ratings that the lists give, and that nobody has given the member yet."""
    now = timezone.now()
    text = gettext_noop("%(member)s, %(category)s: the first rating of %(given)s hasn’t been applied yet.")
    for some in given(waiting(at=now)):
        for member in some.members:
            if member.pk in some.missing:
                continue
            for category, one in some.first_ratings(member, at=now).items():
                yield Finding(
                    f"member {member.pk} {category.slug}",
                    text,
                    {"member": member.username, "category": category.slug, "given": _rating(one)},
                    member.get_absolute_url(),
                    ("first-ratings", {"member": [str(member.pk)]}),
                )


@audited("announced-changes", "RBB 3.15", _("Over-the-board changes that differ from the announced lists"))
def announced_changes() -> Iterator[Finding]:
    """Yield changes of announced months that differ from what their lists give."""
    for member, _openings, changes, _recorded in watched(at=timezone.now()):
        for one in changes:
            words = {
                "member": member.username,
                "category": one.category.slug,
                "month": f"{one.period:%Y-%m}",
                "stored": _change(one.was),
                "given": _change(one.wanted),
            }
            if one.was is None:
                text = gettext_noop(
                    "%(member)s, %(category)s, %(month)s: no change. By the FIDE lists, it should be "
                    "%(given)s."
                )
            elif one.wanted is None:
                text = gettext_noop(
                    "%(member)s, %(category)s, %(month)s: change %(stored)s. By the FIDE lists, there "
                    "should be none."
                )
            else:
                text = gettext_noop(
                    "%(member)s, %(category)s, %(month)s: change %(stored)s. By the FIDE lists, it "
                    "should be %(given)s."
                )
            yield _finding(f"member {member.pk} {one.category.slug} {words['month']}", text, words, member)


@audited(
    "first-ratings-not-determined",
    "RBB 3.4",
    _("First ratings with no record of how they were determined (RBB 3.4)"),
)
def first_ratings_not_determined() -> Iterator[Finding]:
    """Yield openings from a list whose member has no determination."""
    without = FirstRating.objects.filter(opening__member__first_rating_determination__isnull=True)
    text = gettext_noop("%(member)s has first ratings, but there’s no record of how they were determined.")
    members = without.values_list("opening__member", "opening__member__username").distinct()
    for pk, username in members.order_by("opening__member").iterator(_AT_ONCE):
        yield Finding(
            f"member {pk}",
            text,
            {"member": username},
            reverse("ratings:profile", args=(pk,)),
            ("redetermine-first-ratings", {"member": [str(pk)]}),
        )


@audited("fide-lists-missing", "RBB 3.4", _("FIDE lists whose files are missing"))
def fide_lists_missing() -> Iterator[Finding]:
    """Yield members whose ratings depend on a list whose file isn't kept.

    It isn't known what the list says about them.
    """
    text = gettext_noop("%(member)s: %(list)s is missing. Import its file again.")
    for member, one in missing_lists(of_the_lists()):
        if one.sha256 and not one.fide_id and not one.is_kept:
            words = {"member": member.username, "list": name_of_list(one)}
            key = f"member {member.pk} {one.period:%Y-%m} {one.control}".strip()
            yield Finding(key, text, words, member.get_absolute_url())


@audited("fide-ratings-undecided", "RBB 3.4", _("FIDE lists with several ratings for one member"))
def fide_ratings_undecided() -> Iterator[Finding]:
    """Yield members to whom a list that decides their ratings gives several, none of which was chosen."""
    text = gettext_noop("%(member)s: %(list)s has several ratings for FIDE ID %(fide_id)s: choose one.")
    for member, one in missing_lists(of_the_lists()):
        if one.fide_id:
            words = {"member": member.username, "list": name_of_list(one), "fide_id": str(one.fide_id)}
            key = f"member {member.pk} {one.period:%Y-%m} {one.control}".strip()
            address = f"{reverse('admin:fide_doublerating_changelist')}?{urlencode({'q': one.fide_id})}"
            yield Finding(key, text, words, address)


@audited("changes-twice-in-a-month", "RBB 3.15", _("Over-the-board changes added twice for one month"))
def changes_twice_in_a_month() -> Iterator[Finding]:
    """Yield second adjustments of a month. The database refuses them, unless its constraint was removed."""
    months = OtbAdjustment.objects.order_by().annotate(month=TruncMonth("period"))
    twice = (
        months.values_list("member", "member__username", "category", "month")
        .annotate(number=Count("pk"), first=Min("pk"))
        .filter(number__gt=1)
        .order_by("month", "member", "category")
    )
    text = gettext_noop("%(member)s, %(category)s, %(month)s: more than one change (%(number)s).")
    for member, username, category, month, number, first in twice.iterator(_AT_ONCE):
        slug = Category(category).slug
        words = {
            "member": username,
            "category": slug,
            "month": f"{month:%Y-%m}",
            "number": str(number),
        }
        later = OtbAdjustment.objects.filter(
            member=member, category=category, period__year=month.year, period__month=month.month, pk__gt=first
        )
        yield Finding(
            f"member {member} {slug} {month:%Y-%m}",
            text,
            words,
            reverse("ratings:profile", args=(member,)),
            ("delete-adjustments", {"otbadjustment": [str(one.pk) for one in later.order_by("pk")]}),
        )


def _finding(key: str, text: str, words: Mapping[str, str], member: Any) -> Finding:
    mends = ("redetermine-first-ratings", {"member": [str(member.pk)]})
    return Finding(key, text, words, member.get_absolute_url(), mends)


def _rating(first: FirstRatingGiven | None) -> str:
    return "" if first is None else f"{from_hundredths(first.rating)} ({first.source})"


def _change(change: AnnouncedDifference | None) -> str:
    if change is None:
        return ""
    return f"{signed(from_hundredths(change.amount))} ({utc_text(change.at)})"
