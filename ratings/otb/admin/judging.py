"""B.02 0.4, 0.5: what was found in a tournament, what of it is let pass, and refusing the tournament."""

from __future__ import annotations

from typing import Final

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.formats.problems import FileRefused
from ratings.otb.admin.findings import FINDS, SHOWN, FindingRow, finding_rows
from ratings.otb.labels import FINDS_TEXTS
from ratings.otb.models import AcceptedFinding, Tournament
from ratings.otb.services.judging import NotPossible, accept, refuse, take_back_refusal
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.eligibility import APPEAL_DAYS, appeal_until

_FINDS: Final = {str(number): finds for number, finds in FINDS.items()}


class ReasonForm(forms.Form):
    """Why a finding is let pass."""

    reason = forms.CharField(
        label=_("Reason"), max_length=AcceptedFinding._meta.get_field("reason").max_length
    )


class RefusalForm(forms.Form):
    """Why a tournament is refused."""

    reason = forms.CharField(
        label=_("Reasons"), max_length=5_000, widget=AdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("They stand on the public page of the tournament."),
    )  # fmt: skip


class JudgingAdmin(OfficeAdmin[Tournament]):
    """The page that judges a tournament."""

    def has_judge_permission(self, request: HttpRequest) -> bool:
        """Whether this login may accept findings and refuse tournaments."""
        return request.user.has_perm("otb.judge_tournament")

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the one that judges."""
        view = self.admin_site.admin_view(self.judge_view)
        return [path("<int:pk>/judge/", view, name="otb_tournament_judge"), *super().get_urls()]

    def judge_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show what was found; posted, let a finding pass, or refuse, or take a refusal back."""
        if not self.has_judge_permission(request):
            raise PermissionDenied
        tournament = get_object_or_404(Tournament.objects.select_related("report"), pk=pk)
        action = request.POST.get("action", "")
        form = RefusalForm(request.POST if action == "refuse" else None)
        fault = ""
        if request.method == "POST":
            try:
                told = self._judge(request, tournament, action, form)
            except (NotPossible, FileRefused) as refusal:
                fault = str(refusal)
            except OperationalError:
                # SQLite has one writer.
                fault = gettext("The database is busy with other work. Try again in a while.")
            else:
                if told:
                    self.message_user(request, told, messages.SUCCESS)
                    return HttpResponseRedirect(request.path)
        return self._page(request, tournament, form, fault)

    def _judge(self, request: HttpRequest, tournament: Tournament, action: str, form: RefusalForm) -> str:
        """Do what was posted; what is told of it, nothing where the form says what is wrong."""
        by = request.user
        with transaction.atomic():
            if action == "accept":
                finds = _FINDS.get(request.POST.get("finds", ""))
                if finds is None:
                    raise BadRequest(gettext("There is no finding with this number."))
                asked = ReasonForm(request.POST)
                if not asked.is_valid():
                    raise NotPossible(" ".join(map(str, asked.errors["reason"])))
                reason = asked.cleaned_data["reason"]
                accept(tournament, finds, reason, by, timezone.now())
                words = {"finding": FINDS_TEXTS[finds], "article": finds.article, "reason": reason}
                told = gettext("Accepted (B.02 %(article)s, %(finding)s): %(reason)s") % words
            elif action == "refuse":
                if not form.is_valid():
                    return ""
                stored = refuse(tournament, form.cleaned_data["reason"], timezone.now().date())
                told = gettext("Refused: %(reason)s") % {"reason": stored.refusal}
            elif action == "take_back":
                take_back_refusal(tournament)
                told = gettext("The refusal was taken back.")
            else:
                raise BadRequest(gettext("It was not said what is to be done."))
            LogEntry.objects.log_actions(by.pk, [tournament], CHANGE, change_message=told)  # type: ignore[arg-type]
        return told

    def _page(
        self, request: HttpRequest, tournament: Tournament, form: RefusalForm, fault: str
    ) -> HttpResponse:
        rows: list[FindingRow] = []
        unreadable = ""
        try:
            rated = as_rated(tournament)
        except FileRefused as refusal:
            unreadable = str(refusal)
        else:
            accepted = {one.finds: one for one in tournament.accepted.select_related("accepted_by")}
            rows = finding_rows(rated, accepted) if rated else []
        if not form.is_bound:
            # What was found is what the organizer is told, unless somebody writes it better.
            reasons = [row.sentence for row in rows if row.refuses and row.accepted is None]
            form.initial["reason"] = "\n".join(reasons)
        status = Tournament.Status(tournament.status)
        return TemplateResponse(request, "admin/otb/tournament/judge.html", {
            **self.admin_site.each_context(request),
            "title": gettext("Findings: %(tournament)s") % {"tournament": tournament},
            "opts": self.opts,
            "tournament": tournament,
            "rows": rows[:SHOWN],
            "not_shown": max(0, len(rows) - SHOWN),
            "refusing": sum(row.refuses and row.accepted is None for row in rows),
            "reason_form": ReasonForm(auto_id=False),
            "form": form,
            "fault": fault,
            "unreadable": unreadable,
            "may_accept": status is not Tournament.Status.RATED,
            "may_refuse": status is Tournament.Status.RECEIVED,
            "is_refused": status is Tournament.Status.REFUSED,
            "appeal_days": APPEAL_DAYS,
            "appeal_until": tournament.refused_on and appeal_until(tournament.refused_on),
        })  # fmt: skip
