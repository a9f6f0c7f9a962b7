"""Voiding and reinstating games in the admin: first what will happen, then why, then what has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import is_value
from ratings.admin.base import InputAdmin
from ratings.admin.moved import moved_rows
from ratings.models import Game
from ratings.services.ledger import corrections
from ratings.services.ledger.replay import ReplaySummary

_AT_ONCE: Final = 100
"""So many games are corrected together: their numbers stand in the address of the page that asks."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Voiding or reinstating, and the words for it."""

    name: str
    concerns_void: bool
    run: Callable[[list[Game], Any, str], ReplaySummary]
    title: Promise
    left_out: Promise
    button: Promise
    done: Promise


def _void(games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    return corrections.void_games(games=games, by=by, reason=reason, at=timezone.now())


def _reinstate(games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    return corrections.reinstate_games(games=games, by=by, reason=reason)


_VOID: Final = Correction(
    "void", False, _void, _("Void games"), _("Void already, so they stay as they are:"), _("Void"),
    _("The games are void."),
)  # fmt: skip
_REINSTATE: Final = Correction(
    "reinstate", True, _reinstate, _("Reinstate games"), _("Not void, so they stay as they are:"),
    _("Reinstate"), _("The games count again."),
)  # fmt: skip


class ReasonForm(forms.Form):
    """Why a game is voided or reinstated."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=Game._meta.get_field("void_reason").max_length,
        widget=AdminTextareaWidget(attrs={"rows": 2}),
        help_text=_("It stands in the history of each game, and while a game is void on its public page."),
    )


class CorrectableAdmin(InputAdmin[Game]):
    """The pages that void and reinstate games."""

    actions = ("void", "reinstate")

    @admin.action(permissions=["change"], description=_("Void the selected games …"))
    def void(self, request: HttpRequest, queryset: QuerySet[Game]) -> HttpResponse | None:
        """Lead to the page that asks why."""
        return self._ask(request, queryset, _VOID)

    @admin.action(permissions=["change"], description=_("Reinstate the selected games …"))
    def reinstate(self, request: HttpRequest, queryset: QuerySet[Game]) -> HttpResponse | None:
        """Lead to the page that asks why."""
        return self._ask(request, queryset, _REINSTATE)

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages those of both corrections."""
        return [
            path(
                f"{correction.name}/",
                self.admin_site.admin_view(self.correction_view),
                {"correction": correction},
                name=f"ratings_game_{correction.name}",
            )
            for correction in (_VOID, _REINSTATE)
        ] + super().get_urls()

    def correction_view(self, request: HttpRequest, correction: Correction) -> HttpResponse:
        """Show whose ratings move and ask why; posted with a reason, do it and show whose ratings moved."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        keys = (request.POST if request.method == "POST" else request.GET).getlist("game")
        if not 0 < len(keys) <= _AT_ONCE or not all(is_value(Game._meta.pk, key) for key in keys):
            raise BadRequest(gettext("There are no games, too many of them, or what is no number of a game."))
        form = ReasonForm(request.POST or None)
        faults: list[str] = []
        if form.is_valid():
            games = _games(keys)
            try:
                summary = self._correct(request, correction, games, form.cleaned_data["reason"])
            except ValidationError as error:
                faults = error.messages
            else:
                return self._page(request, correction, games, summary, done=True)
        games = _games(keys)
        concerned = [game for game in games if (game.voided_at is not None) == correction.concerns_void]
        summary = ReplaySummary()
        try:
            if concerned:
                # The reason is not known yet, and decides no rating.
                summary = corrections.preview(partial(correction.run, concerned, request.user, "?"))
        except ValidationError as error:
            faults, concerned = error.messages, []
        left_out = [game for game in games if game not in concerned]
        return self._page(
            request, correction, concerned, summary, form=form, faults=faults, left_out=left_out
        )

    def _ask(
        self, request: HttpRequest, queryset: QuerySet[Game], correction: Correction
    ) -> HttpResponse | None:
        keys = list(queryset.order_by().values_list("pk", flat=True)[: _AT_ONCE + 1])
        if len(keys) > _AT_ONCE:
            refusal = gettext("At most %d games are corrected together. Nothing was done.") % _AT_ONCE
            self.message_user(request, refusal, messages.ERROR)
            return None
        address = QueryDict(mutable=True)
        address.setlist("game", [str(key) for key in keys])
        return HttpResponseRedirect(
            f"{reverse(f'admin:ratings_game_{correction.name}')}?{address.urlencode()}"
        )

    def _correct(
        self, request: HttpRequest, correction: Correction, games: list[Game], reason: str
    ) -> ReplaySummary:
        with transaction.atomic():
            summary = correction.run(games, request.user, reason)
            told = f"{correction.title}: {reason}"
            LogEntry.objects.log_actions(request.user.pk, games, CHANGE, change_message=told)  # type: ignore[arg-type]
        return summary

    def _page(
        self,
        request: HttpRequest,
        correction: Correction,
        games: list[Game],
        summary: ReplaySummary,
        **context: Any,
    ) -> HttpResponse:
        rows = moved_rows(summary.moved)
        return TemplateResponse(request, "admin/ratings/game/correction.html", {
            **self.admin_site.each_context(request),
            "title": correction.title,
            "opts": self.opts,
            "correction": correction,
            "games": games,
            "rows": rows,
            "moved": len(summary.moved),
            "not_shown": len(summary.moved) - len(rows),
            **context,
        })  # fmt: skip


def _games(keys: list[str]) -> list[Game]:
    games = Game.objects.with_names().select_related("voided_by").filter(pk__in=keys)
    found = list(games.order_by("ended_at", "pk"))
    if len(found) < len(set(map(int, keys))):
        raise Http404(gettext("One of these games is no longer there."))
    return found
