"""Organizers in the admin: who may report what, and the files that they sent."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import ChoiceFilter, OfficeAdmin
from ratings.league.models import Team
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.decision_types import kind_of
from ratings.office.uploads import discard_leftovers
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.inviting import check_scope, end_scope, give_scope, invite_again
from ratings.organizers.services.submissions import IMPORT, give_back, take
from ratings.organizers.views import file_response, look_into
from ratings.otb.admin.receiving import decision_about
from ratings.otb.services.receiving import Upload


class ScopeForm(ModelForm[Scope]):
    """An invitation: the address, and the scope it gives."""

    email = forms.EmailField(label=_("Email address"), max_length=254)
    team: Any = forms.ModelChoiceField(Team.objects.select_related("season"), label=_("Team"), required=False)
    as_administrator = forms.BooleanField(
        label=_("As the federation’s rating administrator"),
        required=False,
        help_text=_("They confirm reports that others in the federation send (B.02 9.3)."),
    )

    class Meta:
        model = Scope
        fields = ("email", "language", "tournament", "federation", "team")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("language", get_language())
        team: Any = self.fields["team"]
        team.label_from_instance = lambda one: f"{one.season}: {one}"

    def clean_federation(self) -> str:
        """Accept small letters."""
        return str(self.cleaned_data["federation"]).strip().upper()

    def clean(self) -> dict[str, Any]:
        """Refuse what can't be given, at the field that says so."""
        cleaned = super().clean() or {}
        if not self.errors:
            asked = {name: value for name, value in cleaned.items() if name != "language"}
            check_scope(**asked, at=timezone.now())
        return cleaned

    def _post_clean(self) -> None:
        """Leave the checks to the service: an invitation has more of them than the model."""


class StateFilter(ChoiceFilter):
    """Filter by state; all that haven't ended by default."""

    title = _("state")
    parameter_name = "state"
    options = (("invited", _("invited")), ("active", _("active")), ("ended", _("ended")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Scope]) -> QuerySet[Scope]:
        """Keep those in this state."""
        if self.value() == "ended":
            return queryset.exclude(ended_at=None)
        if self.value() in ("invited", "active"):
            return queryset.filter(ended_at=None, user__isnull=self.value() == "invited")
        return queryset


@admin.register(Scope)
class ScopeAdmin(OfficeAdmin[Scope]):
    """Organizers, who are invited and ended here, never edited."""

    form = ScopeForm
    fields = ("email", "language", "tournament", ("federation", "as_administrator"), "team")
    autocomplete_fields = ("tournament",)
    list_display = ("who", "what", "state", "administrator", "given_at", "given_by")
    list_filter = (StateFilter,)
    list_select_related = ("user", "tournament", "team", "administrator", "given_by")
    sortable_by = ()
    actions = None
    search_fields = ("user__username", "email", "federation", "tournament__name", "team__name")
    search_help_text = _(
        "A login, an email address, a federation code, or part of the name of a tournament or team"
    )

    @admin.display(description=_("login or address"))
    def who(self, scope: Scope) -> str:
        """Show the login, or the address until the invitation is accepted."""
        return str(scope.user or scope.email or "–")

    @admin.display(description=_("can report"))
    def what(self, scope: Scope) -> str:
        """Name the tournament, federation or team."""
        return scope.what

    @admin.display(description=_("state"))
    def state(self, scope: Scope) -> str:
        """Return the status in the reader's language."""
        return str(scope.state)

    def get_fields(self, request: HttpRequest, obj: Scope | None = None) -> Any:
        """Return what is entered, or what is stored."""
        if obj is None:
            return self.fields
        facts = ("who", "what", "state", "administrator", "given_at", "given_by", "invited_at")
        return facts if obj.ended_at is None else (*facts, "ended_at", "ended_by")

    def has_change_permission(self, request: HttpRequest, obj: Scope | None = None) -> bool:
        """Refuse: what is done has a button of its own."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Scope | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        """Add what the buttons do."""
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/end/", view(self.end_view), name="organizers_scope_end"),
            path("<int:pk>/again/", view(self.again_view), name="organizers_scope_again"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the scope, with buttons for users who may end it."""
        may = request.user.has_perm("organizers.change_scope")
        return super().change_view(request, object_id, form_url, {"may_change": may, **(extra_context or {})})

    def end_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """End the scope, on POST."""
        return self._act(request, pk, end_scope, gettext("Ended."))

    def again_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Mail the invitation again, on POST."""
        return self._act(request, pk, invite_again, gettext("The invitation is on its way again."))

    def _act(self, request: HttpRequest, pk: int, act: Any, told: str) -> HttpResponse:
        if not request.user.has_perm("organizers.change_scope"):
            raise PermissionDenied
        scope = get_object_or_404(Scope, pk=pk)
        if request.method == "POST":
            try:
                act(scope, by=request.user, at=timezone.now())
                self.message_user(request, told, messages.SUCCESS)
            except ValidationError as refusal:
                self.message_user(request, refusal.messages[0], messages.ERROR)
        return HttpResponseRedirect(reverse("admin:organizers_scope_change", args=(pk,)))

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Return an empty object: the service stores the scope."""
        return Scope()

    def save_model(self, request: HttpRequest, obj: Scope, form: Any, change: bool) -> None:
        """Store the scope and invite."""
        scope = give_scope(by=request.user, at=timezone.now(), **form.cleaned_data)
        vars(obj).update(vars(scope))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store nothing else."""

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form, or say why the invitation isn't possible."""
        try:
            return super().add_view(request, form_url, {"title": gettext("Invite an organizer")})
        except ValidationError as refusal:
            self.message_user(request, refusal.messages[0], messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def response_add(
        self, request: HttpRequest, obj: Scope, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Say the same for every address, whether it has a login or not."""
        told = gettext("An invitation is on its way to %(email)s.") % {"email": obj.email}
        self.message_user(request, told, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:organizers_scope_change", args=(obj.pk,)))


class ReturningForm(forms.Form):
    """Form for returning a file, with the reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=5_000,
        widget=AdminTextareaWidget(attrs={"rows": 4}),
        help_text=_(
            "What is wrong, and what to do. The sender can read it on their page, and gets it by email."
        ),
    )


class OpenFilter(ChoiceFilter):
    """Filter by state; those that wait by default."""

    title = _("state")
    parameter_name = "state"
    options = (("all", _("all")), *Submission.State.choices)
    first = _("waiting")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        """Keep those in this state."""
        if self.value() is None:
            return queryset.filter(state__in=Submission.OPEN)
        return queryset.filter(state=self.value()) if self.value() != "all" else queryset


@admin.register(Submission)
class SubmissionAdmin(ProjectionAdmin[Submission]):
    """Sent files, with a button for each thing that can be done with one."""

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
    search_help_text = _("Part of the file name, SHA-256, tournament or login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Leave the files' contents out."""
        return super().get_queryset(request).defer("content")

    @admin.display(description=_("report for"))
    def what(self, sent: Submission) -> str:
        """Name the tournament or team."""
        return sent.what

    @admin.display(description=_("confirmed (B.02 9.3)"))
    def confirmation(self, sent: Submission) -> str:
        """Say if the federation's rating administrator, if one has a login, has confirmed the report."""
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
        """Show the file as the office reads it now, with buttons for users who may use them."""
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
        """Return True if this user may decide about the file."""
        if not request.user.has_perm("organizers.change_submission"):
            return False
        kind = kind_of("receive-report" if sent.team_id is None else IMPORT)
        return request.user.has_perm(kind.permission)

    def _handled(self, request: HttpRequest, pk: int) -> Submission:
        """Return a file that this user may decide about. Raises PermissionDenied."""
        if not request.user.has_perm("organizers.change_submission"):
            raise PermissionDenied
        sent = get_object_or_404(Submission.objects.select_related("tournament"), pk=pk)
        if not self._may_handle(request, sent):
            raise PermissionDenied
        return sent

    def receive_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take the file up, on POST, and redirect to the decision about it, which shows its effect."""
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
        """Ask for the reason. On POST, return the file to its sender."""
        sent = self._handled(request, pk)
        form = ReturningForm(request.POST or None)
        if form.is_valid():
            try:
                give_back(sent, reason=form.cleaned_data["reason"], by=request.user, at=timezone.now())
            except ValidationError as refusal:
                form.add_error("reason", refusal.messages)
            else:
                told = gettext("Returned. We’ll email the reason to the sender.")
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
