"""Admin pages of change sets: what was decided, what waits, and how to second or undo it."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import is_value
from ratings.office.admin.base import OfKinds
from ratings.office.admin.deciding import DecisionPages, moved_rows, why_refused
from ratings.office.admin.put_off import put_off_view
from ratings.office.deciding import StaleError, is_long, preview, proposal_of, second, try_again, withdraw
from ratings.office.decision_types import decision_address, kind_of
from ratings.office.effects import Shown, differences, facts_of, unsealed
from ratings.office.models import ChangeSet
from ratings.office.rehearsing import details_of

_SHOWN_FIELDS: Final = (
    "state",
    "public_reason",
    "public_text",
    "staff_note",
    "proposed_by",
    "proposed_as",
    "proposed_at",
    "seconded_by",
    "seconded_at",
    "applied_at",
    "undoes",
    "job",
    "fingerprint",
)


@admin.register(ChangeSet)
class ChangeSetAdmin(OfKinds[ChangeSet], DecisionPages):
    """A change set. Its page shows what it did or would do, and lets another person second it."""

    list_display = (
        "name",
        "state",
        "proposed_by",
        "proposed_at",
        "seconded_by",
        "applied_at",
        "moved",
        "public_reason",
    )
    list_filter = ("state", "kind", "public_reason")
    list_select_related = ("proposed_by", "seconded_by")
    sortable_by = ()
    search_fields = ("subject", "staff_note")
    search_help_text = _("A number, part of a member’s name, a game number, or words from the note for staff")
    change_form_template = "admin/office/changeset/change_form.html"

    @admin.display(description=_("change set"))
    def name(self, change_set: ChangeSet) -> str:
        """Return its number and subject."""
        return change_set.for_staff

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ChangeSet], search_term: str
    ) -> tuple[QuerySet[ChangeSet], bool]:
        """Search the words of the subject; a number finds the change set with that number."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        number = search_term.strip().removeprefix("#")
        if is_value(self.opts.pk, number):
            found |= queryset.filter(pk=number)
        return found, may_repeat

    def get_fields(self, request: HttpRequest, obj: ChangeSet | None = None) -> Any:
        """Show who decided, when and why; leave out what nobody has done yet."""
        return [name for name in _SHOWN_FIELDS if obj is None or getattr(obj, name)]

    def get_view_on_site_url(self, obj: ChangeSet | None = None) -> str | None:
        """Return its page in the public register, or None if it has none."""
        if obj is None or not ChangeSet.objects.public().filter(pk=obj.pk).exists():
            return None
        address: str | None = super().get_view_on_site_url(obj)
        return address

    def get_urls(self) -> list[URLPattern]:
        """Add one page for each kind of decision, and the one that puts a task off."""
        view = self.admin_site.admin_view
        return [
            path("decide/<slug:decision>/", view(self.decision_view), name="office_changeset_decide"),
            path("put-off/", view(self.put_off_view), name="office_changeset_put_off"),
            *super().get_urls(),
        ]

    def put_off_view(self, request: HttpRequest) -> HttpResponse:
        """Put a task of “What is due” off, or take it up again."""
        return put_off_view(request, {**self.admin_site.each_context(request), "opts": self.opts})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page. On POST, second or withdraw the change set, or ask the worker again."""
        change_set = self.get_object(request, object_id)
        if change_set is None or not self.has_view_permission(request, change_set):
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            return self._act(request, change_set)
        page = {"subtitle": None, **self._page(request, change_set)}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **page})

    def _act(self, request: HttpRequest, change_set: ChangeSet) -> HttpResponse:
        if not request.user.has_perm(kind_of(change_set.kind).permission):
            raise PermissionDenied
        here = HttpResponseRedirect(request.path)
        try:
            if "second" in request.POST:
                shown = unsealed(request.POST.get("shown", ""), _about(request, change_set))
                second(change_set, request.user, shown)
                told = gettext("Confirmed.")
            elif "withdraw" in request.POST:
                withdraw(change_set, by=request.user, why=request.POST.get("why", "").strip()[:500])
                told = gettext("Withdrawn.")
            elif "again" in request.POST:
                try_again(change_set)
                told = gettext("The worker will try again.")
            else:
                raise PermissionDenied
        except (StaleError, ValidationError, OperationalError) as refusal:
            for fault in why_refused(refusal):
                self.message_user(request, fault, messages.ERROR)
            return here
        self.message_user(request, told, messages.SUCCESS)
        return here

    def _page(self, request: HttpRequest, change_set: ChangeSet) -> dict[str, Any]:
        """Return the context of the page beyond the fields."""
        kind = kind_of(change_set.kind)
        may = request.user.has_perm(kind.permission)
        waits = change_set.state == ChangeSet.State.PROPOSED
        shown = Shown(change_set.shown)
        effect: Shown | None = None
        details = ""
        faults: list[str] = []
        if waits and may and is_long(proposal_of(change_set)):
            # The worker worked this out. It checks again before it applies the change set.
            effect = shown
            if (rehearsal := getattr(change_set, "rehearsal", None)) is not None:
                details = mark_safe(rehearsal.details)  # noqa: S308 - our own template's
        elif waits and may:
            try:
                now = preview(proposal_of(change_set))
                effect, details = Shown(now.shown()), details_of(request, proposal_of(change_set), now)
            except (ValidationError, OperationalError) as refusal:
                faults = why_refused(refusal)
        differs = (
            differences(shown.kept, effect.kept, kind.name_moves, kind.name_value)
            if effect is not None
            else []
        )
        stale = effect is not None and effect.kept["fingerprint"] != change_set.fingerprint
        seen = effect or shown
        job = change_set.job
        is_applied = change_set.state == ChangeSet.State.APPLIED
        undone_by = change_set.undone_by.applied().first()
        return {
            "kind": kind,
            "title": change_set.for_staff,
            "effect": effect,
            "details": details,
            "facts": facts_of(shown.kept),
            "moved": seen.moved,
            "rows": moved_rows(kind, seen.moves),
            "not_shown": seen.moved - len(seen.moves),
            "outcome": change_set.told,
            "differs": differs,
            "stale": stale,
            "faults": faults,
            "waits": waits,
            "mine": change_set.proposed_by_id == request.user.pk,
            "may": may,
            "shown": effect.sealed(_about(request, change_set)) if effect and not stale else "",
            "failed": change_set.state == ChangeSet.State.QUEUED and job and job.has_failed,
            "undone_by": undone_by,
            "next_steps": _next_steps(change_set, request.user) if is_applied and undone_by is None else [],
            "is_final": is_applied and undone_by is None and not change_set.undo,
            "undo_address": undo_address(change_set) if is_applied and may and undone_by is None else "",
            "again_address": decision_address(change_set.kind, change_set.parameters),
        }


def _about(request: HttpRequest, change_set: ChangeSet) -> str:
    return f"{change_set.pk}#{request.user.pk}"


def undo_address(change_set: ChangeSet) -> str:
    """Return the page of the decision that undoes it. It loads the parameters itself: they may be long."""
    if not change_set.undo:
        return ""
    return decision_address(change_set.undo["kind"], {"undoes": [str(change_set.pk)]})


def _next_steps(change_set: ChangeSet, user: Any) -> list[tuple[str, str]]:
    """Return follow-up decisions in words, with the page of each, or "" if this user may not decide it."""
    steps = kind_of(change_set.kind).next_steps(change_set.shown)
    return [
        (told, decision_address(name, parameters) if user.has_perm(kind_of(name).permission) else "")
        for told, name, parameters in steps
    ]
