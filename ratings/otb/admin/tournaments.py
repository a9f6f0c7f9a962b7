"""Over-the-board tournaments (B.02): registering and correcting them until they are rated."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from foa.web.admin import ChoiceFilter, TypedFilter
from ratings.formats.frl import FIRST_LIST_YEAR
from ratings.formats.trf import stages_of
from ratings.otb.admin.receiving import JudgingAdmin, ReceivingAdmin
from ratings.otb.citations import cited
from ratings.otb.findings import FINDS
from ratings.otb.models import RatingAdministrator, Tournament, TournamentReport
from ratings.otb.services.fees import account, account_of, unpaid
from ratings.otb.services.judging import NotPossible, as_stored
from ratings.otb.services.leagues import follow
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rows import place_again
from ratings.otb.services.standings import beginning_of_2024, edition_of, edition_on
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic
from ratings.rules.federations import FEDERATIONS

_AHEAD: Final = timedelta(days=3653)


class TournamentForm(forms.ModelForm[Tournament]):
    """A tournament that a federation registers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What has changed is told from what the page showed: a report may have come in since.
        for field in self.fields.values():
            field.show_hidden_initial = True

    def clean_federation(self) -> str:
        """Refuse a code that FIDE doesn't use."""
        code: str = self.cleaned_data["federation"].strip().upper()
        if code and code not in FEDERATIONS:
            raise ValidationError(_("No FIDE federation has this code."))
        return code

    def clean_time_control(self) -> str:
        """Refuse a time control that can't be checked against B.02 1.1."""
        text: str = self.cleaned_data["time_control"].strip()
        if text and stages_of(text) is None:
            raise ValidationError(
                _("This isn’t a time control we can check. Write it in seconds, such as 40/5400+30:1800+30.")
            )
        return text

    def clean(self) -> dict[str, Any] | None:
        """Refuse days on which no tournament was or will be played."""
        latest = timezone.now().date() + _AHEAD
        for name in ("first_day", "last_day", "registered_on"):
            day = self.cleaned_data.get(name)
            if day is not None and not (day.year >= FIRST_LIST_YEAR and day <= latest):
                self.add_error(
                    name,
                    gettext("Enter a date between %(first)d-01-01 and %(last)s.")
                    % {"first": FIRST_LIST_YEAR, "last": latest},
                )
        registered_on, first_day = (self.cleaned_data.get(name) for name in ("registered_on", "first_day"))
        if self.cleaned_data.get("by_period") and registered_on and first_day and registered_on > first_day:
            told = _(
                "This league was registered after it had begun, but how it is rated has to be chosen "
                "before the first round%(cited)s."
            )
            chapter = self.cleaned_data.get("chapter") or Chapter.STANDARD
            self.add_error(
                "by_period", told % {"cited": cited(edition_on(first_day, chapter), Topic.BY_PERIOD)}
            )
        if self.cleaned_data.get("chapter") not in (None, Chapter.STANDARD) and first_day is not None:
            since = beginning_of_2024()
            if first_day < since:
                told = _("Rapid and blitz tournaments are rated from %(day)s on.")
                self.add_error("chapter", told % {"day": date_text(since)})
        return super().clean()


class FederationFilter(TypedFilter):
    """Tournaments of one federation."""

    title = _("federation")
    parameter_name = "federation"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        """Keep tournaments of a federation, by FIDE's code in any case."""
        code = self.value()
        return queryset.filter(federation=code.strip().upper()) if code else queryset


class FeeFilter(ChoiceFilter):
    """B.02 0.3: the worklist of rating fees."""

    title = _("rating fee")
    parameter_name = "fee"
    options = (("unpaid", pgettext_lazy("a fee", "unpaid")),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> QuerySet[Tournament]:
        """Return those that still owe something."""
        return unpaid(queryset) if self.value() == "unpaid" else queryset


@admin.register(Tournament)
class TournamentAdmin(ReceivingAdmin, JudgingAdmin):
    """Tournaments. A rated one isn't edited any more, but its report can be replaced."""

    decisions = {
        "receive/store": "receive-report",
        "<int:tournament>/replace": "replace-report",
        "<int:tournament>/judge/accept": "accept-finding",
        "<int:tournament>/judge/withdraw": "withdraw-acceptance",
        "<int:tournament>/judge/refuse": "refuse-tournament",
        "<int:tournament>/judge/take-back": "take-back-refusal",
        "<int:tournament>/judge/appeal": "receive-appeal",
        "<int:tournament>/judge/decide-appeal": "decide-appeal",
        "<int:tournament>/judge/announced": "announce-unrated",
        "<int:tournament>/judge/not-announced": "withdraw-announcement",
    }
    form = TournamentForm
    list_display = ("name", "federation", "first_day", "last_day", "chapter", "kind", "status", "rated_for")
    list_filter = ("status", "chapter", "kind", FederationFilter, FeeFilter)
    date_hierarchy = "last_day"
    sortable_by = ("last_day",)
    autocomplete_fields = ("stage_of",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")

    def get_fields(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """Return the fields to enter; for a stored tournament also what became of it."""
        entered = (
            "name",
            ("city", "federation"),
            ("first_day", "last_day"),
            "registered_on",
            "kind",
            "chapter",
            "time_control",
            "other_laws",
            "planned_games",
            "rated_to_the_end",
            "stage_of",
            "official",
            "league",
            "national_championship",
            "women_only",
            "team_championship",
            "announced_unrated",
            "by_period",
        )
        if obj is None:
            return entered
        made = self.get_readonly_fields(request, obj)
        return ("status", *made[1:], *(name for name in entered if name not in made))

    def get_readonly_fields(self, request: HttpRequest, obj: Tournament | None = None) -> tuple[str, ...]:
        """Return the fields that services write; refusals only where there are any.

        Choices made before the first round can be edited until there is a report.
        """
        if obj is None:
            return ()
        return (
            "status",
            *(("rated_for",) if obj.rated_for else ()),
            *(("refusals",) if obj.refusals.exists() else ()),
            "reports",
            "accepted_findings",
            *(("announced_unrated", "by_period") if obj.report_id else ()),
            "fee",
            *(("administrator",) if obj.federation else ()),
        )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Suggest that it is registered today."""
        return {**super().get_changeform_initial_data(request), "registered_on": timezone.now().date()}

    def has_change_permission(self, request: HttpRequest, obj: Tournament | None = None) -> bool:
        """Refuse to change a rated tournament, or a part of a league by itself."""
        rated = obj is not None and (
            obj.status == Tournament.Status.RATED
            or obj.part_of_id is not None
            or obj.parts.filter(status=Tournament.Status.RATED).exists()
        )
        return not rated and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Tournament | None = None) -> bool:
        """Allow deleting a tournament without any report."""
        reported = obj is not None and obj.reports.exists()
        return not reported and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        """Store the fields that were entered and no others: a period may have been closed meanwhile."""
        if not change:
            super().save_model(request, obj, form, change)
            return
        lock_tournaments()
        try:
            stored = as_stored(obj)
        except NotPossible as refusal:
            raise Http404(str(refusal)) from refusal
        if not self.has_change_permission(request, stored):
            raise PermissionDenied
        obj.save(update_fields=form.changed_data)
        if {"kind", "first_day"}.intersection(form.changed_data):
            place_again(obj)
        follow(obj)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the tournaments, with a button for users who may receive reports."""
        may = {"may_receive": self.may_decide(request, "receive-report")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page, with buttons for users who may receive its report or judge it."""
        may = {
            "may_receive": self.may_decide(request, "receive-report") and not _is_part(object_id),
            "may_judge": self.may_decide(request, "accept-finding"),
        }
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        """Add the reports as files."""
        view = self.admin_site.admin_view(self.report_view)
        name = "otb_tournament_report"
        return [path("<int:pk>/report/<int:report>/", view, name=name), *super().get_urls()]

    def report_view(self, request: HttpRequest, pk: int, report: int) -> HttpResponse:
        """Answer with a report, byte for byte as it was received."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = TournamentReport.objects.filter(pk=report).first()
        if found is None or found.tournament_id != pk:
            raise Http404(gettext("This report doesn’t exist."))
        # Nothing is said of the encoding: the bytes may be in any.
        answer = HttpResponse(bytes(found.content), content_type="text/plain")
        answer["Content-Disposition"] = f'attachment; filename="tournament-{pk}-report-{report}.trf"'
        return answer

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the columns; in the worklist of fees those of amounts and days."""
        if request.GET.get(FeeFilter.parameter_name) == "unpaid":
            return ("name", "federation", "first_day", "last_day", "owed", "paid", "due", "register_payment")
        return self.list_display

    @admin.display(description=_("rating fee"))
    def fee(self, tournament: Tournament) -> SafeString:
        """B.02 0.3: show what is owed and paid, with a link for users who may register a payment."""
        context = {"account": account(tournament), "tournament": tournament, "today": timezone.now().date()}
        return render_to_string("admin/otb/tournament/_fee.html", context)

    @admin.display(description=_("owed"))
    def owed(self, tournament: Any) -> str:
        """Return the amount with its currency."""
        found = account_of(tournament)
        return "" if found is None else f"{found.owed} {found.currency}"

    @admin.display(description=_("paid"))
    def paid(self, tournament: Any) -> str:
        """Return the amount paid, in the same currency."""
        found = account_of(tournament)
        return "" if found is None else str(found.paid)

    @admin.display(description=_("due by"))
    def due(self, tournament: Any) -> str:
        """Return the last day to pay, and whether it has passed."""
        found = account_of(tournament)
        if found is None or found.due is None:
            return ""
        overdue = found.is_overdue(timezone.now().date())
        return f"{date_text(found.due)} ({gettext('overdue')})" if overdue else date_text(found.due)

    @admin.display(description=_("payment"))
    def register_payment(self, tournament: Tournament) -> SafeString:
        """Link to the page that registers a payment."""
        address = reverse("admin:otb_feepayment_add")
        return format_html('<a href="{}?tournament={}">{}</a>', address, tournament.pk, gettext("Record …"))

    @admin.display(description=_("rating administrator"))
    def administrator(self, tournament: Tournament) -> str:
        """B.02 9.3: return the federation's rating administrator on the first day."""
        found = RatingAdministrator.objects.in_office(tournament.federation, tournament.first_day)
        return gettext("none registered") if found is None else found.name

    @admin.display(description=_("reports"))
    def reports(self, tournament: Tournament) -> SafeString:
        """List every report that was received, the latest first."""
        rows = tournament.reports.order_by("-pk").defer("content").select_related("received_by")
        context = {"reports": rows, "counts": tournament.report_id}
        return render_to_string("admin/otb/tournament/_reports.html", context)

    @admin.display(description=_("refusals and appeals"))
    def refusals(self, tournament: Tournament) -> SafeString:
        """List refusals and appeals, the latest first."""
        context = {"refusals": tournament.refusals.order_by("-pk")}
        return render_to_string("otb/_refusals.html", context)

    @admin.display(description=_("accepted findings"))
    def accepted_findings(self, tournament: Tournament) -> SafeString:
        """List the accepted findings with the reasons."""
        rows = [(FINDS[one.finds], one) for one in tournament.accepted.select_related("accepted_by")]
        edition = edition_of(tournament)
        context = {"accepted": [(edition.cite(finds), _(finds.text), one) for finds, one in rows]}
        return render_to_string("admin/otb/tournament/_accepted.html", context)


def _is_part(key: str) -> bool:
    """Return True for a part of a league: its report comes with that of the league."""
    return key.isdecimal() and Tournament.objects.filter(pk=key).exclude(part_of=None).exists()
