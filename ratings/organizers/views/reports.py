"""The page on which a file is checked and sent, and that of an appeal."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.generic import FormView

from foa.db_errors import BUSY
from foa.limits import count
from ratings.formats.problems import file_name
from ratings.office.uploads import discard_leftovers, keep_for_decision
from ratings.organizers.forms import AppealForm, CheckedFileForm, FileForm
from ratings.organizers.models import Scope, standing_of
from ratings.organizers.services.appealing import appeal, has_waiting_appeal
from ratings.organizers.services.checking import FileFaults, check
from ratings.organizers.services.sending import send
from ratings.organizers.views.sent import LATEST
from ratings.otb.findings import cut_short
from ratings.otb.models import Tournament

_CHECKED: Final = 60
"""Maximum number of files that a login checks within an hour."""


class _OfScope(LoginRequiredMixin):
    """Part of the pages about a scope: everybody who doesn't have it gets 404."""

    scope: Scope
    tournament: Tournament | None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Find the scope, and the tournament that it covers."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        mine = Scope.objects.of(request.user).select_related("tournament", "team__season")
        found = mine.filter(pk=kwargs["scope"]).first()
        if found is None:
            raise Http404(gettext("This page doesn’t exist."))
        self.scope = found
        self.tournament = self._tournament(kwargs.get("tournament"))
        return super().dispatch(request, *args, **kwargs)

    def _tournament(self, key: int | None) -> Tournament | None:
        if key is None:
            # Of a tournament there is one page, with its number.
            if self.scope.tournament_id is not None:
                raise Http404(gettext("This page doesn’t exist."))
            return None
        found = Tournament.objects.select_related("report").filter(pk=key).first()
        if found is None or not self.scope.covers(found):
            raise Http404(gettext("This page doesn’t exist."))
        return found


@method_decorator(never_cache, name="dispatch")
class SendingView(_OfScope, View):
    """View of a tournament, federation or team: a file is checked as the office reads it, then sent."""

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Ask for a file."""
        return self._page()

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Check the file, or send the one that was checked."""
        try:
            return self._send() if "send" in request.POST else self._check()
        except FileFaults as faults:
            return self._page(faults=list(faults.reasons), status=409)
        except ValidationError as refusal:
            return self._page(faults=refusal.messages, status=409)
        except OperationalError:
            return self._page(faults=[str(BUSY)], status=503)

    def _check(self) -> HttpResponse:
        form = FileForm(self.request.POST, self.request.FILES, is_round=self.scope.team_id is not None)
        if count(f"organizers:{self.request.user.pk}", 3600) > _CHECKED:
            told = gettext("Too many files were checked within an hour. Try again later.")
            return self._page(faults=[told], status=429)
        if not form.is_valid():
            return self._page(form=form, status=400)
        file = form.cleaned_data["file"]
        content, source = file.read(), file_name(file.name)
        found = check(
            tournament=self.tournament,
            federation=self.scope.federation,
            team=self.scope.team,
            content=content,
            source=source,
            at=timezone.now(),
        )
        discard_leftovers()
        kept = CheckedFileForm(initial=keep_for_decision(content, source))
        return self._page(found=found, kept=kept, source=source)

    def _send(self) -> HttpResponse:
        form = CheckedFileForm(self.request.POST)
        if not form.is_valid():
            faults = [str(fault) for found in form.errors.values() for fault in found]
            return self._page(faults=faults, status=409)
        kept = form.cleaned_data
        sent = send(
            scope=self.scope,
            tournament=self.tournament,
            by=self.request.user,
            content=kept["content"],
            source=kept["source"],
            at=timezone.now(),
        )
        messages.success(self.request, gettext("The office has your report. A mail confirms it."))
        return HttpResponseRedirect(sent.get_absolute_url())

    def _page(self, *, form: Any = None, faults: Any = (), status: int = 200, **more: Any) -> HttpResponse:
        scope, tournament = self.scope, self.tournament
        history = scope.submissions.select_related("tournament").defer("content")
        if tournament is not None:
            history = history.filter(tournament=tournament)
        sent = list(history[:LATEST])
        refusal = None if tournament is None else tournament.refusal
        context = {
            "scope": scope,
            "tournament": tournament,
            "state": tournament and standing_of(tournament, sent[0] if sent else None),
            "form": form or FileForm(is_round=scope.team_id is not None),
            "faults": cut_short(faults),
            "history": sent,
            "refusal": refusal,
            "may_appeal": refusal is not None and refusal.can_be_appealed,
            "appeal_waits": tournament is not None and refusal is not None and has_waiting_appeal(tournament),
            **more,
        }
        return render(self.request, "organizers/sending.html", context, status=status)


@method_decorator(never_cache, name="dispatch")
class AppealView(_OfScope, FormView[AppealForm]):
    """View that takes an appeal within seven days of the refusal (B.02 0.5)."""

    form_class = AppealForm
    template_name = "organizers/appeal.html"
    tournament: Tournament

    def form_valid(self, form: AppealForm) -> HttpResponse:
        """Leave it to the office, and go back to the tournament."""
        text, now = form.cleaned_data["text"], timezone.now()
        try:
            appeal(scope=self.scope, tournament=self.tournament, text=text, by=self.request.user, at=now)
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.render_to_response(self.get_context_data(form=form), status=409)
        messages.success(self.request, gettext("The office has your appeal of today."))
        return HttpResponseRedirect(self._back())

    def form_invalid(self, form: AppealForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the refusal, and where to go back."""
        refusal = self.tournament.refusal
        return super().get_context_data(
            tournament=self.tournament, refusal=refusal, back=self._back(), **kwargs
        )

    def _back(self) -> str:
        return reverse("organizers:tournament", args=(self.scope.pk, self.tournament.pk))
