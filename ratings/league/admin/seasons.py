"""Admin pages of leagues, seasons, cycles, teams, squads, boards; what a closed cycle used is corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

from django import forms
from django.contrib import admin
from django.contrib.admin import StackedInline
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.forms import BaseInlineFormSet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from foa.web.admin_history import HistoryAdmin
from ratings.league.forms import EntryForm, SingleBoardForm, numbered
from ratings.league.models import Board, Cycle, League, Match, Player, Season, SquadPlayer, Team
from ratings.league.services.corrections import first_closed_of_season, rated_with
from ratings.league.services.cycles import lock_league
from ratings.league.services.squads import boards_of
from ratings.office.admin.base import LookAtOnly
from ratings.office.admin.deciding import DecisionPages

M = TypeVar("M", bound=Model)


class LeagueInputAdmin(OfficeAdmin[M]):
    """Admin pages that wait for anybody closing a cycle, so that what is open to them stays open."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form of an object."""
        page = super().changeform_view
        return alone(request, lambda: page(request, *args, **kwargs))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, or apply an action to the chosen rows."""
        page = super().changelist_view
        return alone(request, lambda: page(request, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete an object. On POST, delete it."""
        page = super().delete_view
        return alone(request, lambda: page(request, object_id, extra_context))


def alone(request: HttpRequest, page: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a page. A POST runs in a transaction during which nobody can close a cycle."""
    if request.method != "POST":
        return page()
    with transaction.atomic():
        lock_league()
        return page()


Corrected = TypeVar("Corrected", Board, League, SquadPlayer)


class CorrectableAdmin(DecisionPages, LeagueInputAdmin[Corrected]):
    """Admin pages whose only decision corrects an object."""

    def has_change_permission(self, request: HttpRequest, obj: Corrected | None = None) -> bool:
        """Refuse to edit what a closed cycle was rated with."""
        return super().has_change_permission(request, obj) and (obj is None or rated_with(obj) is None)

    def has_delete_permission(self, request: HttpRequest, obj: Corrected | None = None) -> bool:
        """Refuse to delete what a closed cycle was rated with."""
        return super().has_delete_permission(request, obj) and (obj is None or rated_with(obj) is None)

    def render_change_form(
        self,
        request: HttpRequest,
        context: Any,
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Corrected | None = None,
    ) -> HttpResponse:
        """Render the page, with a button to correct what can't be edited any more, for users who may."""
        (kind,) = self.decisions.values()
        is_rated = obj is not None and rated_with(obj) is not None
        context["may_correct"] = is_rated and self.may_decide(request, kind)
        return super().render_change_form(request, context, add, change, form_url, obj)


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
                told = gettext("Cycle %(later)d must end after cycle %(earlier)d.")
                raise ValidationError(told % {"later": after[0], "earlier": before[0]})
            if after[2] and not before[2]:
                told = gettext("Cycle %(later)d is closed, so no cycle can be added before it.")
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
                told = gettext("This season must come after %(season)s, which has a closed cycle.")
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


@admin.register(Cycle)
class CycleAdmin(LookAtOnly, DecisionPages, LeagueInputAdmin[Cycle]):
    """A cycle. It is entered on the page of its season, and closed here."""

    decisions = {"<int:cycle>/close": "close-cycle", "<int:cycle>/reopen": "reopen-cycle"}
    list_display = ("season", "number", "last_round", "closed_at", "lists")
    export_display = ("season", "number", "last_round", "closed_at")
    list_display_links = ("season", "number")
    list_filter = ("season", ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("season",)
    sortable_by = ()
    fields = ("season", "number", "last_round", "closed_at", "lists")
    readonly_fields = ("closed_at", "lists")
    list_prefetch_related = ("lists",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow deleting only an open cycle, which goes with its season."""
        is_open = obj is None or obj.closed_at is None
        return is_open and request.user.has_perm("league.delete_cycle")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the link to close a cycle for users who may."""
        return (
            (*self.list_display, "closing") if self.may_decide(request, "close-cycle") else self.list_display
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page, with a button for users who may close the cycle."""
        may = {"may_close": self.may_decide(request, "close-cycle")}
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    @admin.display(description=_("lists"))
    def lists(self, cycle: Cycle) -> SafeString:
        """Link to the published revisions, in order."""
        revisions = sorted(cycle.lists.all(), key=lambda one: one.revision)
        for one in revisions:
            one.cycle = cycle
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}">{}</a>',
            ((one.get_absolute_url(), one, one.revision) for one in revisions),
        )

    @admin.display(description=_("closing"))
    def closing(self, cycle: Cycle) -> SafeString | str:
        """Link to the page that closes the cycle, while it is open."""
        if cycle.closed_at is not None:
            return ""
        address = reverse("admin:league_cycle_close", args=(cycle.pk,))
        return format_html(
            '<a href="{}" aria-label="{}: {}">{}</a>', address, gettext("Close …"), cycle, gettext("Close …")
        )


@admin.register(Player)
class PlayerAdmin(LeagueInputAdmin[Player]):
    """A player of a league, and the member who they are."""

    list_display = ("name", "league", "member")
    list_filter = ("league", ("member", admin.EmptyFieldListFilter))
    list_select_related = ("league", "member")
    sortable_by = ("name",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    autocomplete_fields = ("member",)
    fields = ("league", "name", "member")

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> tuple[str, ...]:
        """Make the league permanent, because the player's squads and boards are in it."""
        return () if obj is None else ("league",)


@admin.register(SquadPlayer)
class SquadPlayerAdmin(CorrectableAdmin[SquadPlayer], HistoryAdmin[SquadPlayer]):
    """A player's entry in the squad of a season."""

    decisions = {"<int:squadplayer>/correct": "correct-squad-entry"}
    form = EntryForm
    list_display = ("player", "season", "team", "rating", "games", "captains_estimate")
    list_filter = ("season", "captains_estimate")
    list_select_related = ("player", "season", "team")
    sortable_by = ()
    search_fields = ("player__name", "team__name")
    search_help_text = _("Part of the name of a player or team")
    autocomplete_fields = ("player",)
    fields = ("player", "team", ("rating", "games"), "captains_estimate")

    def get_readonly_fields(self, request: HttpRequest, obj: SquadPlayer | None = None) -> tuple[str, ...]:
        """Make the player permanent: another player needs another entry."""
        return () if obj is None else ("player",)

    def has_delete_permission(self, request: HttpRequest, obj: SquadPlayer | None = None) -> bool:
        """Refuse to delete the entry of a player who has played, because boards refer to it."""
        return super().has_delete_permission(request, obj) and (obj is None or not boards_of(obj).exists())


@admin.register(Board)
class BoardAdmin(CorrectableAdmin[Board], HistoryAdmin[Board]):
    """A board. It is entered on the page of its match."""

    decisions = {"<int:board>/correct": "correct-board"}
    form = SingleBoardForm
    list_display = ("match", "number", "home_player", "away_player", "result")
    list_filter = ("match__season", "result")
    list_select_related = ("match__home_team", "match__away_team", "home_player", "away_player")
    sortable_by = ()
    search_fields = ("home_player__name", "away_player__name")
    search_help_text = _("Part of a player’s name")
    fields = ("match", "number", ("home_player", "away_player"), "result")
    readonly_fields = ("match",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: boards are added on the page of their match, which knows who can play."""
        return False
