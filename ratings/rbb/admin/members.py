"""Admin pages of members; changes that concern their games are decisions."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.text import number_in
from members.admin import MemberAdmin
from members.models import FullMembership, Member
from ratings.fide.services.players import compare_member, compare_with_list
from ratings.office.admin.base import LookAtOnly
from ratings.office.admin.deciding import DecisionPages
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.page_sections import Page, sections_of
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.memberships import Concerned, change_spans, concerned
from ratings.rbb.personal import export_response
from ratings.rules.rbb.conditions import Span

_NOT_YET: Final = _("Full membership hasn’t changed yet: confirm below what happens to the games.")


@admin.register(Member)
class MemberDecisionsAdmin(MemberAdmin, DecisionPages):
    """Admin pages of members. Changed spans that concern no game are stored at once."""

    decisions = {
        "membership": "change-membership",
        "close": "close-account",
        "reopen": "reopen-account",
        "merge": "merge-members",
        "erase": "erase-member",
    }

    def get_urls(self) -> list[URLPattern]:
        """Add pages such as the look-up of a FIDE ID."""
        view = self.admin_site.admin_view
        return [
            path("fide/", view(self.fide_view), name="members_member_fide"),
            path("<int:member>/stored/", view(self.stored_view), name="members_member_stored"),
            *super().get_urls(),
        ]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form, which looks up a FIDE ID while the user types."""
        form = super().get_form(request, obj, change, **kwargs)
        if field := form.base_fields.get("fide_id"):
            field.widget.attrs |= {
                "hx-get": reverse("admin:members_member_fide"),
                "hx-trigger": "input changed delay:300ms",
                "hx-include": "#id_name, #id_birth_year, #id_federation",
                "hx-target": "#looked-up",
            }
            field.help_text = mark_safe('<span id="looked-up" role="status"></span>')
        return form

    def fide_view(self, request: HttpRequest) -> HttpResponse:
        """Show the holder of a FIDE ID in the current list, and how the form differs."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        fide_id, born = (number_in(request.GET.get(name, ""), 9) for name in ("fide_id", "birth_year"))
        compared = compare_with_list(
            fide_id,
            name=request.GET.get("name", "")[:100],
            birth_year=born,
            federation=request.GET.get("federation", "")[:3].upper(),
        )
        return TemplateResponse(request, "admin/fide/_looked_up.html", compared._asdict())

    def stored_view(self, request: HttpRequest, member: int) -> HttpResponseBase:
        """Return all data stored about a member, with internal notes of staff unless it is the user."""
        if not request.user.has_perm("members.export_member"):
            raise PermissionDenied
        who = get_object_or_404(Member, pk=member)
        return export_response(who, for_staff=who.user_id != request.user.pk)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let whoever may delete a member delete the rows derived for them, which nobody deletes alone."""
        shown, counts, needed, in_the_way = super().get_deleted_objects(objs, request)
        derived = {
            model._meta.verbose_name
            for model, pages in self.admin_site._registry.items()
            if isinstance(pages, LookAtOnly)
        }
        return shown, counts, needed - derived, in_the_way

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        """Store the member, and warn of differences from the holder of their FIDE ID."""
        super().save_model(request, obj, form, change)
        if {"fide_id", "name", "birth_year", "federation"} & set(form.changed_data):
            for warning in compare_member(obj).warnings:
                self.message_user(request, warning, messages.WARNING)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the form with the sections of each app about the member."""
        member = self.get_object(request, object_id)
        parts = list(sections_of(Page.MEMBER_IN_ADMIN, member, request.user)) if member else []
        return super().change_view(request, object_id, form_url, {"parts": parts, **(extra_context or {})})

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Store the spans, unless games depend on them."""
        if not change or formset.model is not FullMembership:
            super().save_formset(request, form, formset, change)
            return
        spans = _spans_of(formset)
        if found := concerned(form.instance, spans):
            vars(request)["_membership"] = (spans, found, form.changed_data)
            # Nothing is stored, so the log has to name no changes.
            formset.new_objects = formset.changed_objects = formset.deleted_objects = []
            return
        formset.save(commit=False)
        change_spans(member=form.instance, spans=spans, by=request.user)

    def response_change(self, request: HttpRequest, obj: Member) -> HttpResponse:
        """Redirect after saving: if games depend on the spans, to the decision, or propose it to officers."""
        if "_membership" not in vars(request):
            return super().response_change(request, obj)
        spans, found, stored = vars(request)["_membership"]
        parameters = {"member": [str(obj.pk)], "span": span_texts(spans), "rate_games": ["on"]}
        if self.may_decide(request, "change-membership"):
            self.message_user(request, _NOT_YET, messages.WARNING)
            return self.show_decision(request, "membership", parameters)
        proposal = Proposal(
            kind=kind_of("change-membership"),
            parameters=parameters,
            by=request.user,
            note=gettext("Entered on the member’s page."),
            waits=True,
        )
        told = [_how_many(found)]
        try:
            proposed, _effect = decide_at_once(proposal)
        except ValidationError as refusal:
            told += [gettext("Full membership hasn’t changed."), *refusal.messages]
        else:
            asked = gettext(
                "Full membership hasn’t changed yet: a rating officer has to confirm %(decision)s."
            )
            told.append(asked % {"decision": proposed.for_staff if proposed else ""})
        if stored:
            told.append(gettext("Your other changes have been saved."))
        self.message_user(request, " ".join(told), messages.WARNING)
        return HttpResponseRedirect(request.path)


def _spans_of(formset: Any) -> list[Span]:
    """Return the spans as in the form."""
    gone = set(formset.deleted_forms)
    return [
        (one.cleaned_data["full_from"], one.cleaned_data.get("full_until"))
        for one in formset.forms
        if one not in gone and one.cleaned_data.get("full_from")
    ]


def _how_many(found: Concerned) -> str:
    """Say how many games the spans affect."""
    number = len(found.uncovered) + len(found.offered) + len(found.lacking)
    return (
        ngettext(
            "%d game depends on this membership (RBB 2.1).",
            "%d games depend on this membership (RBB 2.1).",
            number,
        )
        % number
    )
