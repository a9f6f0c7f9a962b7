"""The table of members."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from foa.text import NOTHING
from foa.web.columns import NumberColumn
from foa.web.listing import OfficeTable
from members.columns import FederationCodeColumn, named
from members.models import Member
from ratings.rules.time_controls import Category


class RatingColumn(NumberColumn):
    """Displayed rating in a category (RBB 3.12); reads prefetched ``ratings``."""

    def __init__(self, category: Category, label: object) -> None:
        super().__init__(verbose_name=label, empty_values=())
        self.category = category

    def render(self, record: Member) -> int | str:
        rows = record.ratings.all()
        shown: int | None = next((row.displayed for row in rows if row.category == self.category), None)
        return NOTHING if shown is None else shown


class MemberTable(OfficeTable):
    phone = ("name", "rapid", "blitz", "bullet")
    sizes = "members"

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
