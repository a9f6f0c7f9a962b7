"""Members: what concerns their games is a decision, as is a file that says something else about them."""

from __future__ import annotations

import hashlib
import io
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from members.admin import MemberAdmin
from members.importing import COLUMNS, MembersImported, import_members
from members.models import FullMembership, Member
from ratings.decisions.members import compare_file
from ratings.decisions.memberships import span_texts
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused, Problem
from ratings.models import Game
from ratings.office.admin.deciding import DecisionPages
from ratings.office.uploads import discard_leftovers, keep
from ratings.rules.rbb.conditions import Span
from ratings.services.memberships import Concerned, change_spans, concerned

_SHOWN: Final = 100
"""So many refused rows a page names."""

_NOT_YET: Final = _("The full membership has not changed yet: confirm below what becomes of the games.")
_NOT_YOURS: Final = _("The full membership was not changed: a rating officer has to decide about the games.")


class FileForm(forms.Form):
    """A file of members."""

    file = forms.FileField(label=_("File"), max_length=200, help_text=_("CSV in UTF-8, at most 10 MB."))
    update = forms.BooleanField(
        label=_("Update known members"),
        required=False,
        help_text=_(
            "Without this, a row that says something else about a known member is refused. With it, the"
            " differences are shown first."
        ),
    )


@admin.register(Member)
class MemberDecisionsAdmin(MemberAdmin, DecisionPages):
    """A person on the books. Other spans that concern no game are facts, and stored at once."""

    decisions = {"membership": "change-membership", "update": "update-members"}

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the one that takes a file."""
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="members_member_import"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a button for who may bring a file."""
        context = {"may_import": self.may_import(request), **(extra_context or {})}
        return super().changelist_view(request, context)

    def may_import(self, request: HttpRequest) -> bool:
        """Whether this login may bring files of members."""
        return self.has_add_permission(request) or self.may_decide(request, "update-members")

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for a file; posted, import it, or lead to the decision about what it says otherwise."""
        if not self.may_import(request):
            raise PermissionDenied
        form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
        if not self.may_decide(request, "update-members"):
            del form.fields["update"]
        elif not self.has_add_permission(request):
            form.fields["update"].required = True
        refused: list[Problem] = []
        result: MembersImported | None = None
        if form.is_valid():
            content = form.cleaned_data["file"].read()
            try:
                if form.cleaned_data.get("update"):
                    refused = compare_file(content).refused
                    if not refused:
                        return HttpResponseRedirect(self._decision(content, form.cleaned_data["file"].name))
                else:
                    rows = read_rows(io.BytesIO(content), required=COLUMNS)
                    result = import_members(rows=rows, on_refused=refused.append)
            except (FileRefused, ValidationError) as refusal:
                told = refusal.messages if isinstance(refusal, ValidationError) else [f"{refusal}."]
                form.add_error("file", told)
        return TemplateResponse(
            request,
            "admin/members/member/import.html",
            {
                **self.admin_site.each_context(request),
                "title": _("Import members"),
                "opts": self.opts,
                "form": form,
                "columns": ",".join(COLUMNS),
                "result": result,
                "covered": Game.objects.kept_unrated().covered().count()
                if result and result.spans_added
                else 0,
                "refused": sorted(refused, key=lambda one: one.line)[:_SHOWN],
                "problems": len(refused),
                "more": max(len(refused) - _SHOWN, 0),
            },
        )

    def _decision(self, content: bytes, source: str) -> str:
        """The address of the decision about a file, which is kept."""
        discard_leftovers()
        asked = {
            "upload": keep([content]),
            "sha256": hashlib.sha256(content).hexdigest(),
            "source": source,
            "rate_games": "on",
        }
        return f"{reverse('admin:members_member_update')}?{urlencode(asked)}"

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Store the spans, unless games depend on it."""
        if not change or formset.model is not FullMembership:
            super().save_formset(request, form, formset, change)
            return
        spans = _spans_of(formset)
        if found := concerned(form.instance, spans):
            vars(request)["_membership"] = (spans, found)
            # Nothing of it is stored, and so the log names nothing.
            formset.new_objects = formset.changed_objects = formset.deleted_objects = []
            return
        formset.save(commit=False)
        change_spans(member=form.instance, spans=spans, by=request.user)

    def response_change(self, request: HttpRequest, obj: Member) -> HttpResponse:
        """What comes after saving: the decision, where games depend on the spans."""
        if "_membership" not in vars(request):
            return super().response_change(request, obj)
        spans, found = vars(request)["_membership"]
        if not self.may_decide(request, "change-membership"):
            self.message_user(request, f"{_how_many(found)} {_NOT_YOURS}", messages.ERROR)
            return super().response_change(request, obj)
        self.message_user(request, _NOT_YET, messages.WARNING)
        parameters = {"member": [str(obj.pk)], "span": span_texts(spans), "rate_games": ["on"]}
        return self.show_decision(request, "membership", parameters)


def _spans_of(formset: Any) -> list[Span]:
    """The spans as the form has them."""
    gone = set(formset.deleted_forms)
    return [
        (one.cleaned_data["full_from"], one.cleaned_data.get("full_until"))
        for one in formset.forms
        if one not in gone and one.cleaned_data.get("full_from")
    ]


def _how_many(found: Concerned) -> str:
    """How many games the spans concern."""
    number = len(found.uncovered) + len(found.offered) + len(found.lacking)
    return (
        ngettext(
            "%d game depends on this membership (RBB 2.1).",
            "%d games depend on this membership (RBB 2.1).",
            number,
        )
        % number
    )
