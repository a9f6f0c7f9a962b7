"""The audit behind the counter: what contradicts the rules, what would mend it, and what was accepted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.office.audit import check_of, checks
from ratings.office.jobs import enqueue
from ratings.office.models import AuditedCheck, AuditFinding
from ratings.office.tasks import run_audit


class CheckFilter(admin.SimpleListFilter):
    """By check, with how much each found."""

    title = _("check")
    parameter_name = "check"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Those that found something."""
        found = dict(AuditedCheck.objects.filter(found__gt=0).values_list("name", "found"))
        return [(one.name, f"{one.title} ({found[one.name]})") for one in checks() if one.name in found]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> QuerySet[AuditFinding]:
        """Of this check."""
        return queryset.filter(check_name=self.value()) if self.value() else queryset


class StateFilter(admin.SimpleListFilter):
    """Open or accepted; open ones unless something else is asked for."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Accepted ones; open ones are the rest."""
        return [("accepted", _("accepted"))]

    def choices(self, changelist: Any) -> Any:
        """Django’s first choice is “All”."""
        first, *others = super().choices(changelist)
        return [{**first, "display": _("open")}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> QuerySet[AuditFinding]:
        """Those that the last run found."""
        return queryset.filter(is_there=True, accepted_at__isnull=self.value() != "accepted")


@admin.register(AuditFinding)
class AuditFindingAdmin(ProjectionAdmin[AuditFinding], DecisionPages):
    """A finding: what it is about, the decision that would mend it, and accepting it."""

    list_display = ("article", "__str__", "found_at", "leads")
    list_filter = (StateFilter, CheckFilter)
    sortable_by = ()
    actions = ("accept", "reopen")
    fields = ("article", "title", "leads", "found_at", "accepted_at", "accepted_by", "accepted_note")
    readonly_fields = ("article", "title", "leads")
    decisions = {"accept": "accept-findings", "reopen": "reopen-findings"}

    @admin.display(description=_("article"))
    def article(self, finding: AuditFinding) -> str:
        """The rule that is contradicted."""
        check = check_of(finding.check_name)
        return check.article if check else finding.check_name

    @admin.display(description=_("check"))
    def title(self, finding: AuditFinding) -> str:
        """What the check looks for."""
        check = check_of(finding.check_name)
        return str(check.title) if check else finding.check_name

    @admin.display(description=_("go to"))
    def leads(self, finding: AuditFinding) -> str:
        """The page of what it is about, and the decision that would mend it."""
        links = [
            format_html('<a href="{}">{}</a>', address, label)
            for address, label in ((finding.address, _("Page")), (finding.mending, _("Fix …")))
            if address
        ]
        return format_html(" · ".join(["{}"] * len(links)), *links) if links else "–"

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the one that asks for a run."""
        view = self.admin_site.admin_view(require_POST(self.run_view))
        return [path("run/", view, name="office_auditfinding_run"), *super().get_urls()]

    def run_view(self, request: HttpRequest) -> HttpResponse:
        """Leave it to the worker."""
        if not request.user.has_perm("office.run_auditfinding"):
            raise PermissionDenied
        job = enqueue(run_audit, title=gettext("Audit"), by=request.user)
        return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """With when the checks last ran, and the button that runs them."""
        run = dict(AuditedCheck.objects.values_list("name", "looked_at"))
        page = {
            "title": gettext("Audit"),
            "oldest": min(run.values(), default=None),
            "never": len({one.name for one in checks()} - set(run)),
            "may_run": request.user.has_perm("office.run_auditfinding"),
        }
        return super().changelist_view(request, {**(extra_context or {}), **page})

    def get_actions(self, request: HttpRequest) -> Any:
        """Who may look may not accept."""
        return super().get_actions(request) if self.may_decide(request, "accept-findings") else {}

    @admin.action(description=_("Accept the chosen findings …"))
    def accept(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        """To the page that accepts them."""
        return self._decide(request, "accept", queryset)

    @admin.action(description=_("Open the chosen findings again …"))
    def reopen(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        """To the page that opens them again."""
        return self._decide(request, "reopen", queryset)

    def _decide(self, request: HttpRequest, page: str, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        return self.show_decision(
            request, page, {"finding": [str(one.pk) for one in queryset.order_by("pk")]}
        )
