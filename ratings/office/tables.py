"""Tables of the register."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from foa.text import points
from foa.web.columns import MomentColumn, NumberColumn
from foa.web.listing import OfficeTable
from ratings.office.decision_types import DecisionType
from ratings.office.models import ChangeSet, MovedRating
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths


class RegisterTable(OfficeTable):
    """The decisions of the office, latest first."""

    phone = ("decision", "moved")
    sizes = "entries"

    applied_at = MomentColumn(verbose_name=_("When (UTC)"))
    decision = Column(verbose_name=_("Decision"), accessor="pk", linkify=True)
    why = Column(verbose_name=_("Reason"), accessor="public_why")
    moved = NumberColumn(verbose_name=_("Ratings moved"))
    largest = NumberColumn(verbose_name=_("Largest move"))

    def render_decision(self, record: ChangeSet) -> str:
        """Show the heading, without names."""
        return str(record)

    def render_largest(self, value: int) -> str:
        """Show the value in points."""
        return points(from_hundredths(Hundredths(value)))


class MovedTable(OfficeTable):
    """The ratings that a change set moved, largest move first. ``names``: names and pages of the subjects."""

    kind: DecisionType
    names: Mapping[int, tuple[str, str]] = {}
    phone = ("subject", "scale", "change")
    sizes = "changes"

    subject = Column(verbose_name=_("Member"))
    scale = Column(verbose_name=_("Category"))
    before = NumberColumn(verbose_name=_("Before"), empty_values=())
    after = NumberColumn(verbose_name=_("After"), empty_values=())
    change = NumberColumn(verbose_name=_("Change"), empty_values=())

    def render_subject(self, value: int) -> SafeString | str:
        """Link to the page of the subject, if it has one."""
        name, address = self.names[value]
        return format_html('<a href="{}">{}</a>', address, name) if address else name

    def render_scale(self, value: str) -> str:
        """Show the name in the reader's language."""
        return self.kind.name_scale(value)

    def render_before(self, record: MovedRating) -> str:
        """Show the value in points."""
        return self.kind.rating_text(record.move.before)

    def render_after(self, record: MovedRating) -> str:
        """Show the value in points."""
        return self.kind.rating_text(record.move.after)

    def render_change(self, record: MovedRating) -> str:
        """Show a dash if a rating was lost or gained."""
        return self.kind.change_text(record.move.change)
