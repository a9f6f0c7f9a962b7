"""Tables of the league, and the filters of its lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, ModelChoiceFilter
from django_tables2 import Column

from foa.addresses import address_of
from foa.text import NOTHING, points
from foa.web.columns import ChangeColumn, NumberColumn, PointsColumn
from foa.web.listing import ANY, OfficeFilterSet, OfficeTable
from foa.web.suggestions import SearchInput
from members.tables import named
from members.words import with_words
from ratings.league.models import Cycle, CycleList, CycleResult, Season, Team
from ratings.league.services.cycles import CYCLES, LINES
from ratings.rbb.labels import half_points_text
from ratings.rules.rounding import displayed, to_hundredths


class SeasonTable(OfficeTable):
    """Seasons, the latest of each league first.

    ``cycles``: those of each season, by its key. ``lists``: the last list of each cycle, by its key.
    """

    in_files = CYCLES
    cycles: Mapping[int, Sequence[Cycle]] = {}
    lists: Mapping[int, CycleList] = {}
    phone = ("name", "state", "published")

    name = Column(verbose_name=_("Season"), linkify=True)
    league = Column(verbose_name=_("League"))
    rounds = NumberColumn(verbose_name=_("Rounds"), empty_values=(), accessor="pk")
    state = Column(verbose_name=_("Cycles"), empty_values=(), accessor="pk")
    published = Column(verbose_name=_("Lists"), empty_values=(), accessor="pk")

    def render_rounds(self, record: Season) -> int | str:
        """Show the last round of the last cycle."""
        return max((cycle.last_round for cycle in self.cycles.get(record.pk, ())), default=NOTHING)

    def render_state(self, record: Season) -> str:
        cycles = self.cycles.get(record.pk, ())
        closed = sum(cycle.closed_at is not None for cycle in cycles)
        return gettext("%(closed)d of %(all)d closed") % {"closed": closed, "all": len(cycles)}

    def render_published(self, record: Season) -> SafeString | str:
        """Link to the list of each closed cycle."""
        lists = [self.lists[one.pk] for one in self.cycles.get(record.pk, ()) if one.pk in self.lists]
        return (
            format_html_join(
                ", ",
                '<a href="{}">{}</a>',
                (
                    (one.get_absolute_url(), gettext("cycle %(number)d") % {"number": one.cycle.number})
                    for one in lists
                ),
            )
            or NOTHING
        )


class CycleResultTable(OfficeTable):
    """The lines of a cycle's list."""

    in_files = LINES
    phone = ("name", "new")

    name = Column(verbose_name=_("Player"), attrs={"td": {"class": "name"}, "th": {"class": "name"}})
    new = NumberColumn(verbose_name=_("New rating"), empty_values=())
    team = Column(verbose_name=_("Team"), linkify=True)
    old = PointsColumn(verbose_name=_("Old rating"))
    counted = NumberColumn(verbose_name=_("Games"))
    half_points = NumberColumn(verbose_name=_("Score"))
    k = NumberColumn(verbose_name="k")
    gain = ChangeColumn(verbose_name=_("Gain"))
    adjusted = ChangeColumn(verbose_name=pgettext_lazy("rating", "Change"))
    exact = PointsColumn(verbose_name=_("Unrounded"), accessor="new")
    games_after = NumberColumn(verbose_name=_("Total games"))

    def render_name(self, record: CycleResult) -> SafeString:
        link = format_html('<a href="{}">{}</a>', address_of("league:player", record.player_id), record.name)
        member = record.player.member
        return link if member is None else named(link, member.title, member.federation)

    def render_old(self, record: CycleResult) -> str:
        """Show the rating that a new player counted as."""
        if record.captains_estimate:
            return gettext("new, starts at %(assumed)d") % {"assumed": record.old}
        return points(record.old)

    def render_half_points(self, record: CycleResult) -> str:
        """Show the points of the games that count."""
        return half_points_text(record.half_points) if record.counted else NOTHING

    def render_new(self, record: CycleResult) -> SafeString:
        """Show the displayed rating, with a link to how it was calculated."""
        text: Any = gettext("unrated") if record.new is None else displayed(to_hundredths(record.new))
        return format_html(
            '<a class="strong" href="{}">{}</a>',
            reverse("league:player_cycle", args=[record.player_id, record.cycle_list.cycle_id]),
            text,
        )


class SeasonFilter(OfficeFilterSet):
    season = CharFilter(
        label=_("Season"),
        max_length=50,
        method="filter_season",
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name contains")}),
    )

    def filter_season(self, queryset: QuerySet[Season], name: str, value: str) -> QuerySet[Season]:
        """Keep seasons with all these words in their names."""
        return with_words(queryset, value)


def _teams(request: HttpRequest) -> QuerySet[Team]:
    """Return the teams of the page's season."""
    match = request.resolver_match
    return Team.objects.filter(season=match.kwargs["pk"]).order_by("name") if match else Team.objects.none()


class CycleResultFilter(OfficeFilterSet):
    """Filters and order of the lines of a cycle's list."""

    name = CharFilter(
        label=_("Player"),
        max_length=100,
        method="filter_name",
        widget=SearchInput("league_players", placeholder=_("Name contains")),
    )
    team = ModelChoiceFilter(label=_("Team"), empty_label=ANY, queryset=_teams)
    order = ChoiceFilter(
        label=_("Sort by"),
        empty_label=_("ratings"),
        method="filter_order",
        choices=[("name", _("names")), ("gain", _("gains"))],
    )

    def filter_name(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """Keep players with all these words in their names."""
        return with_words(queryset, value)

    def filter_order(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """Order by name, or by the largest gain."""
        first = () if value == "name" else (F("adjusted").desc(nulls_last=True),)
        return queryset.order_by(*first, "name", "player")
