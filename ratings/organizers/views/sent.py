"""What somebody may report, and what they sent."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
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
from django.views.generic import TemplateView

from foa.db_errors import BUSY
from ratings.organizers.models import Scope, Submission, standing_of
from ratings.organizers.services.checking import FileFaults
from ratings.organizers.services.handling import found_in
from ratings.organizers.services.sending import confirm, withdraw
from ratings.otb.findings import cut_short
from ratings.otb.models import Tournament

LATEST: Final = 100
"""Maximum number of rows of a table of these pages."""


class Row(NamedTuple):
    """A tournament that somebody may report, with its state in words."""

    tournament: Tournament
    address: str
    state: str


class Part(NamedTuple):
    """What a scope is good for: its tournaments, and what its rating administrator has to confirm.

    ``new``: reports of new tournaments that wait for the office.
    """

    scope: Scope
    new: list[Submission]
    rows: list[Row]
    to_confirm: list[Submission]


@method_decorator(never_cache, name="dispatch")
class MineView(LoginRequiredMixin, TemplateView):
    """View of everything that somebody may report. 404 for a login without anything."""

    template_name = "organizers/mine.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add each scope with its tournaments."""
        found = Scope.objects.of(self.request.user).select_related("tournament", "team").order_by("pk")
        scopes = list(found)
        if not scopes:
            raise Http404(gettext("Nothing to report. Ask the office for an invitation."))
        return super().get_context_data(parts=[_part(scope) for scope in scopes], **kwargs)


def _part(scope: Scope) -> Part:
    tournaments = []
    if scope.tournament is not None:
        tournaments = [scope.tournament]
    elif scope.federation:
        of_federation = Tournament.objects.filter(federation=scope.federation, part_of=None)
        tournaments = list(of_federation[:LATEST])
    latest = {
        one.tournament_id: one
        for one in scope.submissions.filter(tournament__in=tournaments).defer("content").order_by("pk")
    }
    rows = [
        Row(
            one,
            reverse("organizers:tournament", args=(scope.pk, one.pk)),
            standing_of(one, latest.get(one.pk)),
        )
        for one in tournaments
    ]
    waiting = Submission.objects.to_confirm(scope, timezone.now().date()).select_related("tournament")
    new = scope.submissions.open().filter(tournament=None, team=None).defer("content")
    return Part(scope, list(new[:LATEST]), rows, list(waiting.defer("content").order_by("pk")[:LATEST]))


def _seen_by(request: HttpRequest, pk: int) -> tuple[Submission, Scope | None]:
    """Return a sent file that somebody sees, and the scope under which they may confirm it.

    Raises Http404 for everybody but who may report under its scope, and its federation's administrator.
    """
    scopes = Scope.objects.of(request.user)
    rows = Submission.objects.select_related("tournament", "team", "confirmed_by").defer("content")
    sent = rows.filter(pk=pk).first()
    if sent is not None:
        today = timezone.now().date()
        administrators = Scope.objects.administrators_of(sent.federation, today)
        mine = administrators.filter(pk__in=scopes.values("pk")).first()
        if mine is not None or _is_mine(request, sent):
            return sent, mine
    raise Http404(gettext("This report doesn’t exist."))


def _is_mine(request: HttpRequest, sent: Submission) -> bool:
    """Return True if somebody may report under the scope under which the file was sent."""
    return Scope.objects.of(request.user).filter(submissions=sent).exists()


@method_decorator(never_cache, name="dispatch")
class SubmissionView(LoginRequiredMixin, View):
    """View of the receipt of a sent file; posted, it is withdrawn or confirmed."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the receipt."""
        return self._page(request, *_seen_by(request, pk))

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Do what the button says, and show the receipt again."""
        sent, scope = _seen_by(request, pk)
        now = timezone.now()
        try:
            if "confirm" in request.POST and scope is not None:
                confirm(sent, scope=scope, by=request.user, at=now)
                messages.success(request, gettext("Confirmed. The office sees that."))
            elif "withdraw" in request.POST and _is_mine(request, sent):
                withdraw(sent, by=request.user, at=now)
                messages.success(request, gettext("Withdrawn. The office won’t receive this report."))
            else:
                raise Http404(gettext("This report doesn’t exist."))
        except ValidationError as refusal:
            sent, scope = _seen_by(request, pk)
            return self._page(request, sent, scope, fault=refusal.messages[0], status=409)
        return HttpResponseRedirect(sent.get_absolute_url())

    def _page(
        self,
        request: HttpRequest,
        sent: Submission,
        scope: Scope | None,
        fault: str = "",
        status: int = 200,
    ) -> HttpResponse:
        lacks = sent.lacks_confirmation(timezone.now())
        may_confirm = lacks and scope is not None
        context = {
            "sent": sent,
            "fault": fault,
            "lacks_confirmation": lacks,
            "may_confirm": may_confirm,
            # Whoever confirms a report reads first what the office finds in it.
            **(look_into(sent) if may_confirm else {}),
            "may_withdraw": sent.state == Submission.State.SENT and _is_mine(request, sent),
        }
        return render(request, "organizers/submission.html", context, status=status)


def look_into(sent: Submission) -> dict[str, Any]:
    """Return what the office finds in a file now, or why it can't be received."""
    try:
        return {"found": found_in(sent)}
    except FileFaults as faults:
        return {"faults": cut_short(faults.reasons)}
    except OperationalError:
        return {"faults": cut_short([str(BUSY)])}


def file_response(sent: Submission) -> HttpResponse:
    """Return an answer with a sent file."""
    # Nothing is said of the encoding: the bytes may be in any.
    answer = HttpResponse(bytes(sent.content), content_type="text/plain")
    ending = "trf" if sent.team_id is None else "csv"
    answer["Content-Disposition"] = f'attachment; filename="report-{sent.pk}.{ending}"'
    return answer


@login_required
@never_cache
def file(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer with the file, byte for byte as it was sent."""
    sent, _scope = _seen_by(request, pk)
    return file_response(sent)


@login_required
@never_cache
def receipt(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer with the receipt as a text file."""
    sent, _scope = _seen_by(request, pk)
    answer = render(
        request, "organizers/receipt.txt", {"sent": sent}, content_type="text/plain; charset=utf-8"
    )
    answer["Content-Disposition"] = f'attachment; filename="receipt-{sent.pk}.txt"'
    return answer
