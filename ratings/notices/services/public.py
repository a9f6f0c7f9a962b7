"""News for everybody: rating lists, months in review and decisions."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Final, NamedTuple

from django.db.models import Min
from django.urls import reverse
from django.utils.translation import gettext

from foa.text import month_text
from ratings.office.models import ChangeSet
from ratings.rbb.models import RatingList

_LISTS: Final = 12
_MONTHS: Final = 4
_DECISIONS: Final = 30


class Told(NamedTuple):
    """A public piece of news: when (UTC), what, and the reason if somebody decided it."""

    at: datetime
    title: str
    address: str
    why: str = ""


def public_news() -> list[Told]:
    """Return the latest lists, months and decisions, latest first.

    The register names nobody suspected of foul play, and nobody who decided.
    """
    monthly = RatingList.objects.monthly()
    told = [
        Told(one.published_at, gettext("New rating list: %(list)s") % {"list": one}, one.get_absolute_url())
        for one in monthly.order_by("-published_at", "category")[:_LISTS]
    ]
    months = monthly.order_by("-month").values_list("month").annotate(first=Min("published_at"))
    told += [_month(begins, at) for begins, at in months[:_MONTHS]]
    told += [
        Told(one.applied_at, str(one), one.get_absolute_url(), str(one.public_why))
        for one in ChangeSet.objects.public()[:_DECISIONS]
        if one.applied_at is not None
    ]
    return sorted(told, key=attrgetter("at"), reverse=True)


def _month(begins: date, at: datetime) -> Told:
    """Return the news that the month before a list is in review, which comes with the list."""
    month = (begins - timedelta(days=1)).replace(day=1)
    title = gettext("%(month)s in review") % {"month": month_text(month)}
    return Told(at, title, reverse("ratings:month", args=(month,)))
