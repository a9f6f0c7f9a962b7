"""Merging two accounts of one person, and undoing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from members.former import Merge
from members.models import Member
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import OneOf
from ratings.rbb.decisions.base import LedgerKind, effect_of, member_subject
from ratings.rbb.decisions.picking import PickMember
from ratings.rbb.merging import Merged, merge_members, unmerge_members
from ratings.rbb.models import RatingList, RatingListEntry


class _Username(forms.CharField):
    """Field for a member's username, in any case."""

    widget = PickMember

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        """Leave out the maximum length, which a box to choose from doesn't have."""
        return {}

    def to_python(self, value: Any) -> Any:
        """Return the member; raises ValidationError if there is none."""
        username = super().to_python(value)
        if not username:
            return None
        # Include merged accounts, so that the error can name what they were merged into.
        if (found := Member.everybody.called(username)) is None:
            raise ValidationError(gettext("No member has the username “%s”.") % username[:150])
        if found.merged_into is not None:
            words = {"username": found.username, "member": found.merged_into.username}
            raise ValidationError(
                gettext("“%(username)s” has already been merged into “%(member)s”.") % words
            )
        return found

    def run_validators(self, value: Any) -> None:
        """Skip the validators for text: the value is a member."""


class MergeForm(forms.Form):
    """Form for the remaining member, and the account to merge into theirs."""

    keep = OneOf(Member.objects.all())
    other = _Username(
        label=_("Other account"),
        max_length=150,
        help_text=_(
            "All games and data of this account move to the one you keep. Its username and pages will "
            "lead there."
        ),
    )


class UnmergeForm(forms.Form):
    merge = OneOf(Merge.objects.select_related("other__merged_into"))


class _OfTwo(LedgerKind):
    """A decision about two accounts of one person."""

    permission = "members.merge_member"

    def effect(self, done: Merged) -> Effect:
        """Return whose ratings it moves, and everything that passes from one to the other."""
        effect = effect_of(done.replayed)
        effect.facts += done.facts
        effect.objects = [done.member, done.other]
        return effect


@register
class MergeMembers(_OfTwo):
    """Decision to merge two accounts of one person.

    Games, openings, adjustments, membership, FIDE data and names are merged.
    """

    name = "merge-members"
    title = _("Merge two accounts of one person")
    register_title = _("Two accounts merged")
    button = _("Merge")
    form = MergeForm
    template = "admin/members/member/_both.html"

    def bind(self, parameters: Parameters) -> Any:
        """Return the form; opened from the remaining member, it asks for the other one without errors."""
        if set(parameters) == {"keep"}:
            return self.form(initial={"keep": parameters["keep"][0]})
        return super().bind(parameters)

    def subject(self, asked: Mapping[str, Any]) -> str:
        return f"{member_subject(asked['other'])} → {member_subject(asked['keep'])}"

    def apply(self, decision: Decision) -> Effect:
        asked = decision.asked
        done = merge_members(
            member=asked["keep"], other=asked["other"], at=decision.at, by=decision.by, note=decision.note
        )
        effect = self.effect(done)
        if both := _lists_of_both(done):
            told = ngettext(
                "Both are on %(number)d published list, such as %(list)s. It stays as it was published.",
                "Both are on %(number)d published lists, such as %(list)s. They stay as they were published.",
                len(both),
            ) % {"number": len(both), "list": both[0]}
            effect.facts.append(Fact("warnings", "lists of both", told, after=str(len(both))))
        effect.undo = (UnmergeMembers.name, {"merge": [str(done.other.pk)]})
        return effect


@register
class UnmergeMembers(_OfTwo):
    """Decision to separate two merged accounts. Anything newer stays with the remaining member."""

    name = "unmerge-members"
    title = _("Reverse a merge of two accounts")
    register_title = _("Account merge reversed")
    button = _("Reverse")
    form = UnmergeForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        return member_subject(asked["merge"].other)

    def apply(self, decision: Decision) -> Effect:
        done = unmerge_members(
            merge=decision.asked["merge"], at=decision.at, by=decision.by, note=decision.note
        )
        effect = self.effect(done)
        again = {"keep": [str(done.member.pk)], "other": [done.other.username]}
        effect.undo = (MergeMembers.name, again)
        return effect


def _lists_of_both(done: Merged) -> list[RatingList]:
    """Return the published lists that contain both, newest first."""
    of_member, of_other = (
        RatingListEntry.objects.filter(member=one).order_by().values("rating_list")
        for one in (done.member, done.other)
    )
    lists = RatingList.objects.filter(pk__in=of_member).filter(pk__in=of_other)
    return list(lists.order_by("-as_of", "-pk"))
