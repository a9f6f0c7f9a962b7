"""Members chosen for a decision about first ratings, and lists that are missing for it (RBB 3.4, 3.15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.datastructures import MultiValueDict

from foa.said import gettext, ngettext
from foa.text import month_text
from members.models import Member
from ratings.fide.services.entitlements import MissingList
from ratings.office.decision_types import Decision, Parameters
from ratings.office.effects import Sentence
from ratings.office.forms import SomeOf
from ratings.rbb.decisions.base import LedgerKind, listed, member_subject


class MembersForm(forms.Form):
    member = SomeOf(Member.objects.order_by("pk"), required=False)


class OfMembers(LedgerKind):
    """A decision about members. An empty choice means everybody."""

    form = MembersForm
    as_job = True

    def bind(self, parameters: Parameters) -> Any:
        return self.form(MultiValueDict(parameters))

    def subject(self, asked: Mapping[str, Any]) -> str:
        return listed(map(member_subject, asked["member"]))

    def chosen(self, decision: Decision) -> QuerySet[Member] | None:
        """Return the members whom a decision is about, or None for everybody."""
        chosen: QuerySet[Member] = decision.asked["member"]
        return chosen if chosen.exists() else None


def name_of_list(missing: MissingList) -> str:
    """Return the name of a list: its month, and its time control if it has only one."""
    name = gettext("FIDE list of %(month)s") % {"month": month_text(missing.period)}
    return f"{name}, {missing.control}" if missing.control else name


def told_missing(lists: Mapping[MissingList, int]) -> list[Sentence]:
    """Return a sentence for each missing list: how many members wait for it, and how to get it."""
    said = []
    for missing, members in sorted(lists.items()):
        words = {"list": name_of_list(missing), "members": members}
        if missing.fide_id:
            words["fide_id"] = missing.fide_id
            text = gettext("%(list)s gives FIDE ID %(fide_id)d several ratings: choose one.")
        elif missing.is_kept:
            text = ngettext(
                "%(list)s: the worker looks up %(members)d member in it within the hour.",
                "%(list)s: the worker looks up %(members)d members in it within the hour.",
                members,
            )
        elif missing.sha256:
            text = ngettext(
                "%(list)s is missing (%(members)d member waits): import its file again.",
                "%(list)s is missing (%(members)d members wait): import its file again.",
                members,
            )
        else:
            text = ngettext(
                "%(list)s is missing (%(members)d member waits): import it.",
                "%(list)s is missing (%(members)d members wait): import it.",
                members,
            )
        said.append(Sentence(text % words))
    return said
