"""The table of members."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django_tables2 import Column, TemplateColumn

from foa.web.columns import NumberColumn
from foa.web.listing import OfficeTable
from members.models import Member

_NUMBER = {"td": {"class": "number"}, "th": {"class": "number"}}


def _rating_column(slug: str, label: object) -> TemplateColumn:
    """The displayed rating of a category. How ratings look is the business of their own templates."""
    return TemplateColumn(
        template_name="ratings/_displayed_in.html",
        extra_context={"slug": slug},
        verbose_name=label,
        attrs=_NUMBER,
    )


class MemberTable(OfficeTable):
    title = Column(verbose_name=_("Title"), default="")
    name = Column(
        verbose_name=_("Name"), linkify=True, orderable=True, order_by=("name", "username"), empty_values=()
    )
    username = Column(verbose_name=_("Username"), orderable=True)
    federation = Column(
        verbose_name=_("Federation"), orderable=True, order_by=("federation", "name", "username")
    )
    fide_id = NumberColumn(verbose_name=_("FIDE ID"))
    rapid = _rating_column("rapid", _("Rapid"))
    blitz = _rating_column("blitz", _("Blitz"))
    bullet = _rating_column("bullet", _("Bullet"))

    def render_name(self, record: Member) -> str:
        """The username where no name is known."""
        return str(record)
