"""Admin pages of leagues, their seasons with the cycles, and teams."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin import StackedInline
from django.core.exceptions import ValidationError
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.admin.correcting import CorrectableAdmin
from ratings.league.forms import numbered
from ratings.league.models import Cycle, League, Match, Season, Team
from ratings.league.services.corrections import first_closed_of_season, rated_with


@admin.register(League)
class LeagueAdmin(CorrectableAdmin[League]):
    """A league. Its provisional limit is corrected by a decision once a cycle was rated with it."""

    decisions = {"<int:league>/correct": "correct-limit"}
    list_display = ("name", "provisional_limit")
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    fields = ("name", "provisional_limit")

    def get_readonly_fields(self, request: HttpRequest, obj: League | None = None) -> tuple[str, ...]:
        """Return the fields with which closed cycles were rated."""
        return () if obj is None or rated_with(obj) is None else ("provisional_limit",)

    def has_change_permission(self, request: HttpRequest, obj: League | None = None) -> bool:
        """Allow edits at any time, because the name may change."""
        return self.may_decide(request, "correct-limit")


class CycleForm(forms.ModelForm[Cycle]):
    """Form of a cycle with its last round."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            numbered(field)


class _CyclesFormSet(BaseInlineFormSet[Cycle, Season, Any]):
    """The cycles of a season. They follow one another, and are closed in that order."""

    def add_fields(self, form: Any, index: int | None) -> None:
        """Disable the fields of a closed cycle, so that posted values are ignored."""
        super().add_fields(form, index)
        if form.instance.closed_at is not None:
            for name in {"number", "last_round", "DELETE"} & {*form.fields}:
                form.fields[name].disabled = True

    def clean(self) -> None:
        """Raise ValidationError if they don't follow one another."""
        rows = [
            (data["number"], data["last_round"], form.instance.closed_at is not None)
            for form in self.forms
            if (data := getattr(form, "cleaned_data", {})).get("number")
            and data.get("last_round")
            and not data.get("DELETE")
        ]
        for before, after in pairwise(sorted(rows)):
            if after[1] <= before[1]:
                told = gettext("Cycle %(later)d does not end after cycle %(earlier)d.")
                raise ValidationError(told % {"later": after[0], "earlier": before[0]})
            if after[2] and not before[2]:
                told = gettext("Cycle %(later)d is closed: no cycle can come before it any more.")
                raise ValidationError(told % {"later": after[0]})
        super().clean()


class CycleInline(StackedInline[Cycle, Season]):
    """The cycles of a season, each with the last round that it rates."""

    model = Cycle
    form = CycleForm
    formset = _CyclesFormSet
    fields = (("number", "last_round", "closed_at"),)
    readonly_fields = ("closed_at",)
    show_change_link = True

    def get_extra(self, request: HttpRequest, obj: Season | None = None, **kwargs: Any) -> int:
        """Offer three rows for a new season, as in the BAL."""
        return 3 if obj is None else 0


class SeasonForm(forms.ModelForm[Season]):
    """Form of a season and its place among those of its league."""

    def clean(self) -> dict[str, Any] | None:
        """Refuse a place between seasons whose ratings were already carried over."""
        cleaned = super().clean() or self.cleaned_data
        league, ordinal = (
            cleaned.get("league", getattr(self.instance, "league", None)),
            cleaned.get("ordinal"),
        )
        if league is not None and ordinal is not None and "ordinal" in self.changed_data:
            later = Cycle.objects.filter(
                season__league=league, season__ordinal__gte=ordinal, closed_at__isnull=False
            ).exclude(season=self.instance.pk)
            if cycle := later.select_related("season").first():
                told = gettext("It has to come after %(season)s, of which a cycle is closed.")
                self.add_error("ordinal", told % {"season": cycle.season})
        return cleaned


@admin.register(Season)
class SeasonAdmin(LeagueInputAdmin[Season]):
    """A season. Values with which closed cycles were rated can't be edited."""

    form = SeasonForm
    inlines = (CycleInline,)
    list_display = ("name", "league", "ordinal", "contents")
    export_display = ("name", "league", "ordinal")
    list_filter = ("league",)
    list_select_related = ("league",)
    sortable_by = ()
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    fields = ("league", "name", "ordinal")

    def get_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        """Show the fields, and for an existing season the links to what belongs to it."""
        return self.fields if obj is None else (*self.fields, "contents", "rounds")

    def get_readonly_fields(self, request: HttpRequest, obj: Season | None = None) -> tuple[str, ...]:
        """Make the league permanent, and the place in the order once ratings depend on it."""
        if obj is None:
            return ()
        rated = first_closed_of_season(obj) is not None
        return ("league", "contents", "rounds", *(("ordinal",) if rated else ()))

    @admin.display(description=_("contents"))
    def contents(self, season: Season) -> SafeString:
        """Link to its teams, squads, matches, boards and cycles."""
        return format_html_join(
            " · ",
            '<a href="{}" aria-label="{}: {}">{}</a>',
            ((address, season, label, label) for label, address in _contents(season)),
        )

    @admin.display(description=_("rounds"))
    def rounds(self, season: Season) -> SafeString | str:
        """Link to the rounds that have matches, where all their boards are entered."""
        matches = Match.objects.filter(season=season).order_by("round")
        numbers = matches.values_list("round", flat=True).distinct()
        return (
            format_html_join(
                " · ",
                '<a href="{}">{}</a>',
                (
                    (reverse("admin:league_match_round", args=(season.pk, number)), number)
                    for number in numbers
                ),
            )
            or "–"
        )


def _contents(season: Season) -> Iterator[tuple[str, str]]:
    for model, label, path in (
        ("team", gettext("Teams"), "season"),
        ("squadplayer", gettext("Squads"), "season"),
        ("match", gettext("Matches"), "season"),
        ("board", gettext("Boards"), "match__season"),
        ("cycle", gettext("Cycles"), "season"),
    ):
        yield label, f"{reverse(f'admin:league_{model}_changelist')}?{path}__id__exact={season.pk}"


@admin.register(Team)
class TeamAdmin(LeagueInputAdmin[Team]):
    """A team in a season, with its squad."""

    list_display = ("name", "season")
    list_filter = ("season",)
    list_select_related = ("season",)
    sortable_by = ("name",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    fields: ClassVar[Any] = ("season", "name")

    def get_fields(self, request: HttpRequest, obj: Team | None = None) -> Any:
        """Add the squad of an existing team."""
        return self.fields if obj is None else (*self.fields, "squad")

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """Make the season permanent, and the name once it is on a published list."""
        if obj is None:
            return ()
        rated = first_closed_of_season(obj.season) is not None
        return ("season", "squad", *(("name",) if rated else ()))

    @admin.display(description=_("squad"))
    def squad(self, team: Team) -> SafeString:
        """Show who plays for the team, with a link to the page of each."""
        rows = team.squad.select_related("player").order_by("player__name")
        return render_to_string("admin/league/_squad.html", {"squad": rows})
