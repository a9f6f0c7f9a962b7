"""Admin pages of the audit: what contradicts the rules, what would fix it, and what was accepted."""

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

from foa.web.admin import ChoiceFilter
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.office.audit import check_of, checks
from ratings.office.jobs import enqueue
from ratings.office.models import AuditedCheck, AuditFinding
from ratings.office.tasks import run_audit


class CheckFilter(admin.SimpleListFilter):
    """Filter by check, with the number of findings of each."""

    title = _("check")
    parameter_name = "check"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """List the checks that found something."""
        found = dict(AuditedCheck.objects.filter(found__gt=0).values_list("name", "found"))
        return [(one.name, f"{one.title} ({found[one.name]})") for one in checks() if one.name in found]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> QuerySet[AuditFinding]:
        return queryset.filter(check_name=self.value()) if self.value() else queryset


class StateFilter(ChoiceFilter):
    """Filter by state: open (the default) or accepted."""

    title = _("state")
    parameter_name = "state"
    options = (("accepted", _("accepted")),)
    first = _("open")

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> QuerySet[AuditFinding]:
        """Keep open or accepted findings of the last run."""
        return queryset.filter(is_there=True, accepted_at__isnull=self.value() != "accepted")


@admin.register(AuditFinding)
class AuditFindingAdmin(ProjectionAdmin[AuditFinding], DecisionPages):
    """A finding, its subject, the decision that would fix it, and the actions that accept or reopen it."""

    list_display = ("article", "__str__", "found_at", "leads")
    export_display = ("article", "title", "found_at", "accepted_at", "accepted_by", "accepted_note")
    list_filter = (StateFilter, CheckFilter)
    sortable_by = ()
    actions = ("accept", "reopen")
    fields = ("article", "title", "leads", "found_at", "accepted_at", "accepted_by", "accepted_note")
    readonly_fields = ("article", "title", "leads")
    decisions = {"accept": "accept-findings", "reopen": "reopen-findings"}

    @admin.display(description=_("article"))
    def article(self, finding: AuditFinding) -> str:
        """Return the article that is contradicted."""
        check = check_of(finding.check_name)
        return check.article if check else finding.check_name

    @admin.display(description=_("check"))
    def title(self, finding: AuditFinding) -> str:
        """Return the title of the check."""
        check = check_of(finding.check_name)
        return str(check.title) if check else finding.check_name

    @admin.display(description=_("go to"))
    def leads(self, finding: AuditFinding) -> str:
        """Link to the page of the subject and to the decision that would fix it."""
        links = [
            format_html('<a href="{}">{}</a>', address, label)
            for address, label in ((finding.address, _("Page")), (finding.mending, _("Fix …")))
            if address
        ]
        return format_html(" · ".join(["{}"] * len(links)), *links) if links else "–"

    def get_urls(self) -> list[URLPattern]:
        """Add the page that starts a run."""
        view = self.admin_site.admin_view(self.run_view)
        return [path("run/", view, name="office_auditfinding_run"), *super().get_urls()]

    def run_view(self, request: HttpRequest) -> HttpResponse:
        """Queue a run of the audit for the worker, on POST."""
        if not request.user.has_perm("office.run_auditfinding"):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseRedirect(reverse("admin:office_auditfinding_changelist"))
        job = enqueue(run_audit, title=gettext("Audit"), by=request.user)
        return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Add when the checks last ran, and the button that runs them."""
        run = dict(AuditedCheck.objects.values_list("name", "looked_at"))
        page = {
            "title": gettext("Audit"),
            "oldest": min(run.values(), default=None),
            "never": len({one.name for one in checks()} - set(run)),
            "may_run": request.user.has_perm("office.run_auditfinding"),
        }
        return super().changelist_view(request, {**(extra_context or {}), **page})

    def get_actions(self, request: HttpRequest) -> Any:
        """Hide the actions from users who may look at findings but not accept them."""
        return super().get_actions(request) if self.may_decide(request, "accept-findings") else {}

    @admin.action(description=_("Accept selected findings …"))
    def accept(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        """Redirect to the page that accepts the findings."""
        return self._decide(request, "accept", queryset)

    @admin.action(description=_("Reopen selected findings …"))
    def reopen(self, request: HttpRequest, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        """Redirect to the page that reopens the findings."""
        return self._decide(request, "reopen", queryset)

    def _decide(self, request: HttpRequest, page: str, queryset: QuerySet[AuditFinding]) -> HttpResponse:
        return self.show_decision(
            request, page, {"finding": [str(one.pk) for one in queryset.order_by("pk")]}
        )
