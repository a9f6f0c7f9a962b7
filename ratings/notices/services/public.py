"""News for everybody: rating lists, months in review and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from django.db.models import Min
from django.urls import reverse
from django.utils.translation import gettext

from foa.text import month_text
from ratings.office.models import ChangeSet, PublicReason
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models import RatingList

_MONTHS: Final = 4
_DECISIONS: Final = 30


class Told(NamedTuple):
    """A public piece of news: when (UTC), what, and the reason and number if somebody decided it."""

    at: datetime
    title: str
    address: str
    why: str = ""
    number: str = ""

    @property
    def words(self) -> tuple[str, str]:
        """The title without its number, and the reason: equal if the page shows decisions together."""
        return self.title.removeprefix(self.number), self.why


def public_news() -> list[Told]:
    """Return the latest lists, months and decisions, latest first.

    The register names nobody suspected of foul play, and nobody who decided.
    """
    monthly = RatingList.objects.monthly()
    months = list(
        monthly.order_by("-month").values_list("month").annotate(first=Min("published_at"))[:_MONTHS]
    )
    lists = monthly.filter(month__in=[begins for begins, _at in months]).order_by(
        "-month", "revision", "category"
    )
    told = [_lists(list(some)) for _key, some in groupby(lists, attrgetter("month", "revision"))]
    told += [_month(begins, at) for begins, at in months]
    told += [
        _decision(one, one.applied_at) for one in ChangeSet.objects.public()[:_DECISIONS] if one.applied_at
    ]
    return sorted(told, key=attrgetter("at"), reverse=True)


def _decision(one: ChangeSet, at: datetime) -> Told:
    """Return the news of a decision. The reasons “Routine” and “Other” tell nobody anything."""
    says_nothing = one.public_reason in (PublicReason.ROUTINE, PublicReason.OTHER)
    why = one.public_text if says_nothing else str(one.public_why)
    return Told(at, str(one), one.get_absolute_url(), why, f"#{one.pk}")


def _lists(lists: Sequence[RatingList]) -> Told:
    """Return the news of a month's lists of one revision."""
    first = lists[0]
    words = {
        "month": month_text(first.month) if first.month else "",
        "revision": first.revision,
        "categories": ", ".join(str(CATEGORY_NAMES[one.category]) for one in lists),
    }
    if first.revision == 1:
        title = gettext("%(month)s lists: %(categories)s") % words
    else:
        title = gettext("%(month)s lists, revision %(revision)d: %(categories)s") % words
    return Told(max(one.published_at for one in lists), title, first.get_absolute_url())


def _month(begins: date, at: datetime) -> Told:
    """Return the news that the month before a list is in review, which comes with the list."""
    month = (begins - timedelta(days=1)).replace(day=1)
    title = gettext("%(month)s in review") % {"month": month_text(month)}
    return Told(at, title, reverse("ratings:month", args=(month,)))
