"""Months to publish (RBB 1.4), published lists that corrections have changed, accounts that open again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from foa.moments import first_days
from foa.text import month_text
from members.models import AccountClosure
from ratings.labels import CATEGORY_NAMES, CATEGORY_WORDS
from ratings.models import RatingList
from ratings.office.due import Dated, Due, finds_dates, finds_due
from ratings.rules.time_controls import Category
from ratings.services.lists.differences import difference
from ratings.services.lists.publishing import due_months

_AHEAD: Final = timedelta(days=14)


@finds_due("ratings.publish_ratinglist")
def months(user: Any, now: datetime) -> Iterator[Due]:
    """Months whose list is not yet published, with the categories that lack one."""
    lacking: dict[datetime, list[Category]] = {}
    for category in Category:
        for month in due_months(category=category, at=now):
            lacking.setdefault(month, []).append(category)
    for month, categories in sorted(lacking.items()):
        named = {
            "month": month_text(month),
            "categories": ", ".join(str(CATEGORY_WORDS[category]) for category in categories),
        }
        yield Due(
            text=gettext("Rating lists of %(month)s: %(categories)s") % named,
            button=gettext("Publish"),
            link=_publish(month, categories),
            at=month,
        )


@finds_due("ratings.publish_ratinglist")
def changed_lists(user: Any, now: datetime) -> Iterator[Due]:
    """The list in force of each category, if a correction changed it; how many older ones one reaches."""
    agreeing = set(RatingList.objects.agreeing().values_list("pk", flat=True))
    older = 0
    for category in Category:
        by_month: dict[date | None, RatingList] = {}
        for published in RatingList.objects.of(category):
            by_month.setdefault(published.month, published)
        touched = [one for one in by_month.values() if one.pk not in agreeing]
        latest = next(iter(by_month.values()), None)
        older += sum(one is not latest for one in touched)
        if latest is not None and latest in touched and (found := difference(latest)):
            yield _changed(latest, found.members, found.since.at)
    if older:
        text = ngettext("A correction reaches %d older list", "Corrections reach %d older lists", older)
        link = reverse("admin:ratings_ratinglist_changelist")
        yield Due(text=text % older, button=gettext("Look through"), link=link)


def _changed(published: RatingList, members: int, since: datetime) -> Due:
    month = published.as_of
    text = ngettext(
        "%(lines)d line of the %(month)s list has changed: %(category)s",
        "%(lines)d lines of the %(month)s list have changed: %(category)s",
        members,
    ) % {
        "lines": members,
        "month": month_text(month),
        "category": CATEGORY_NAMES[published.category],
    }
    return Due(
        text=text,
        button=gettext("Revise"),
        link=f"{_publish(month, [published.category])}&revise=on",
        at=since,
    )


def _publish(month: datetime, categories: list[Category]) -> str:
    asked = {"month": f"{month:%Y-%m}", "category": [category.slug for category in categories]}
    return f"{reverse('admin:ratings_ratinglist_publish')}?{urlencode(asked, doseq=True)}"


@finds_due("members.view_accountclosure")
def closures_that_end(user: Any, now: datetime) -> Iterator[Due]:
    """Accounts that open again within a fortnight, so that their appeals and cases are finished by then."""
    ending = AccountClosure.objects.filter(closed_until__gt=now, closed_until__lte=now + _AHEAD)
    for closure in ending.select_related("member").order_by("closed_until", "pk"):
        yield Due(
            text=gettext("The closed account of %(member)s opens again") % {"member": closure.member},
            button=gettext("Look"),
            link=reverse("admin:members_accountclosure_change", args=(closure.pk,)),
            at=closure.closed_until,
        )


@finds_dates
def list_days(first: date, last: date) -> Iterator[Dated]:
    """RBB 1.4: the monthly lists show the state on the first day of the month."""
    for day in first_days(first, last):
        yield Dated(
            day=day,
            key="lists",
            text=gettext("Rating lists of %(month)s") % {"month": month_text(day)},
            link=reverse("ratings:lists"),
        )
