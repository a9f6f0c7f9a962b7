"""Sent files behind the counter: what is in each, and the ways to receive or return it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import ChoiceFilter
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.decision_types import kind_of
from ratings.office.uploads import discard_leftovers
from ratings.organizers.models import Submission
from ratings.organizers.services.handling import IMPORT, give_back, take
from ratings.organizers.views.sent import file_response, look_into
from ratings.otb.admin.receiving import decision_about
from ratings.otb.services.receiving import Upload


class ReturningForm(forms.Form):
    """Why a file is returned."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=5_000,
        widget=AdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("What is wrong, and what to do. The sender reads it on their page and in a mail."),
    )


class OpenFilter(ChoiceFilter):
    """Those that wait, unless something else is asked for."""

    title = _("state")
    parameter_name = "state"
    options = (("all", _("all")), *Submission.State.choices)
    first = _("waiting")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        """Return those in this state."""
        if self.value() is None:
            return queryset.filter(state__in=Submission.OPEN)
        return queryset.filter(state=self.value()) if self.value() != "all" else queryset


@admin.register(Submission)
class SubmissionAdmin(ProjectionAdmin[Submission]):
    """Sent files. What is done with one has a button of its own."""

    fields = (
        "what",
        "state",
        "federation",
        "confirmation",
        "source",
        "sha256",
        "sent_at",
        "sent_by",
        "handled_by",
        "closed_at",
        "reason",
    )
    readonly_fields = ("what", "confirmation")
    list_display = ("source", "what", "federation", "confirmed_at", "state", "sent_at", "sent_by")
    list_filter = (OpenFilter,)
    # The receipt is for the sender alone.
    view_on_site = False
    list_select_related = ("tournament", "team", "sent_by")
    sortable_by = ()
    search_fields = ("source", "sha256", "tournament__name", "sent_by__username")
    search_help_text = _("Part of the file’s name, of its SHA-256, of the tournament or of the login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Leave the bytes where they are."""
        return super().get_queryset(request).defer("content")

    @admin.display(description=_("report of"))
    def what(self, sent: Submission) -> str:
        """The tournament or team."""
        return sent.what

    @admin.display(description=_("confirmed (B.02 9.3)"))
    def confirmation(self, sent: Submission) -> str:
        """The confirmation by the federation's rating administrator, where there is one with a login."""
        if sent.confirmed_at is not None:
            return gettext("yes")
        return gettext("not confirmed") if sent.lacks_confirmation(timezone.now()) else "–"

    def get_urls(self) -> list[URLPattern]:
        """Add what the buttons do, and the file."""
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/receive/", view(self.receive_view), name="organizers_submission_receive"),
            path("<int:pk>/return/", view(self.return_view), name="organizers_submission_return"),
            path("<int:pk>/file/", view(self.file_view), name="organizers_submission_file"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the file as the office reads it now, with the buttons for who may use them."""
        sent = self.get_object(request, object_id)
        context: dict[str, Any] = {}
        if sent is not None and sent.is_open and self.has_view_permission(request, sent):
            context = {
                **look_into(sent),
                "sent": sent,
                "may_handle": self._may_handle(request, sent),
                "returning": ReturningForm(),
            }
        return super().change_view(request, object_id, form_url, {**context, **(extra_context or {})})

    def _may_handle(self, request: HttpRequest, sent: Submission) -> bool:
        """Return True for whoever may make the decision about the file."""
        if not request.user.has_perm("organizers.change_submission"):
            return False
        kind = kind_of("receive-report" if sent.team_id is None else IMPORT)
        return request.user.has_perm(kind.permission)

    def _handled(self, request: HttpRequest, pk: int) -> Submission:
        """Return a file for whoever may make the decision about it."""
        if not request.user.has_perm("organizers.change_submission"):
            raise PermissionDenied
        sent = get_object_or_404(Submission.objects.select_related("tournament"), pk=pk)
        if not self._may_handle(request, sent):
            raise PermissionDenied
        return sent

    def receive_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take the file up, when posted, and lead to the decision about it, which shows what it would do."""
        sent = self._handled(request, pk)
        if request.method != "POST":
            return HttpResponseRedirect(_page_of(sent))
        try:
            taken = take(sent, by=request.user)
        except ValidationError as refusal:
            self.message_user(request, refusal.messages[0], messages.ERROR)
            return HttpResponseRedirect(_page_of(sent))
        if taken.team_id is not None:
            return HttpResponseRedirect(
                reverse("admin:office_fileimport_change", args=(taken.file_import_id,))
            )
        return HttpResponseRedirect(_decision(taken))

    def return_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask why; posted, return the file to its sender."""
        sent = self._handled(request, pk)
        form = ReturningForm(request.POST or None)
        if form.is_valid():
            try:
                give_back(sent, reason=form.cleaned_data["reason"], by=request.user, at=timezone.now())
            except ValidationError as refusal:
                form.add_error("reason", refusal.messages)
            else:
                told = gettext("Returned. The sender gets a mail with the reason.")
                self.message_user(request, told, messages.SUCCESS)
                return HttpResponseRedirect(_page_of(sent))
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Return %(file)s") % {"file": sent.source},
            "opts": self.opts,
            "sent": sent,
            "form": form,
        }
        return TemplateResponse(request, "admin/organizers/submission/return.html", context)

    def file_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer with the file, byte for byte as it was sent."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return file_response(get_object_or_404(Submission, pk=pk))


def _decision(sent: Submission) -> str:
    """Keep the file for the decision about it, and return its address."""
    discard_leftovers()
    registered_on = sent.sent_at.date() if sent.tournament is None else None
    upload = Upload(content=bytes(sent.content), source=sent.source, registered_on=registered_on)
    return decision_about(upload, sent.tournament)


def _page_of(sent: Submission) -> str:
    return reverse("admin:organizers_submission_change", args=(sent.pk,))
