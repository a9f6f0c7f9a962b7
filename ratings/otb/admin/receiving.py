"""Receiving the report of a tournament, and its findings, refusal and appeal on its page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.uploads import UploadField
from foa.web.days import DayInput
from ratings.formats.problems import FileRefused
from ratings.formats.trf.reading import MAX_BYTES
from ratings.office.admin.deciding import DecisionPages
from ratings.office.decision_types import kind_of
from ratings.office.uploads import content_of, keep_for_decision
from ratings.otb.findings import FindingRow, cut_short, finding_rows
from ratings.otb.models import KIND_CHOICES, Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.rating import as_rated
from ratings.otb.services.receiving import ReportRefused, Upload, preview
from ratings.rules.b02.eligibility import APPEAL_DAYS
from ratings.rules.b02.types import TournamentType


class ReportForm(forms.Form):
    """A report with its options. A refused one is kept, so that the options can be changed."""

    file = UploadField(
        most=MAX_BYTES,
        required=False,
        help_text=_("A tournament report (TRF16 or TRF26), at most 8 MB."),
    )
    upload = forms.CharField(required=False, max_length=32, widget=forms.HiddenInput)
    sha256 = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    source = forms.CharField(required=False, max_length=255, widget=forms.HiddenInput)
    kind = forms.TypedChoiceField(
        label=_("Kind"),
        required=False,
        empty_value=None,
        coerce=lambda text: TournamentType(int(text)),
        choices=[("", _("as registered, otherwise as in the report")), *KIND_CHOICES],
    )
    registered_on = forms.DateField(
        label=_("Registered on"),
        required=False,
        widget=DayInput(),
        help_text=_("Leave blank for the known date, or today."),
    )
    skip_unknown_federations = forms.BooleanField(
        label=_("Leave out unknown federations"),
        required=False,
        help_text=_("Otherwise the report is refused if any player’s federation isn’t a FIDE federation."),
    )

    def clean_file(self) -> Any:
        """Require a file, unless one is kept."""
        file = self.cleaned_data["file"]
        if file is None and not self.data.get("upload"):
            raise ValidationError(self.fields["file"].error_messages["required"], code="required")
        return file

    def clean(self) -> dict[str, Any]:
        """Read the file, or the one that is kept."""
        chosen = super().clean() or self.cleaned_data
        if file := chosen.get("file"):
            chosen |= {"content": file.read(), "source": file.name}
        elif "file" in chosen:
            chosen["content"] = content_of(chosen.get("upload", ""), chosen.get("sha256", ""))
        return chosen

    def keeping(self, report: Upload) -> ReportForm:
        """Return this form again, with its report kept."""
        kept = keep_for_decision(report.content, report.source)
        form = ReportForm({**{name: self.data.get(name) for name in self.data}, **kept})
        told = gettext("We still have %(file)s. Choose a file only to replace it.")
        form.fields["file"].help_text = told % {"file": kept["source"]}
        return form

    def report(self) -> Upload:
        """Return what was posted."""
        chosen = self.cleaned_data
        return Upload(
            content=chosen["content"],
            source=chosen["source"],
            kind=chosen["kind"],
            registered_on=chosen["registered_on"],
            skip_unknown_federations=chosen["skip_unknown_federations"],
        )


class ReceivingAdmin(DecisionPages):
    """The page that takes reports."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page that receives a report, of a new tournament or a stored one."""
        view, name = self.admin_site.admin_view(self.receive_view), "otb_tournament_receive"
        return [
            path("receive/", view, name=name),
            path("<int:pk>/receive/", view, name=name),
            *super().get_urls(),
        ]

    def receive_view(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        """Ask for a file; posted, keep it and lead to the decision, unless it can't be received."""
        if not self.may_decide(request, "receive-report"):
            raise PermissionDenied
        tournament = None if pk is None else get_object_or_404(Tournament, pk=pk)
        posted = request.method == "POST"
        form = ReportForm(request.POST, request.FILES) if posted else ReportForm()
        faults: list[str] = []
        if form.is_valid():
            upload = form.report()
            try:
                if preview(upload, at=timezone.now(), tournament=tournament).is_new:
                    return HttpResponseRedirect(decision_about(upload, tournament))
                told = gettext("We already have this report.")
                self.message_user(request, told, messages.WARNING)
                return HttpResponseRedirect(request.path)
            except ReportRefused as refusal:
                faults = list(refusal.reasons)
            except (FileRefused, NotPossible) as refusal:
                faults = [str(refusal)]
            form = form.keeping(upload)
        return TemplateResponse(
            request,
            "admin/otb/tournament/receive.html",
            {
                **self.admin_site.each_context(request),
                "title": _title(tournament),
                "opts": self.opts,
                "tournament": tournament,
                "form": form,
                "faults": cut_short(faults),
                "problems": len(faults),
            },
        )


def decision_about(upload: Upload, tournament: Tournament | None) -> str:
    """Keep the file of a report for the decision about it, and return the address of that."""
    asked: dict[str, Any] = {
        **keep_for_decision(upload.content, upload.source),
        "kind": upload.kind and upload.kind.value,
        "registered_on": upload.registered_on,
        "skip": "on" if upload.skip_unknown_federations else None,
    }
    if tournament is not None and tournament.report_id is not None:
        address = reverse("admin:otb_tournament_replace", args=(tournament.pk,))
    else:
        address = reverse("admin:otb_tournament_store")
        asked["tournament"] = tournament and tournament.pk
    return f"{address}?{urlencode({name: value for name, value in asked.items() if value is not None})}"


def _title(tournament: Tournament | None) -> str:
    if tournament is None:
        return gettext("Import a tournament report")
    words = {"tournament": tournament}
    if tournament.report_id is None:
        return gettext("Import the report of %(tournament)s") % words
    return gettext("Replace the report of %(tournament)s") % words


class JudgingAdmin(DecisionPages):
    """The page of the findings of a tournament. It decides nothing: it leads to the decisions."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page of the findings."""
        view = self.admin_site.admin_view(self.judge_view)
        return [path("<int:pk>/judge/", view, name="otb_tournament_judge"), *super().get_urls()]

    def decision_view(self, request: HttpRequest, decision: str, **fixed: Any) -> HttpResponse:
        """Show the findings again, with the reasons typed, if they can't be accepted as they are."""
        if decision == "accept-finding" and "finds" in request.GET:
            asked = {**dict(request.GET.lists()), "tournament": [str(fixed["tournament"])]}
            accepting = kind_of(decision).bind(asked)
            if accepting.errors and "finds" not in accepting.errors:
                return self.judge_view(request, fixed["tournament"], accepting)
        return super().decision_view(request, decision, **fixed)

    def judge_view(self, request: HttpRequest, pk: int, accepting: Any = None) -> HttpResponse:
        """Show the findings, and what can be decided about them.

        ``accepting``: the form of findings that can't be accepted as they are.
        """
        if not self.may_decide(request, "accept-finding"):
            raise PermissionDenied
        tournament: Any = get_object_or_404(Tournament.objects.with_report(), pk=pk)
        rows: list[FindingRow] = []
        unreadable = ""
        try:
            rated = as_rated(tournament)
        except FileRefused as refusal:
            unreadable = str(refusal)
        else:
            typed = _typed(request)
            rows = (
                [one._replace(typed=typed.get(str(one.finds.value), "")) for one in finding_rows(rated)]
                if rated
                else []
            )
        refusing = [row.sentence for row in rows if row.refuses and row.accepted is None]
        # What was found is what the organizer is told, unless somebody writes it better.
        form = kind_of("refuse-tournament").form(initial={"reason": "\n".join(refusing)})
        status = Tournament.Status(tournament.status)
        standing = tournament.refusal
        return TemplateResponse(
            request,
            "admin/otb/tournament/judge.html",
            {
                **self.admin_site.each_context(request),
                "title": gettext("Findings: %(tournament)s") % {"tournament": tournament},
                "opts": self.opts,
                "tournament": tournament,
                "findings": cut_short(rows),
                "accepting": accepting,
                "refusing": len(refusing),
                "form": form,
                "unreadable": unreadable,
                "may_accept": status is not Tournament.Status.RATED,
                "may_refuse": status in (Tournament.Status.REGISTERED, Tournament.Status.RECEIVED),
                "refusals": tournament.refusals.order_by("-pk"),
                "refusal": standing,
                "appeal_form": kind_of("receive-appeal").form(),
                "decision_form": kind_of("decide-appeal").form(),
                "taking_back_form": kind_of("take-back-refusal").form(),
                "may_appeal": standing is not None and standing.appealed_on is None,
                "appeal_days": APPEAL_DAYS,
            },
        )


def _typed(request: HttpRequest) -> dict[str, str]:
    """Return the reasons in the address, by number of the finding."""
    return dict(zip(request.GET.getlist("finds"), request.GET.getlist("reason"), strict=False))
