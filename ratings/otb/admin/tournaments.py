"""Tournaments over the board (B.02): registered here, corrected until they are rated, looked at for ever."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import TypedFilter
from ratings.formats.frl import FIRST_LIST_YEAR
from ratings.formats.trf import stages_of
from ratings.formats.trf.federations import FEDERATIONS
from ratings.otb.admin.judging import JudgingAdmin
from ratings.otb.admin.receiving import ReceivingAdmin
from ratings.otb.findings import FINDS
from ratings.otb.labels import FINDS_TEXTS
from ratings.otb.models import Tournament, TournamentReport
from ratings.otb.services.judging import NotPossible, as_stored
from ratings.otb.services.locks import lock_tournaments

"""FIDE's first rating list is of this year."""

_AHEAD: Final = timedelta(days=3653)


class TournamentForm(forms.ModelForm):  # type: ignore[type-arg]  # Django refuses one at run time
    """What a federation registers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What has changed is told from what the page showed: a report may have come in since.
        for field in self.fields.values():
            field.show_hidden_initial = True

    def clean_federation(self) -> str:
        """A code that FIDE uses."""
        code: str = self.cleaned_data["federation"].strip().upper()
        if code and code not in FEDERATIONS:
            raise ValidationError(_("FIDE has no federation with this code."))
        return code

    def clean_time_control(self) -> str:
        """One that B.02 1.1 can be checked with."""
        text: str = self.cleaned_data["time_control"].strip()
        if text and stages_of(text) is None:
            raise ValidationError(
                _("This cannot be checked as a time control. Write it as in 40/5400+30:1800+30, in seconds.")
            )
        return text

    def clean(self) -> dict[str, Any] | None:
        """Days on which a tournament can have been played, or may be planned."""
        latest = timezone.now().date() + _AHEAD
        for name in ("first_day", "last_day", "registered_on"):
            day = self.cleaned_data.get(name)
            if day is not None and not (day.year >= FIRST_LIST_YEAR and day <= latest):
                self.add_error(
                    name,
                    gettext("Write a day between %(first)d-01-01 and %(last)s.")
                    % {"first": FIRST_LIST_YEAR, "last": latest},
                )
        return super().clean()


class FederationFilter(TypedFilter):
    """Tournaments of one federation."""

    title = _("federation")
    parameter_name = "federation"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        """By FIDE's code, in capital letters."""
        code = self.value()
        return queryset.filter(federation=code.strip().upper()) if code else queryset


@admin.register(Tournament)
class TournamentAdmin(ReceivingAdmin, JudgingAdmin):
    """A tournament. What is rated is no longer edited: its report can be replaced."""

    decisions = {
        "receive/store": "receive-report",
        "<int:tournament>/replace": "replace-report",
        "<int:tournament>/judge/accept": "accept-finding",
        "<int:tournament>/judge/withdraw": "withdraw-acceptance",
        "<int:tournament>/judge/refuse": "refuse-tournament",
        "<int:tournament>/judge/take-back": "take-back-refusal",
        "<int:tournament>/judge/appeal": "receive-appeal",
        "<int:tournament>/judge/decide-appeal": "decide-appeal",
    }
    form = TournamentForm
    list_display = ("name", "federation", "first_day", "last_day", "kind", "status", "rated_for")
    list_filter = ("status", "kind", FederationFilter)
    date_hierarchy = "last_day"
    sortable_by = ("last_day",)
    autocomplete_fields = ("stage_of",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")

    def get_fields(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """What is entered, and on the page of a tournament that is there what came of it."""
        entered = (
            "name",
            ("city", "federation"),
            ("first_day", "last_day"),
            "registered_on",
            "kind",
            "time_control",
            "planned_games",
            "stage_of",
            "official",
            "league",
            "national_championship",
            "women_only",
            "team_championship",
        )
        return entered if obj is None else ("status", *self.get_readonly_fields(request, obj)[1:], *entered)

    def get_readonly_fields(self, request: HttpRequest, obj: Tournament | None = None) -> tuple[str, ...]:
        """What services write. Refusals only where there are any."""
        if obj is None:
            return ()
        return (
            "status",
            *(("rated_for",) if obj.rated_for else ()),
            *(("refusals",) if obj.refusals.exists() else ()),
            "reports",
            "accepted_findings",
        )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """It is registered today unless something else is written."""
        return {**super().get_changeform_initial_data(request), "registered_on": timezone.now().date()}

    def has_change_permission(self, request: HttpRequest, obj: Tournament | None = None) -> bool:
        """Not of what is rated."""
        rated = obj is not None and obj.status == Tournament.Status.RATED
        return not rated and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Tournament | None = None) -> bool:
        """Only of what nobody has reported on."""
        reported = obj is not None and obj.reports.exists()
        return not reported and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        """Store what was entered and nothing besides: a period may have been closed since it was read."""
        if not change:
            super().save_model(request, obj, form, change)
            return
        lock_tournaments(connection)
        try:
            stored = as_stored(obj, DEFAULT_DB_ALIAS)
        except NotPossible as refusal:
            raise Http404(str(refusal)) from refusal
        if not self.has_change_permission(request, stored):
            raise PermissionDenied
        obj.save(update_fields=form.changed_data)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a button for who may receive reports."""
        may = {"may_receive": self.may_decide(request, "receive-report")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The page, with buttons for who may receive its report, and judge it."""
        may = {
            "may_receive": self.may_decide(request, "receive-report"),
            "may_judge": self.may_decide(request, "accept-finding"),
        }
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the reports as files."""
        view = self.admin_site.admin_view(self.report_view)
        name = "otb_tournament_report"
        return [path("<int:pk>/report/<int:report>/", view, name=name), *super().get_urls()]

    def report_view(self, request: HttpRequest, pk: int, report: int) -> HttpResponse:
        """A report, byte for byte as it was received."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = TournamentReport.objects.filter(pk=report).first()
        if found is None or found.tournament_id != pk:
            raise Http404(gettext("There is no such report."))
        # Nothing is said of the encoding: the bytes may be in any.
        answer = HttpResponse(bytes(found.content), content_type="text/plain")
        answer["Content-Disposition"] = f'attachment; filename="tournament-{pk}-report-{report}.trf"'
        return answer

    @admin.display(description=_("reports"))
    def reports(self, tournament: Tournament) -> SafeString:
        """Every report that was received, the latest first."""
        rows = tournament.reports.order_by("-pk").defer("content").select_related("received_by")
        context = {"reports": rows, "counts": tournament.report_id}
        return render_to_string("admin/otb/tournament/_reports.html", context)

    @admin.display(description=_("refusals and appeals"))
    def refusals(self, tournament: Tournament) -> SafeString:
        """Everything that was said against the tournament, and for it; the latest first."""
        context = {"refusals": tournament.refusals.order_by("-pk")}
        return render_to_string("otb/_refusals.html", context)

    @admin.display(description=_("accepted findings"))
    def accepted_findings(self, tournament: Tournament) -> SafeString:
        """What somebody let pass, and why."""
        rows = [(FINDS[one.finds], one) for one in tournament.accepted.select_related("accepted_by")]
        context = {"accepted": [(finds.article, FINDS_TEXTS[finds], one) for finds, one in rows]}
        return render_to_string("admin/otb/tournament/_accepted.html", context)
