"""The table of members, and table columns for their titles and federations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from foa.text import NOTHING
from foa.web.columns import NumberColumn
from foa.web.listing import OfficeTable
from members.exporting import MEMBERS
from members.flags import badge, federation_code, flag
from members.models import Member
from ratings.rules.time_controls import Category

# django_tables2 has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


def named(who: object, title: str, code: str) -> SafeString:
    """Return a name with flag and title before it, as everywhere on the site."""
    return format_html("{} {} {}", flag(code), badge(title), who) if code or title else format_html("{}", who)


def player(member: Any, address: str = "") -> SafeString:
    """Return a member's name with flag and title before it, linked to their profile or another address."""
    address = address or member.get_absolute_url()
    return _player(str(member), member.title, member.federation, address, get_language() or "")


# A page of games names its players again and again.
@lru_cache(1000)
def _player(name: str, title: str, code: str, address: str, _language: str) -> SafeString:
    return named(format_html('<a href="{}">{}</a>', address, name), title, code)


class FederationCodeColumn(Column):  # type: ignore[misc]
    """Federation by code, for tables with the flag beside the member's name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"verbose_name": _("Federation"), **kwargs})

    def render(self, value: str) -> SafeString:
        return federation_code(value)


class RatingColumn(NumberColumn):
    """Displayed rating in a category (RBB 3.12); reads prefetched ``ratings``, sorts ``with_ratings``."""

    def __init__(self, category: Category, label: object) -> None:
        order = (f"in_{category.slug}__rating",)
        super().__init__(verbose_name=label, empty_values=(), orderable=True, order_by=order)
        self.category = category

    def render(self, record: Member) -> int | str:
        rows = record.ratings.all()
        shown: int | None = next((row.displayed for row in rows if row.category == self.category), None)
        return NOTHING if shown is None else shown


class MemberTable(OfficeTable):
    in_files = MEMBERS
    phone = ("name", "rapid", "blitz", "bullet")

    name = Column(
        verbose_name=_("Name"),
        linkify=True,
        orderable=True,
        order_by=("name", "username"),
        empty_values=(),
        attrs={"td": {"class": "name"}, "th": {"class": "name"}},
    )
    username = Column(verbose_name=_("Username"), orderable=True)
    federation = FederationCodeColumn(orderable=True, order_by=("federation", "name", "username"))
    fide_id = NumberColumn(verbose_name=_("FIDE ID"))
    rapid = RatingColumn(Category.RAPID, _("Rapid"))
    blitz = RatingColumn(Category.BLITZ, _("Blitz"))
    bullet = RatingColumn(Category.BULLET, _("Bullet"))

    def render_name(self, record: Member) -> SafeString:
        """Return title, flag and name, or the username if the name isn't known."""
        return named(record, record.title, record.federation)
