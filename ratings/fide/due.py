"""What FIDE's lists ask of the office: import, announce, and give first ratings (RBB 3.4, 3.15)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from foa.moments import beginning_of, first_days
from foa.text import month_text
from ratings.fide.models import Announcement
from ratings.fide.services.changes import NotAnnounced, require_lists
from ratings.fide.services.first_ratings import waiting
from ratings.fide.services.lists import in_force
from ratings.office.due import Dated, Due, finds_dates, finds_due


@finds_due("fide.import_fidelist")
def lists_to_import(user: Any, now: datetime) -> Iterator[Due]:
    """The list of this month, as long as one of its controls was not imported."""
    month = now.astimezone(UTC).date().replace(day=1)
    if all(listed is not None and listed.period >= month for listed in in_force().values()):
        return
    text = gettext("FIDE rating list of %(month)s") % {"month": month_text(month)}
    yield Due(
        text=text,
        button=gettext("Import"),
        link=reverse("admin:fide_fidelist_import"),
        at=beginning_of(month),
    )


@finds_due("fide.announce_fidelist")
def months_to_announce(user: Any, now: datetime) -> Iterator[Due]:
    """RBB 3.15: the latest month whose lists are here, unless it was announced."""
    month = max((listed.period for listed in in_force().values() if listed), default=None)
    if month is None or Announcement.objects.filter(period__gte=month).exists():
        return
    try:
        require_lists(month, "default")
    except NotAnnounced:
        return
    text = gettext("Over-the-board changes of the FIDE list of %(month)s") % {"month": month_text(month)}
    link = f"{reverse('admin:fide_fidelist_announce')}?{urlencode({'period': f'{month:%Y-%m}'})}"
    yield Due(text=text, button=gettext("Announce"), link=link, at=beginning_of(month))


@finds_due("ratings.add_openingrating")
def first_ratings(user: Any, now: datetime) -> Iterator[Due]:
    """RBB 3.4: how many members wait for their first ratings, since the first of them."""
    members = waiting(at=now)
    if number := members.count():
        text = ngettext(
            "%d member waits for first ratings (RBB 3.4)",
            "%d members wait for first ratings (RBB 3.4)",
            number,
        )
        first = members.order_by("first_day").values_list("first_day", flat=True).first()
        link = reverse("admin:fide_fidelist_waiting")
        yield Due(text=text % number, button=gettext("Give first ratings"), link=link, at=first)


@finds_dates
def list_days(first: date, last: date) -> Iterator[Dated]:
    """FIDE publishes its lists on the first day of the month."""
    for day in first_days(first, last):
        text = gettext("FIDE rating list of %(month)s") % {"month": month_text(day)}
        yield Dated(day=day, key="fide-list", text=text, link=reverse("fide:lists"))
