"""The page “Policy”: questions about the rules, and their answers."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.formats.variants import VariantRefused, read_variant
from ratings.lab.extra import MISSING, is_installed
from ratings.lab.forms import QuestionForm
from ratings.lab.models import Run
from ratings.lab.presenting import answer_of, category_of
from ratings.lab.tasks import replay_variants
from ratings.office.admin.deciding import DecisionPages
from ratings.office.jobs import enqueue, standing_of
from ratings.rbb.models import RuleEdition


@admin.register(Run)
class RunAdmin(OfficeAdmin[Run]):
    """A question and its answer. Nobody changes or deletes one."""

    list_display = ("title", "asked_by", "asked_at", "answered")
    list_select_related = ("asked_by",)
    sortable_by = ()
    fields = ("asked_by", "asked_at", "cut", "data_read_at", "data_checksum", "program")
    change_form_template = "admin/lab/run/change_form.html"

    @admin.display(description=_("answered"), boolean=True)
    def answered(self, run: Run) -> bool:
        """Return True once there is an answer."""
        return run.result is not None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask a question, and leave it to the worker."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        missing = "" if is_installed() else MISSING
        form = QuestionForm(request.POST if request.method == "POST" and not missing else None)
        if form.is_valid():
            run = self._ask(request, form.cleaned_data)
            return HttpResponseRedirect(reverse("admin:lab_run_change", args=(run.pk,)))
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("What would another rule do?"),
            "opts": self.opts,
            "form": form,
            "missing": missing,
        }
        return TemplateResponse(request, "admin/lab/run/ask.html", context)

    def _ask(self, request: HttpRequest, asked: dict[str, Any]) -> Run:
        names = [
            read_variant(toml, gettext("Variant %(number)s") % {"number": number}).name
            for number, toml in enumerate(asked["variants"], 1)
        ]
        with transaction.atomic():
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
            raise Http404(gettext("The question has no such variant."))
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


_SINCE: Final = re.compile(r"^since\s*=.*\n?", re.MULTILINE)


def _put(toml: str) -> dict[str, list[str]]:
    """Return the parameters that put a variant into force, from its own day on if it has one.

    The day stands in a field of its own there, so that another one can be chosen.
    """
    try:
        since = read_variant(toml).since
    except VariantRefused:
        # A later program may not know what an earlier one was asked; the form says what.
        since = None
    if since is None:
        return {"toml": [toml]}
    return {"since": [since.date().isoformat()], "toml": [_SINCE.sub("", toml, count=1)]}
