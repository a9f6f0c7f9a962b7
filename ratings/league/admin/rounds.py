"""Admin page for entering all boards of a round."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext

from ratings.league.admin.base import LeagueInputAdmin, alone
from ratings.league.models import Match, Season


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
            raise Http404(gettext("No match of this round is entered."))
        entered = [(match, self._boards(request, match)) for match in matches]
        forms = [(match, boards) for match, boards in entered if boards is not None]
        # Validate all of them, so that every fault is shown at once.
        checked = [boards.is_valid() for _match, boards in forms]
        if request.method == "POST" and all(checked):
            for match, boards in forms:
                if boards.has_changed():
                    self.save_formset(request, None, boards, change=True)
                    self.log_change(request, match, gettext("Boards entered."))
            self.message_user(request, gettext("The round is stored."), messages.SUCCESS)
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
