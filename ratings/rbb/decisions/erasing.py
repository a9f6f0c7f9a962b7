"""Erasing a member who has left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from members.models import Member
from ratings.office.decision_types import Decision, DecisionType, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import OneOf
from ratings.rbb.personal import erase_member


class EraseForm(forms.Form):
    member = OneOf(Member.objects.all())


@register
class EraseMember(DecisionType):
    """Decision to remove the person from everything stored; the account keeps its games and ratings."""

    name = "erase-member"
    title = _("Erase a member who has left")
    button = _("Erase for good")
    permission = "members.erase_member"
    form = EraseForm
    is_public = False
    template = "admin/members/member/_erased.html"

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the member by number, since staff's texts about a decision are kept."""
        return f"member {asked['member'].pk}"

    def apply(self, decision: Decision) -> Effect:
        """Erase everything or nothing. It can't be undone."""
        member = decision.asked["member"]
        done = erase_member(member=member, at=decision.at, by=decision.by, note=decision.note)
        told = gettext("This can't be undone. If the member wants a copy of their data, export it first.")
        effect = Effect(facts=[Fact("warnings", "for good", told), *done.facts])
        effect.objects = [done.member]
        return effect
