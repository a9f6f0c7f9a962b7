"""Updating members from a file that differs from what is stored, and undoing it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, BinaryIO, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import ProtectedError
from django.utils.translation import gettext_lazy as _

from foa.history import name_author
from foa.locking import lock_row, lock_rows
from foa.said import gettext, ngettext, of_field
from members.comparing import MemberUpdate, begin_of, compare_members
from members.importing import COLUMNS, FACTS, read_members
from members.models import FullMembership, Member
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf, value_text
from ratings.office.importing import FileForm, FileReport, ImportKind
from ratings.rbb.decisions.base import effect_of, member_subject
from ratings.rbb.decisions.memberships import (
    RATE_LABEL,
    MembershipKind,
    SpansField,
    membership_facts,
    own_spans,
    span_texts,
    taken_back,
)
from ratings.rbb.member_files import update_members
from ratings.rbb.memberships import SpansChanged
from ratings.rules.rbb.conditions import Span


class UpdateForm(FileForm):
    """Form for a file of members, and what happens to the games that it covers."""

    rate_games = forms.BooleanField(label=RATE_LABEL, required=False, initial=True)


class _OfMembers(MembershipKind):
    """A decision about several members."""

    permission = "members.update_member"
    as_job = True

    def update(
        self,
        updates: list[MemberUpdate],
        decision: Decision,
        rate: Mapping[int, Collection[int]] | None,
    ) -> Effect:
        """Update the members; return whose ratings it moved, each changed fact, spans and games."""
        done = update_members(updates=updates, rate=rate, by=decision.by, note=decision.note)
        effect = effect_of(done.replayed)
        for update, changed in done.done:
            effect.facts += _facts(update)
            effect.facts += membership_facts(changed) if changed else []
        effect.objects = [update.member for update, _changed in done.done]
        told = ngettext("%d member updated.", "%d members updated.", len(done.done)) % len(done.done)
        effect.outcome = [Sentence(told)]
        if done.done:
            effect.undo = ("revert-members", {"member": [_as_before(*one) for one in done.done]})
        return effect


@register
class UpdateMembers(ImportKind, _OfMembers):
    """Decision to update members from a file, and register new ones."""

    name = "update-members"
    title = _("Update members from a file")
    register_title = _("Members updated from a file")
    button = _("Update")
    form = UpdateForm
    columns = COLUMNS
    about = _(
        "Existing members are updated from the file; an empty cell clears the value. New members are added."
    )
    is_whole = True
    lists = ("members.member",)

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        """Store all of its rows or none; do nothing if it changes nothing."""
        rows = read_members(file)
        compared = compare_members(rows=rows)
        report.read_as, report.refused, report.remarks = rows.read_as, compared.refused, compared.remarks
        if compared.refused:
            return Effect()
        report.said = [
            gettext("Rows read: %(read)d. Members to change: %(updated)d. Already up to date: %(there)d.")
            % {"read": compared.read, "updated": len(compared.updates), "there": compared.already_there}
        ]
        return self.update(compared.updates, decision, None if decision.asked["rate_games"] else {})


class MemberForm(forms.Form):
    """Form for a member's new facts, as far as ratings may depend on them."""

    member = OneOf(Member.objects.all())
    fide_id = forms.IntegerField(required=False, min_value=1, max_value=999_999_999, widget=forms.HiddenInput)
    span = SpansField(required=False)
    rate_games = forms.BooleanField(label=RATE_LABEL, required=False, initial=True)
    # The merged account that had the username told by the server.
    account = OneOf(Member.everybody.all(), required=False)


@register
class ChangeMember(_OfMembers):
    """Decision to change a member's FIDE ID, spans of full membership, or both, as a game server reports."""

    name = "change-member"
    title = _("Change FIDE ID and full membership")
    register_title = _("FIDE ID and full membership changed")
    button = _("Change")
    form = MemberForm
    as_job = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        return member_subject(asked["member"])

    def apply(self, decision: Decision) -> Effect:
        """Change both or neither; do nothing if they are already stored."""
        asked, account = decision.asked, decision.asked["account"]
        # The merge may have been taken back while the decision waited.
        is_apart = account is not None and account.merged_into_id is None
        member = lock_row(Member.objects, (account if is_apart else asked["member"]).pk)
        fide_id = member.fide_id, asked["fide_id"]
        others = Member.objects.exclude(pk=member.pk).filter(fide_id__isnull=False)
        if holder := others.filter(fide_id=fide_id[1]).first():
            told = gettext("FIDE ID %(fide_id)s already belongs to %(member)s.")
            raise ValidationError(told % {"fide_id": fide_id[1], "member": holder})
        update = MemberUpdate(
            member,
            False,
            {"fide_id": fide_id} if fide_id[0] != fide_id[1] else {},
            FullMembership.objects.spans_of([member.pk])[member.pk],
            sorted(asked["span"], key=begin_of),
            None if account is None or is_apart else account.pk,
        )
        if not update.facts and update.before == update.spans:
            return Effect()
        return self.update([update], decision, None if asked["rate_games"] else {})


_OWN: Final = ("removes", "restores")
"""Names for a member's spans after and before an update."""


class _Before(forms.Field):
    """Field for members as they were, as JSON: key, facts, spans, rated games, and whether they are new.

    ``now``, ``removes`` and ``restores`` say what the update itself changed. Older ones don't say it.
    """

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[dict[str, Any]]:
        """Return the facts about each member."""
        try:
            found = [json.loads(text) for text in value or ()]
            return [
                {
                    "member": Member._meta.pk.clean(one["member"], None),
                    "facts": _facts_in(one["facts"]),
                    "now": _facts_in(one.get("now", {})),
                    "spans": SpansField(required=False).clean(one["spans"]),
                    "own": [SpansField(required=False).clean(one[name]) for name in _OWN]
                    if "removes" in one
                    else None,
                    "games": [int(key) for key in one["games"]],
                    "is_new": bool(one["is_new"]),
                }
                for one in found
            ]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValidationError(gettext("A member’s stored data can’t be read.")) from None


class BeforeForm(forms.Form):
    member = _Before()


@register
class RevertMembers(_OfMembers):
    """Decision to undo an update from a file: restore each member's facts, spans and games."""

    name = "revert-members"
    title = _("Reverse an update of members")
    button = _("Reverse")
    form = BeforeForm

    def public_heading(self, parameters: Parameters) -> str:
        number = len(parameters["member"])
        told = ngettext("Update of %d member reversed", "Update of %d members reversed", number)
        return told % number

    def apply(self, decision: Decision) -> Effect:
        """Restore all of them or none. Newly registered members who have since played stay."""
        asked = {one["member"]: one for one in decision.asked["member"]}
        members = lock_rows(Member.objects, asked)
        spans = FullMembership.objects.spans_of(members)
        for key, one in asked.items():
            _refuse_later(members[key], one["now"])
        updates = [
            MemberUpdate(
                members[key],
                False,
                {
                    name: (was, value)
                    for name, value in one["facts"].items()
                    if (was := getattr(members[key], name)) != value
                },
                spans[key],
                sorted(_spans_before(members[key], spans[key], one), key=begin_of),
            )
            for key, one in asked.items()
        ]
        effect = self.update(updates, decision, {key: one["games"] for key, one in asked.items()})
        effect.undo = None
        new = [members[key] for key, one in asked.items() if one["is_new"]]
        effect.facts += [
            Fact("inputs", f"{one.username} new", str(one), before="on the books") for one in new
        ]
        effect.objects = [one for one in members.values() if one not in new]
        for one in new:
            name_author(one, decision.by, decision.note)
            try:
                one.delete()
            except ProtectedError:
                refusal = gettext(
                    "%(member)s has games or ratings, so they stay registered. Nothing was done."
                )
                raise ValidationError(refusal % {"member": one}) from None
        return effect


def _facts_in(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return a member's facts from JSON. Raises ValidationError or TypeError."""
    fields = {name: Member._meta.get_field(name) for name in FACTS if name in said}
    return {name: field.clean(said[name], None) for name, field in fields.items()}  # type: ignore[union-attr]


def _own_in(said: Mapping[str, Any]) -> list[list[Span]] | None:
    """Return the spans after and before an update from JSON, None where it doesn't say them."""
    field = SpansField(required=False)
    return [field.clean(said[name]) for name in _OWN] if _OWN[0] in said else None


def _refuse_later(member: Member, now: Mapping[str, Any]) -> None:
    """Raise ValidationError for facts that have changed since the update that is taken back."""
    later = [name for name, value in now.items() if getattr(member, name) != value]
    if later:
        told = gettext(
            "%(member)s has changed again since that update: %(fields)s. Reverse the later change first, "
            "or correct the member yourself."
        )
        fields = [str(Member._meta.get_field(name).verbose_name) for name in later]  # type: ignore[union-attr]
        raise ValidationError(told % {"member": member, "fields": ", ".join(fields)})


def _spans_before(member: Member, stored: list[Span], one: Mapping[str, Any]) -> list[Span]:
    """Return a member's spans once an update is taken back. A new member has none."""
    if one["own"] is None or one["is_new"]:
        return list(one["spans"])
    return taken_back(member, stored, *one["own"])


def _facts(update: MemberUpdate) -> Iterator[Fact]:
    member = update.member
    if update.is_new:
        yield Fact("inputs", f"{member.username} new", str(member), after="on the books")
    for name, (before, after) in update.facts.items():
        label = of_field(member, Member, name)
        yield Fact("inputs", f"{member.username} {name}", label, value_text(before), value_text(after))


def _as_before(update: MemberUpdate, changed: SpansChanged | None) -> str:
    """Return a member's value for the form of :class:`RevertMembers`."""
    said = {
        "member": update.member.pk,
        "is_new": update.is_new,
        "facts": {} if update.is_new else {name: before for name, (before, _after) in update.facts.items()},
        "spans": span_texts(update.before),
        "games": [game.pk for game, _why in changed.unrated] if changed else [],
    }
    if not update.is_new:
        said["now"] = {name: after for name, (_before, after) in update.facts.items()}
        said |= own_spans(changed) if changed else {name: [] for name in _OWN}
    return json.dumps(said, separators=(",", ":"))
