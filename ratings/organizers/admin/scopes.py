"""Scopes of organizers in the admin: invited, active or ended."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import ChoiceFilter, OfficeAdmin
from ratings.league.models import Team
from ratings.organizers.models import Scope
from ratings.organizers.services.inviting import check_scope, end_scope, give_scope, invite_again


class ScopeForm(ModelForm[Scope]):
    """An address, and what whoever reads its mail may report."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    team: Any = forms.ModelChoiceField(Team.objects.select_related("season"), label=_("Team"), required=False)
    as_administrator = forms.BooleanField(
        label=_("As the federation’s rating administrator"),
        required=False,
        help_text=_("They confirm what others of the federation send (B.02 9.3)."),
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
    """Those that aren't over, unless something else is asked for."""

    title = _("state")
    parameter_name = "state"
    options = (("invited", _("invited")), ("active", _("active")), ("ended", _("ended")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Scope]) -> QuerySet[Scope]:
        """Return those in this state."""
        if self.value() == "ended":
            return queryset.exclude(ended_at=None)
        if self.value() in ("invited", "active"):
            return queryset.filter(ended_at=None, user__isnull=self.value() == "invited")
        return queryset


@admin.register(Scope)
class ScopeAdmin(OfficeAdmin[Scope]):
    """Organizers: invited here, and ended. Nothing of it is edited."""

    form = ScopeForm
    fields = ("email", "language", "tournament", ("federation", "as_administrator"), "team")
    autocomplete_fields = ("tournament",)
    list_display = ("who", "what", "state", "administrator", "given_at", "given_by")
    list_filter = (StateFilter,)
    list_select_related = ("user", "tournament", "team", "administrator", "given_by")
    sortable_by = ()
    actions = None
    search_fields = ("user__username", "email", "federation", "tournament__name", "team__name")
    search_help_text = _("A login, an address, a federation’s code, or part of a tournament or team")

    @admin.display(description=_("login or address"))
    def who(self, scope: Scope) -> str:
        """The login, or the address until the invitation is accepted."""
        return str(scope.user or scope.email or "–")

    @admin.display(description=_("may report"))
    def what(self, scope: Scope) -> str:
        """The tournament, federation or team."""
        return scope.what

    @admin.display(description=_("state"))
    def state(self, scope: Scope) -> str:
        """How far it has come."""
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
        """Show it, with buttons for who may end it."""
        may = request.user.has_perm("organizers.change_scope")
        return super().change_view(request, object_id, form_url, {"may_change": may, **(extra_context or {})})

    def end_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """End it, when posted."""
        return self._act(request, pk, end_scope, gettext("Ended."))

    def again_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Mail the invitation again, when posted."""
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
        """Invite."""
        scope = give_scope(by=request.user, at=timezone.now(), **form.cleaned_data)
        vars(obj).update(vars(scope))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store nothing more."""

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form; say why nobody could be invited."""
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
