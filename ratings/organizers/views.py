"""Private pages for organizers, kept by no cache: what they may report, sent files, appeals, invitations."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.apps import apps
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.generic import FormView, TemplateView

from foa.account.factors import asks_password
from foa.db_errors import BUSY
from members.views import NewLoginView
from ratings.formats.problems import file_name
from ratings.office.uploads import discard_leftovers, keep_for_decision
from ratings.organizers.forms import AppealForm, CheckedFileForm, FileForm
from ratings.organizers.models import Scope, Submission, standing_of
from ratings.organizers.services.checking import FileFaults, check, may_check
from ratings.organizers.services.inviting import accept_as, accept_new, invitation_of
from ratings.organizers.services.programs import end_program, give_program, program_of
from ratings.organizers.services.submissions import (
    appeal,
    confirm_submission,
    found_in,
    has_waiting_appeal,
    send,
    withdraw,
)
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
    """A scope with its tournaments, and the reports that its rating administrator has to confirm.

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
            raise Http404(gettext("You can’t report anything yet. Ask us for an invitation."))
        kwargs["has_api"] = apps.is_installed("ratings.arena")
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
    """Return a sent file, and the scope under which this user may confirm it.

    Raises Http404 unless they may report under its scope or are its federation's administrator.
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
    """Return True if this user may report under the scope of the file."""
    return Submission.objects.of(request.user).filter(pk=sent.pk).exists()


@method_decorator(never_cache, name="dispatch")
class SubmissionView(LoginRequiredMixin, View):
    """View of the receipt of a sent file, which POST withdraws or confirms."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the receipt."""
        return self._page(request, *_seen_by(request, pk))

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Withdraw or confirm the file, and show the receipt again."""
        sent, scope = _seen_by(request, pk)
        now = timezone.now()
        try:
            if "confirm" in request.POST and scope is not None:
                confirm_submission(sent, scope=scope, by=request.user, at=now)
                messages.success(request, gettext("Thank you. The report is confirmed."))
            elif "withdraw" in request.POST and _is_mine(request, sent):
                withdraw(sent, by=request.user, at=now)
                messages.success(request, gettext("Withdrawn. We won’t process this report."))
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


class _OfScope(LoginRequiredMixin):
    """Base of the pages about a scope; users who don't have it get 404."""

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
        if not may_check(self.request.user):
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
        messages.success(self.request, gettext("We’ve received your report, and will confirm it by email."))
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


@login_required
@never_cache
@asks_password
def program(request: HttpRequest) -> HttpResponse:
    """Give a program that reports for this login its id and secret, shown once, or end its access."""
    if not apps.is_installed("ratings.arena") or not Scope.objects.of(request.user).exists():
        raise Http404(gettext("You can’t report anything yet. Ask us for an invitation."))
    credentials = None
    if "end" in request.POST:
        end_program(request.user)
        messages.success(request, gettext("Access removed. The program can no longer send anything."))
        return redirect("organizers:program")
    if "give" in request.POST:
        credentials = give_program(request.user)
    context = {"credentials": credentials, "program": program_of(request.user)}
    return render(request, "organizers/program.html", context)


@method_decorator(never_cache, name="dispatch")
class AppealView(_OfScope, FormView[AppealForm]):
    """View that takes an appeal within seven days of the refusal (B.02 0.5)."""

    form_class = AppealForm
    template_name = "organizers/appeal.html"
    tournament: Tournament

    def form_valid(self, form: AppealForm) -> HttpResponse:
        """Send the appeal to the office, and go back to the tournament."""
        text, now = form.cleaned_data["text"], timezone.now()
        try:
            appeal(scope=self.scope, tournament=self.tournament, text=text, by=self.request.user, at=now)
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.render_to_response(self.get_context_data(form=form), status=409)
        messages.success(self.request, gettext("We’ve received your appeal."))
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


class AcceptView(NewLoginView):
    """View that gives the scope to whoever is logged in, or to a new login.

    If a login has the address of the invitation, it asks to log in first: only who got the mail sees that.
    """

    template_name = "organizers/accept.html"
    done = "organizers:mine"
    invitation: Scope

    def find_invitation(self, token: str) -> Scope | None:
        return invitation_of(token, timezone.now())

    def create_login(self, username: str, password: str) -> Any:
        return accept_new(self.invitation, username=username, password=password)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Accept for the login that is logged in, or create one unless the address has one."""
        if request.user.is_authenticated:
            try:
                accept_as(self.invitation, request.user)
            except ValidationError as refusal:
                context = self.get_context_data(fault=refusal.messages[0])
                return self.render_to_response(context, status=409)
            return redirect(self.done)
        if self._has_login():
            return self.render_to_response(self.get_context_data(), status=409)
        return super().post(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the scope, and whether to log in first."""
        return super().get_context_data(scope=self.invitation, has_login=self._has_login(), **kwargs)

    def _has_login(self) -> bool:
        users = get_user_model().objects
        return users.filter(email__iexact=self.invitation.email, is_active=True).exists()
