"""Entering rounds: first the matches, then the boards, with players chosen from both squads."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import StackedInline
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.forms import BaseInlineFormSet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.admin.seasons import LeagueInputAdmin, alone
from ratings.league.forms import BoardForm, Squads, numbered, with_season
from ratings.league.models import Board, Match, Season
from ratings.league.services.corrections import closed_cycle_of
from ratings.league.services.cycles import cycle_of


class RoundPages(LeagueInputAdmin[Match]):
    """Admin pages of matches with a page for each round.

    In a closed cycle, boards are corrected one by one, on the page of the match.
    """

    def get_urls(self) -> list[URLPattern]:
        """Add the page of a round."""
        view = self.admin_site.admin_view(self.round_view)
        return [
            path("round/<int:season>/<int:number>/", view, name="league_match_round"),
            *super().get_urls(),
        ]

    def round_view(self, request: HttpRequest, season: int, number: int) -> HttpResponse:
        """Show the boards of all matches. On POST, store all of them or none."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        return alone(request, lambda: self._round(request, season, number))

    def _round(self, request: HttpRequest, season: int, number: int) -> HttpResponse:
        found = get_object_or_404(Season.objects.select_related("league"), pk=season)
        matches = list(self.get_queryset(request).filter(season=found, round=number).order_by("pk"))
        if not matches:
            raise Http404(gettext("No matches have been entered for this round."))
        entered = [(match, self._boards(request, match)) for match in matches]
        forms = [(match, boards) for match, boards in entered if boards is not None]
        # Validate all of them, so that every fault is shown at once.
        checked = [boards.is_valid() for _match, boards in forms]
        if request.method == "POST" and all(checked):
            for match, boards in forms:
                if boards.has_changed():
                    self.save_formset(request, None, boards, change=True)
                    self.log_change(request, match, gettext("Boards entered."))
            self.message_user(request, gettext("Round saved."), messages.SUCCESS)
            return HttpResponseRedirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("%(season)s, round %(number)d") % {"season": found, "number": number},
            "opts": self.opts,
            "entered": entered,
            "has_faults": any(boards.is_bound and not boards.is_valid() for _match, boards in forms),
        }
        return TemplateResponse(request, "admin/league/round.html", context)

    def _boards(self, request: HttpRequest, match: Match) -> Any:
        """Return the formset of the boards of a match, or None in a closed cycle."""
        inlines = self.get_inline_instances(request, match)
        if not inlines:
            return None
        (inline,) = inlines
        kind = inline.get_formset(request, match)
        return kind(**self.get_formset_kwargs(request, match, inline, f"match-{match.pk}"))


_EMPTY_ROWS: Final = 8
"""Number of empty boards offered for a match without boards. More are added on the page or after saving."""


class MatchForm(forms.ModelForm[Match]):
    """Form of a match. Its season is that of the teams."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "round" in self.fields:
            numbered(self.fields["round"])
        for side in ("home_team", "away_team"):
            if side in self.fields:
                field: Any = self.fields[side]
                field.queryset = field.queryset.select_related("season").order_by(
                    "-season__ordinal", "season", "name"
                )
                field.label_from_instance = with_season

    def clean(self) -> dict[str, Any] | None:
        """Require two teams of one season that have no other match in an open round."""
        cleaned = super().clean() or self.cleaned_data
        home, away, number = (cleaned.get(name) for name in ("home_team", "away_team", "round"))
        if home is None or away is None or number is None:
            return cleaned
        if home == away:
            self.add_error("away_team", gettext("A team can’t play against itself."))
            return cleaned
        if home.season_id != away.season_id:
            raise ValidationError(_("These teams are from different seasons."))
        season = self.instance.season = home.season
        cycle = cycle_of(season, number)
        if cycle is None:
            self.add_error("round", gettext("This round isn’t in any cycle of the season."))
        elif cycle.closed_at is not None:
            self.add_error("round", gettext("This round is in a closed cycle."))
        others = Match.objects.filter(season=season, round=number).exclude(pk=self.instance.pk)
        for side, team in (("home_team", home), ("away_team", away)):
            other = others.filter(Q(home_team=team) | Q(away_team=team)).first()
            if other is not None:
                told = gettext("%(team)s already has a match in this round: %(match)s.")
                self.add_error(side, told % {"team": team, "match": other})
        if (
            self.instance.pk
            and self.instance.boards.exists()
            and {"home_team", "away_team", "round"} & {*self.changed_data}
        ):
            raise ValidationError(_("This match already has boards for these teams. Delete them first."))
        return cleaned


class _BoardsFormSet(BaseInlineFormSet[Board, Match, Any]):
    """The boards of a match."""

    @cached_property
    def squads(self) -> Squads:
        """Return the players who can play in the match."""
        return Squads(self.instance)

    def add_fields(self, form: Any, index: int | None) -> None:
        """Offer the players of both squads."""
        super().add_fields(form, index)
        form.offer(self.squads)

    def clean(self) -> None:
        """Refuse a board number that is used twice, and a player on two boards."""
        rows = [
            data
            for data in (getattr(form, "cleaned_data", {}) for form in self.forms)
            if data.get("number") and not data.get("DELETE")
        ]
        faults = [
            gettext("Board %(board)d appears twice.") % {"board": number}
            for number, times in Counter(row["number"] for row in rows).items()
            if times > 1
        ]
        seats = Counter(row.get(side) for row in rows for side in ("home_player", "away_player"))
        faults += [
            gettext("%(player)s plays on two boards.") % {"player": player}
            for player, times in seats.items()
            if player is not None and times > 1
        ]
        if faults:
            raise ValidationError(faults)
        super().clean()


class BoardInline(StackedInline[Board, Match]):
    """The boards of a match, entered together."""

    model = Board
    form = BoardForm
    formset = _BoardsFormSet
    fields = (("number", "home_player", "away_player", "result"),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        """Load the names of both players too."""
        return super().get_queryset(request).select_related("home_player", "away_player")

    def get_extra(self, request: HttpRequest, obj: Match | None = None, **kwargs: Any) -> int:
        """Offer empty rows for a match without boards; otherwise only when somebody adds one."""
        return 0 if obj is not None and obj.boards.exists() else _EMPTY_ROWS


def _is_open(match: Match | None) -> bool:
    return match is None or closed_cycle_of(match) is None


@admin.register(Match)
class MatchAdmin(RoundPages):
    """A match. In a closed cycle only its stage can be changed; its boards are corrected one by one."""

    form = MatchForm
    inlines = (BoardInline,)
    list_display = ("season", "round", "home_team", "away_team", "stage", "has_boards")
    list_display_links = ("round", "home_team")
    list_filter = ("season", "stage")
    sortable_by = ("round",)
    search_fields = ("home_team__name", "away_team__name")
    search_help_text = _("Part of a team’s name")
    fields: ClassVar[Any] = ("round", ("home_team", "away_team"), "stage")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        """Annotate each match with whether its boards are entered."""
        boards = Board.objects.filter(match=OuterRef("pk"))
        matches = super().get_queryset(request).select_related("season", "home_team", "away_team")
        return matches.annotate(_has_boards=Exists(boards))

    @admin.display(description=_("boards entered"), boolean=True)
    def has_boards(self, match: Match) -> bool:
        """Return True if boards are entered. Without them, the cycle can't be closed."""
        return bool(vars(match)["_has_boards"])

    def get_inlines(self, request: HttpRequest, obj: Match | None) -> Any:
        """Show the boards once both squads are known, to users who may enter them."""
        is_shown = obj is not None and _is_open(obj) and self.has_change_permission(request, obj)
        return self.inlines if is_shown else ()

    def get_fields(self, request: HttpRequest, obj: Match | None = None) -> Any:
        """Add the boards where they can only be viewed."""
        looked_at = obj is not None and not self.get_inlines(request, obj)
        return (*self.fields, "boards") if looked_at else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Match | None = None) -> tuple[str, ...]:
        """Keep round and teams of a match in a closed cycle, which was rated with them."""
        return ("boards",) if _is_open(obj) else ("round", "home_team", "away_team", "boards")

    @admin.display(description=_("boards"))
    def boards(self, match: Match) -> SafeString:
        """Show who played whom, with a link to the page of each board, where it is corrected."""
        rows = match.boards.select_related("home_player", "away_player")
        return render_to_string("admin/league/_boards.html", {"boards": rows})

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Match, inline: Any, prefix: str
    ) -> dict[str, Any]:
        """Number empty rows after the existing boards."""
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        last = max((board.number for board in obj.boards.all()), default=0)
        rows = inline.get_extra(request, obj)
        return {**kwargs, "initial": [{"number": last + row} for row in range(1, rows + 1)]}

    def has_delete_permission(self, request: HttpRequest, obj: Match | None = None) -> bool:
        """Refuse to delete a match in a closed cycle."""
        return _is_open(obj) and super().has_delete_permission(request, obj)

    def response_add(self, request: HttpRequest, obj: Match, post_url_continue: str | None = None) -> Any:
        """Redirect to the page where the boards are entered."""
        if "_addanother" not in request.POST:
            posted = request.POST.copy()
            posted["_continue"] = "1"
            request.POST = posted  # type: ignore[assignment]  # as Django's own page of users does
        response: HttpResponse = super().response_add(request, obj, post_url_continue)
        return response
