"""Undoing the import of a file, and erasing a member who has left."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from foa.web.admin import is_value
from members.models import Member
from ratings.office.decision_types import Decision, DecisionType, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import OneOf
from ratings.office.importing import limited_warnings
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.models import ImportBatch
from ratings.rbb.personal import erase_member
from ratings.rbb.undoing_imports import TakenBack, take_back_games, take_back_members


class KeysField(forms.Field):
    """Field for keys of rows, some of which may have been deleted since."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[int]:
        """Return the keys; raises ValidationError for anything else."""
        if not all(is_value(Member._meta.pk, key) for key in value or ()):
            raise ValidationError(gettext("This no longer exists."))
        return [int(key) for key in value or ()]


class BatchForm(forms.Form):
    """Form for an import of games, the members it registered, and the number of stored games it changed."""

    batch = OneOf(ImportBatch.objects.all())
    member = KeysField(required=False)
    changed = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)


class MembersForm(forms.Form):
    """Form for the members registered by a file, and the spans that it gave to others."""

    member = KeysField(required=False)
    span = KeysField(required=False)


class _TakeBack(LedgerKind):
    """A decision that removes what a file brought, unless it has been used; the preview says why."""

    button = _("Reverse")
    as_job = True

    def effect(self, done: TakenBack) -> Effect:
        """Return what was removed, what stays, and whose ratings changed."""
        if not done:
            why = [f"{what}: {reason}." for what, reason in done.stays[:20]]
            raise ValidationError([gettext("Nothing from this file can be reversed."), *why])
        effect = effect_of(done.replayed)
        effect.facts += [
            Fact("inputs", f"{key} {_digest(keys)}", label, before=str(len(keys)))
            for key, label, keys in (
                ("games", gettext("Games deleted"), done.games),
                ("events", gettext("Events deleted"), done.events),
                ("members", gettext("Members deleted"), done.members),
                ("spans", gettext("Full memberships deleted"), done.spans),
            )
            if keys
        ]
        told = gettext("This can’t be undone, but you can import the file again.")
        effect.facts.append(Fact("warnings", "for good", told))
        stays = [
            gettext("%(what)s is kept: %(why)s.") % {"what": what, "why": why} for what, why in done.stays
        ]
        effect.facts += limited_warnings("stays", stays)
        return effect


@register
class TakeBackGames(_TakeBack):
    """Decision to delete the games of a file, and the members whom it registered."""

    name = "take-back-games"
    title = _("Reverse an import of games")
    register_title = _("Import of games reversed")
    permission = "ratings.delete_game"
    form = BatchForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        return str(asked["batch"].source)

    def apply(self, decision: Decision) -> Effect:
        asked, by = decision.asked, decision.by
        if asked["member"] and by is not None and not by.has_perm("members.delete_member"):
            told = gettext("The file also registered members, whom you aren’t allowed to delete.")
            raise ValidationError(told)
        done = take_back_games(batch=asked["batch"], members=asked["member"], by=by, note=decision.note)
        effect = self.effect(done)
        if number := asked["changed"]:
            told = gettext("Games stored earlier that this file finished or rated stay as they are now: %d.")
            effect.facts.append(Fact("warnings", "changed", told % number, after=str(number)))
        effect.objects = [asked["batch"]]
        return effect


@register
class TakeBackMembers(_TakeBack):
    """Decision to delete the members registered by a file, and the full memberships that it added."""

    name = "take-back-members"
    title = _("Reverse an import of members")
    permission = "members.delete_member"
    is_public = False
    form = MembersForm

    def apply(self, decision: Decision) -> Effect:
        asked, by = decision.asked, decision.by
        if asked["span"] and by is not None and not by.has_perm("members.delete_fullmembership"):
            told = gettext("The file also added full memberships, which you aren’t allowed to delete.")
            raise ValidationError(told)
        done = take_back_members(members=asked["member"], spans=asked["span"], by=by, note=decision.note)
        return self.effect(done)


def _digest(keys: Collection[int]) -> str:
    return hashlib.sha256(",".join(map(str, keys)).encode()).hexdigest()


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
        told = gettext("This can’t be undone. If the member wants a copy of their data, export it first.")
        effect = Effect(facts=[Fact("warnings", "for good", told), *done.facts])
        effect.objects = [done.member]
        return effect
