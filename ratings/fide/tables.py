"""The tables of FIDE's lists and players, and their filters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.apps import apps
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter
from django_tables2 import Column

from foa.addresses import address_of
from foa.list_rows import ListRows, moment, month, text, whole
from foa.text import NOTHING, month_text
from foa.web.columns import CountColumn, MomentColumn, NumberColumn
from foa.web.listing import ANY, OfficeFilterSet, OfficeTable
from members.filters import FederationFilter
from members.models import Member
from members.tables import FederationCodeColumn, named
from ratings.fide.models import (
    CONTROL_NAMES,
    Announcement,
    FideList,
    FideListQuerySet,
    FidePlayer,
)
from ratings.formats.frl import FideControl
from ratings.office.demo import fide_profile
from ratings.office.filters import PlayerFilter


class FidePlayerFilter(OfficeFilterSet):
    """Filters of FIDE players. An index in the order of names serves both fields."""

    player = PlayerFilter("fide_players")
    federation = FederationFilter()


class FideListFilter(OfficeFilterSet):
    control = ChoiceFilter(
        empty_label=ANY,
        label=_("Rated in"),
        method="filter_control",
        choices=[(control.value, name) for control, name in CONTROL_NAMES.items()],
    )

    def filter_control(self, queryset: FideListQuerySet, name: str, value: str) -> FideListQuerySet:
        """Keep combined lists, and those of this control."""
        return queryset.of(FideControl(value))


class FidePlayerTable(OfficeTable):
    """Players of the list in force, by name. ``members``: members by FIDE ID."""

    in_files = ListRows(
        "A player on the FIDE list in force.",
        fide_id=whole(),
        name=text(),
        title=text(blank=True),
        federation=text(blank=True),
        birth_year=whole(null=True),
        standard=whole("standard_rating", null=True),
        rapid=whole("rapid_rating", null=True),
        blitz=whole("blitz_rating", null=True),
        flag=text(blank=True),
    )
    members: Mapping[int, Member] = {}
    unindexed = ("standard_rating", "rapid_rating", "blitz_rating")
    phone = ("name", "standard_rating", "rapid_rating", "blitz_rating")

    name = Column(
        verbose_name=_("Name"),
        orderable=True,
        order_by=("folded", "pk"),
        attrs={"td": {"class": "name"}, "th": {"class": "name"}},
    )
    fide_id = NumberColumn(verbose_name=_("FIDE ID"))
    federation = FederationCodeColumn()
    birth_year = NumberColumn(verbose_name=_("Born"))
    standard_rating = NumberColumn(verbose_name=_("Standard"), orderable=True)
    rapid_rating = NumberColumn(verbose_name=_("Rapid"), orderable=True)
    blitz_rating = NumberColumn(verbose_name=_("Blitz"), orderable=True)
    member = Column(verbose_name=_("Member"), empty_values=(), accessor="pk")

    def render_fide_id(self, value: int) -> SafeString | str:
        """Link to the player's page at FIDE."""
        return fide_profile(value)

    def render_name(self, record: FidePlayer) -> SafeString:
        """Add flag and title, and link to the player’s tournaments."""
        link: SafeString | str = record.name
        if apps.is_installed("ratings.otb"):
            link = format_html('<a href="{}">{}</a>', address_of("otb:player", record.pk), record.name)
        title = record.title or record.women_title or record.arena_title
        return named(link, title, record.federation)

    def render_member(self, record: FidePlayer) -> SafeString | str:
        member = self.members.get(record.pk)
        if member is None:
            return NOTHING
        return format_html('<a href="{}">{}</a>', member.get_absolute_url(), member)


class FideListTable(OfficeTable):
    """Imported lists, latest first.

    ``in_force``: the list in force of each control. ``announcements``: those of the months shown.
    """

    in_files = ListRows(
        "An imported FIDE list.",
        period=month(),
        control=text(blank=True, help="Empty for a list of all three."),
        rows=whole(help="Including refused ones."),
        refused=whole(),
        added=whole(),
        changed=whole(),
        removed=whole(),
        imported_at=moment(),
        sha256=text(),
    )
    in_force: Mapping[FideControl, FideList | None] = {}
    announcements: Mapping[date, Announcement] = {}
    phone = ("period", "control", "players")

    period = Column(verbose_name=_("Month"), attrs={"td": {"class": "moment"}})
    control = Column(verbose_name=_("Time control"), empty_values=(), accessor="pk")
    standing = Column(verbose_name=_("In force"), empty_values=(), accessor="pk")
    players = CountColumn(verbose_name=_("Players"), empty_values=(), accessor="pk")
    refused = CountColumn(verbose_name=_("Rows refused"))
    added = CountColumn(verbose_name=_("Added"))
    changed = CountColumn(verbose_name=_("Changed"))
    removed = CountColumn(verbose_name=_("Removed"))
    imported_at = MomentColumn(verbose_name=_("Imported (UTC)"))
    announced = Column(verbose_name=_("Added to ratings"), empty_values=(), accessor="pk")

    def render_period(self, value: date) -> str:
        return month_text(value)

    def render_control(self, record: FideList) -> Any:
        return CONTROL_NAMES[FideControl(record.control)] if record.control else _("all three")

    def render_standing(self, record: FideList) -> SafeString | str:
        """Name the controls whose ratings in force are from this list."""
        controls = [control for control, one in self.in_force.items() if one == record]
        if not controls:
            return NOTHING
        if len(controls) == len(FideControl):
            return format_html("<strong>{}</strong>", gettext("in force"))
        names = ", ".join(str(CONTROL_NAMES[control]) for control in controls)
        return format_html("<strong>{}</strong>", gettext("in force: %(controls)s") % {"controls": names})

    def render_players(self, record: FideList) -> str:
        """Show the number of rows without the refused ones."""
        return number_format(record.rows - record.refused, force_grouping=True)

    def render_announced(self, record: FideList) -> SafeString | str:
        """RBB 3.15: show the number of over-the-board changes of the month, with a link to them."""
        announcement = self.announcements.get(record.period)
        if announcement is None:
            return NOTHING
        text = ngettext("%(count)d change", "%(count)d changes", announcement.count)
        day = f"{announcement.announced_at:%Y-%m-%d}"
        return format_html(
            '<a href="{}?kind=adjustment&amp;since={}&amp;until={}">{}</a>',
            reverse("ratings:changes"),
            day,
            day,
            text % {"count": announcement.count},
        )
