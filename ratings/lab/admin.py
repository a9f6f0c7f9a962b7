"""The pages “Policy”, with questions about the rules and their answers, and “Radar”, with its findings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, ClassVar, Final, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import number_in
from foa.web.admin import ChoiceFilter, M, OfficeAdmin
from members.models import accounts_of
from ratings.formats.variants import VariantRefused, read_variant
from ratings.lab.extra import MISSING, is_installed
from ratings.lab.findings import INNOCENT, by_chance, games_of, text_of_case, told
from ratings.lab.forms import QuestionForm, SweepForm
from ratings.lab.marks import mark_of_office
from ratings.lab.models import Finding, Run, Sweep
from ratings.lab.presenting import answer_of, category_of
from ratings.lab.subjects import FindingSubject
from ratings.lab.tasks import replay_variants, search_games
from ratings.office.admin.base import LookAtOnly, ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.office.jobs import enqueue, standing_of
from ratings.office.page_sections import Page, sections_of
from ratings.office.subjects import keys_of_cases
from ratings.rbb.admin.base import OfMembers
from ratings.rbb.models import RuleEdition


class Asking(OfficeAdmin[M]):
    """Admin pages of questions to the lab, each asked in a form and left to the worker."""

    question: ClassVar[type[forms.Form]]
    heading: ClassVar[str | Promise]
    ask_template: ClassVar[str]

    def ask(self, request: HttpRequest, asked: dict[str, Any]) -> M:
        """Store a question and queue its job."""
        raise NotImplementedError

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask a question, and leave it to the worker."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        missing = "" if is_installed() else MISSING
        form = self.question(request.POST if request.method == "POST" and not missing else None)
        if form.is_valid():
            with transaction.atomic():
                run = self.ask(request, form.cleaned_data)
            address = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
            return HttpResponseRedirect(reverse(address, args=(run.pk,)))
        context = {
            **self.admin_site.each_context(request),
            "title": self.heading,
            "opts": self.opts,
            "form": form,
            "missing": missing,
        }
        return TemplateResponse(request, self.ask_template, context)


@admin.register(Run)
class RunAdmin(Asking[Run]):
    """A question and its answer. Nobody changes or deletes one."""

    list_display = ("title", "asked_by", "asked_at", "answered")
    list_select_related = ("asked_by",)
    sortable_by = ()
    fields = ("asked_by", "asked_at", "cut", "data_read_at", "data_checksum", "program")
    change_form_template = "admin/lab/run/change_form.html"
    question = QuestionForm
    heading = _("What would a different rule change?")
    ask_template = "admin/lab/run/ask.html"

    @admin.display(description=_("answered"), boolean=True)
    def answered(self, run: Run) -> bool:
        """Return True once there is an answer."""
        return run.result is not None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def ask(self, request: HttpRequest, asked: dict[str, Any]) -> Run:
        """Store the variants with their names."""
        names = [
            read_variant(toml, gettext("Variant %(number)s") % {"number": number}).name
            for number, toml in enumerate(asked["variants"], 1)
        ]
        run = Run.objects.create(
            title=" · ".join(names)[:200],
            variants=asked["variants"],
            cut=asked["cut"],
            asked_by_id=request.user.pk,
            asked_at=timezone.now(),
        )
        run.job = enqueue(replay_variants, title=run.title, by=request.user, run=run.pk)
        run.save(update_fields=["job"])
        return run

    def get_urls(self) -> list[URLPattern]:
        """Add the page that puts a variant into force."""
        put = self.admin_site.admin_view(self.put_view)
        return [path("<int:run>/put/<int:number>/", put, name="lab_run_put"), *super().get_urls()]

    def put_view(self, request: HttpRequest, run: int, number: int) -> HttpResponse:
        """Show what it would do to put a variant of a question into force: its decision, filled in."""
        asked = get_object_or_404(Run, pk=run)
        if not self.has_view_permission(request, asked):
            raise PermissionDenied
        if not 1 <= number <= len(asked.variants):
            raise Http404(gettext("This question doesn’t have that variant."))
        pages = self.admin_site.get_model_admin(RuleEdition)
        return cast(DecisionPages, pages).show_decision(request, "put", _put(asked.variants[number - 1]))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the progress of the job, then the answer."""
        run = self.get_object(request, object_id)
        extra: dict[str, Any] = {"title": gettext("Policy")}
        if run is not None and self.has_view_permission(request, run):
            if run.result is None:
                extra |= standing_of(run.job)
            else:
                extra |= {"run": run, **answer_of(run, category_of(run, request.GET.get("category", "")))}
                extra["may_put"] = request.user.has_perm("ratings.add_ruleedition")
        return super().change_view(request, object_id, form_url, extra)


_OWN: Final = re.compile(r"^(?:name|since)\s*=.*\n?", re.MULTILINE)


def _put(toml: str) -> dict[str, list[str]]:
    """Return the parameters that put a variant into force, from its own day on if it has one.

    The day has a field of its own there, so that another one can be chosen, which the name would contradict.
    """
    try:
        amendment = read_variant(toml).amendment
        rules = _OWN.sub("", toml)
        if read_variant(rules).amendment != replace(amendment, since=None):
            rules = toml
    except VariantRefused:
        # A later program may not know what an earlier one was asked; the form says what.
        return {"toml": [toml]}
    since = amendment.since
    return {"toml": [rules]} if since is None else {"since": [since.date().isoformat()], "toml": [rules]}


@admin.register(Sweep)
class SweepAdmin(LookAtOnly, Asking[Sweep]):
    """A run of the radar. Its findings are the rows of “Radar”."""

    list_display = ("__str__", "asked_by", "data_read_at")
    list_select_related = ("asked_by",)
    sortable_by = ()
    fields = ("asked_by", "asked_at", "class_limits", "data_read_at", "data_checksum", "program")
    change_form_template = "admin/lab/sweep/change_form.html"
    question = SweepForm
    heading = _("Run the radar")
    ask_template = "admin/lab/sweep/ask.html"

    @admin.display(description=_("class limits"))
    def class_limits(self, sweep: Sweep) -> str:
        """Return the limits as they were entered."""
        return ", ".join(map(str, sweep.limits))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("lab.add_sweep")

    def ask(self, request: HttpRequest, asked: dict[str, Any]) -> Sweep:
        """Store the class limits."""
        sweep = Sweep.objects.create(
            limits=asked["limits"], asked_by_id=request.user.pk, asked_at=timezone.now()
        )
        sweep.job = enqueue(search_games, title=str(sweep), by=request.user, sweep=sweep.pk)
        sweep.save(update_fields=["job"])
        return sweep

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the progress of the job, then what was searched."""
        sweep = self.get_object(request, object_id)
        extra: dict[str, Any] = {"title": gettext("Radar run")}
        if sweep is not None and self.has_view_permission(request, sweep):
            if sweep.result is None:
                extra |= standing_of(sweep.job)
            else:
                findings = shown_findings(request.user, Finding.objects.filter(sweep=sweep)).count()
                extra |= {"run": sweep, "findings": findings, "changed": _changed(sweep)}
        return super().change_view(request, object_id, form_url, extra)


def shown_findings(user: Any, findings: QuerySet[Finding]) -> QuerySet[Finding]:
    """Leave out findings about a user, also those about accounts that were merged into theirs."""
    mine = Finding.objects.about(accounts_of(user))
    return findings.exclude(pk__in=mine.order_by().values("pk"))


def _changed(sweep: Sweep) -> bool:
    """Return whether the ledger has changed since the games were read."""
    return sweep.changed_meanwhile or sweep.mark != mark_of_office()


class RunFilter(ChoiceFilter):
    """Filter by run: the latest that is done (the default), all, or the one with a number."""

    title = _("radar run")
    parameter_name = "run"
    options = (("all", _("all runs")),)
    first = _("latest run")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Finding]) -> QuerySet[Finding]:
        asked = self.value()
        if asked == "all":
            return queryset
        if asked is None:
            latest = Sweep.objects.filter(result__isnull=False).values("pk")[:1]
            return queryset.filter(sweep=Subquery(latest))
        return queryset.filter(sweep=number_in(asked))


class CaseFilter(ChoiceFilter):
    """Filter by whether there is a case."""

    title = _("case")
    parameter_name = "case"
    options = (("without", _("without a case")), ("with", _("with a case")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Finding]) -> QuerySet[Finding]:
        asked = self.value()
        if asked is None:
            return queryset
        known = Q(pk__in=keys_of_cases(FindingSubject.name))
        return queryset.filter(known if asked == "with" else ~known)


@admin.register(Finding)
class FindingAdmin(ProjectionAdmin[Finding], OfMembers[Finding]):
    """A finding of the radar. Nobody sees what it found about themselves."""

    list_display = ("finding", "often", "has_case")
    list_display_links = None
    export_display = ("kind", "category", "member", "what", "chance", "false", "has_case")
    list_filter = ("kind", "category", CaseFilter, RunFilter)
    list_select_related = ("member",)
    list_prefetch_related = ("others",)
    sortable_by = ()
    change_list_template = "admin/lab/finding/change_list.html"

    @admin.display(description=_("finding"))
    def finding(self, finding: Finding) -> str:
        """Return what is unusual, below a link with its kind and category."""
        return format_html(
            '<a href="{}"><strong>{}</strong>, {}</a><br>{}',
            finding.get_absolute_url(),
            finding.get_kind_display(),
            finding.get_category_display(),
            told(finding),
        )

    @admin.display(description=_("what is unusual"))
    def what(self, finding: Finding) -> str:
        """Return what is unusual."""
        return told(finding)

    @admin.display(description=_("by chance"))
    def often(self, finding: Finding) -> str:
        """Return how often honest play gives such a finding."""
        return by_chance(finding)

    @admin.display(description=_("case"))
    def has_case(self, finding: Any) -> str:
        """Return “yes” if there is a case about it."""
        return gettext("yes") if finding.is_known else "–"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Finding]:
        """Leave out findings about the user who is logged in, and add whether there is a case."""
        known = ExpressionWrapper(Q(pk__in=keys_of_cases(FindingSubject.name)), BooleanField())
        return shown_findings(request.user, super().get_queryset(request)).annotate(is_known=known)

    def found(self, text: str, members: list[int]) -> Q:
        """Return the condition for the findings that have one of these members."""
        return Q(pk__in=Finding.objects.about(members))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, below what was searched."""
        latest = Sweep.objects.filter(result__isnull=False).first()
        extra = {"run": latest, "changed": latest is not None and _changed(latest)}
        extra["may_run"] = request.user.has_perm("lab.add_sweep")
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the evidence, with links to the games, and the button that opens a case."""
        finding = self.get_object(request, object_id)
        if finding is None or not self.has_view_permission(request, finding) or request.method == "POST":
            return super().change_view(request, object_id, form_url, extra_context)
        about = (FindingSubject.name, finding.pk, text_of_case(finding), request.user)
        context = {
            **self.admin_site.each_context(request),
            "title": str(finding.get_kind_display()),
            "opts": self.opts,
            "finding": finding,
            "told": told(finding),
            "often": by_chance(finding),
            "innocent": INNOCENT[Finding.Kind(finding.kind)],
            "games": games_of(finding),
            "parts": sections_of(Page.SUBJECT_IN_ADMIN, *about),
        }
        return TemplateResponse(request, "admin/lab/finding/finding.html", context)
