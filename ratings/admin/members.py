"""Members: what concerns their games is a decision, as is a file that says something else about them."""

from __future__ import annotations

import hashlib
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from members.admin import MemberAdmin
from members.importing import COLUMNS, MembersImported, import_members
from members.models import FullMembership, Member
from ratings.decisions.memberships import span_texts
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused, Problem
from ratings.office.admin.deciding import DecisionPages
from ratings.office.uploads import discard_leftovers, keep
from ratings.rules.rbb.conditions import Span
from ratings.services.memberships import Concerned, concerned


@admin.register(Member)
class MemberDecisionsAdmin(MemberAdmin, DecisionPages):
    """A person on the books. Other spans that concern no game are facts, and stored at once."""

    decisions = {"membership": "change-membership"}

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Store the spans, unless games depend on it."""
        if change and formset.model is FullMembership:
            spans = _spans_of(formset)
            found = concerned(form.instance, spans)
            if found:
                vars(request)["_membership"] = (spans, found)
                # Nothing of it is stored, and so the log names nothing.
                formset.new_objects = formset.changed_objects = formset.deleted_objects = []
                return
        super().save_formset(request, form, formset, change)

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


_NOT_YET = _("The full membership has not changed yet: confirm below what becomes of the games.")
_NOT_YOURS = _("The full membership was not changed: a rating officer has to decide about the games.")


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
    return ngettext(
        "%d game depends on this membership (RBB 2.1).", "%d games depend on this membership (RBB 2.1).", number
    ) % number
