"""Decisions about accounts: closing one for rated play with its games, and reopening it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of
from foa.said import gettext, ngettext
from foa.text import utc_text
from foa.web.admin import is_value
from foa.web.days import DayInput
from members.former import keep_arrivals
from members.models import AccountClosure, Member
from members.usernames import Usernames
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import AboutRow, Effect, Fact
from ratings.office.forms import OneOf
from ratings.office.models import PublicReason
from ratings.rbb.closures import close_account, reopen_account
from ratings.rbb.decisions.base import LedgerKind, effect_of, member_subject
from ratings.rbb.decisions.games import MANY_GAMES, facts_of_games, game_label
from ratings.rbb.decisions.picking import PickMembers, named
from ratings.rbb.labels import dates_text
from ratings.rbb.models import Game

ALL, OPPONENTS, KEEP = "all", "opponents", "keep"


class OpponentsField(forms.Field):
    """Field for members by username."""

    widget = PickMembers

    def clean(self, value: Any) -> list[Member]:
        """Return each member once; raises ValidationError naming usernames that aren't members'."""
        names = list(named(super().clean(value) or ()))
        found = Usernames((one.username, one) for one in Member.objects.of_usernames(names))
        members = {name: found.find(name) for name in names}
        if unknown := [name for name, member in members.items() if member is None]:
            former = {name: one for name in unknown if (one := Member.objects.called(name))}
            if former:
                fault = gettext("“%(name)s” now leads to “%(member)s”. Enter that username instead.")
                raise ValidationError(
                    [fault % {"name": name, "member": one.username} for name, one in former.items()]
                )
            fault = gettext("No members have these usernames: %(names)s.")
            raise ValidationError(fault % {"names": ", ".join(unknown)})
        return sorted({one for one in members.values() if one is not None}, key=lambda one: one.pk)


def _moment_field(**kwargs: Any) -> forms.DateTimeField:
    return forms.DateTimeField(
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"), **kwargs
    )


class CloseForm(forms.Form):
    """Form for closing an account: whose, from when until when, why, and what happens to earlier games."""

    member = OneOf(Member.objects.all())
    closed_from = _moment_field(
        label=_("Closed from"),
        help_text=_(
            "UTC. Rated games that start during the closure are void, even if we receive them later. The "
            "dates of the closure are public."
        ),
    )
    closed_until = _moment_field(
        label=_("Closed until"), required=False, help_text=_("UTC. Leave blank if there is no end date.")
    )
    category = forms.ChoiceField(
        label=_("Reason shown to members"), choices=[("", "---------"), *AccountClosure.Category.choices]
    )
    games = forms.ChoiceField(
        label=_("Rated games from before the closure"),
        choices=[
            (ALL, _("Void all of them from a given day on")),
            (OPPONENTS, _("Void those against certain opponents from a given day on")),
            (KEEP, _("Keep them")),
        ],
        widget=forms.RadioSelect,
        help_text=_("Only games that started before the closure can be kept."),
    )
    since = forms.DateField(
        label=_("From"),
        required=False,
        widget=DayInput(),
        help_text=_("Games that started on this day (UTC) or later. Leave blank if games are kept."),
    )
    opponents = OpponentsField(
        label=_("Opponents"), required=False, help_text=_("Type part of a name or username.")
    )
    note = forms.CharField(required=False, max_length=2_000, widget=forms.HiddenInput)
    # The merged account whose username was given to the command.
    account = OneOf(Member.everybody.exclude(merged_into=None), required=False)

    @property
    def about(self) -> str:
        """The member whose account it is."""
        key = self["member"].value()
        member = Member.objects.filter(pk=key).first() if is_value(Member._meta.pk, key) else None
        return f"{member} ({member.username})" if member else ""

    def clean(self) -> dict[str, Any]:
        """Check the fields together; raises ValidationError at the faulty field."""
        cleaned = super().clean() or {}
        begin, end, games = (cleaned.get(name) for name in ("closed_from", "closed_until", "games"))
        if begin and end and end <= begin:
            self.add_error("closed_until", gettext("Choose a time after the closure."))
        if games in (ALL, OPPONENTS) and "since" in cleaned:
            self._check_since(begin, cleaned["since"])
        if games == KEEP:
            cleaned["since"] = None
        if games == OPPONENTS and not cleaned.get("opponents", True):
            self.add_error("opponents", gettext("Name the opponents, or void all games."))
        if games != OPPONENTS and cleaned.get("opponents"):
            self.add_error("opponents", gettext("Leave this empty, or choose “against certain opponents”."))
        return cleaned

    def _check_since(self, begin: datetime | None, since: Any) -> None:
        if since is None:
            self.add_error("since", gettext("Choose the day from which games are void."))
        elif begin is not None and beginning_of(since) > begin:
            self.add_error("since", gettext("Choose a day no later than the closure."))


class _OfAnAccount(LedgerKind):
    """A decision about an account. The list of changed ratings would begin with its member."""

    permission = "members.decide_accountclosure"
    asks_by_post = True
    unlisted = True
    words: ClassVar[Any] = {**LedgerKind.words, **dict(AccountClosure.Category.choices)}


@register
class CloseAccount(_OfAnAccount):
    """Decision to close an account for rated play.

    Games during the closure become void, earlier ones as chosen.
    """

    name = "close-account"
    title = _("Close an account")
    button = _("Close the account")
    form = CloseForm

    def bind(self, parameters: Parameters) -> Any:
        """Return the form; if only the member is given, with its initial values."""
        if set(parameters) != {"member"}:
            return super().bind(parameters)
        now = timezone.now().replace(second=0, microsecond=0)
        return CloseForm(initial={"member": parameters["member"][0], "closed_from": now})

    def reason(self, parameters: Parameters) -> str:
        """Return the closure's reason if it is one of the office's."""
        category = "".join(parameters.get("category", ()))
        return category if category in PublicReason.values else PublicReason.OTHER

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        """Return True if the member has many games since the closure or the chosen day."""
        since = beginning_of(asked["since"]) if asked["since"] else asked["closed_from"]
        games = Game.objects.of(asked["member"].pk).filter(voided_at=None, started_at__gte=since)
        return games.count() >= MANY_GAMES

    def subject(self, asked: Mapping[str, Any]) -> str:
        return member_subject(asked["member"])

    def public_heading(self, parameters: Parameters) -> str:
        if parameters.get("games") != [KEEP]:
            return gettext("Games of a closed account voided")
        if parameters.get("category") == [AccountClosure.Category.REQUEST]:
            return gettext("Account closed at the member’s request")
        return gettext("Account closed")

    def confirm_label(self, effect: Effect) -> str:
        number = len(effect.result.games)
        if not number:
            return str(self.button)
        told = ngettext("Close the account and void %d game", "Close the account and void %d games", number)
        return told % number

    def apply(self, decision: Decision) -> Effect:
        """Close the account and void its games, both or neither."""
        asked = decision.asked
        closure = AccountClosure(
            member=asked["member"],
            closed_from=asked["closed_from"],
            closed_until=asked["closed_until"],
            category=asked["category"],
            note=asked["note"] or decision.note,
            games_since=beginning_of(asked["since"]) if asked["since"] else None,
            decided_at=decision.at,
        )
        done = close_account(closure=closure, opponents=asked["opponents"], by=decision.by)
        if (account := asked["account"]) is not None:
            keep_arrivals("members.AccountClosure.member", {closure.pk: account.pk})
        effect = effect_of(done.replayed)
        effect.facts += [
            _closure_fact(closure, after=str(closure.category)),
            *(
                Fact("inputs", str(AboutRow("game", one.pk)), game_label(one), after="void")
                for one in done.games
            ),
        ]
        if done.inside and asked["games"] != ALL:
            told = ngettext(
                "%d game started after the closure, so it can’t be kept.",
                "%d games started after the closure, so they can’t be kept.",
                done.inside,
            )
            effect.facts.append(Fact("warnings", "inside", told % done.inside, after=str(done.inside)))
        effect.objects = [closure.member, *done.games]
        effect.undo = ("reopen-account", {"closure": [str(closure.pk)]})
        effect.result = done
        return effect


class ReopenForm(forms.Form):
    closure = OneOf(AccountClosure.objects.select_related("member"))


@register
class ReopenAccount(_OfAnAccount):
    """Decision to undo a closure and all its effects: the games that it voided count again."""

    name = "reopen-account"
    title = _("Reopen an account")
    button = _("Reopen the account")
    form = ReopenForm

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        """Return True if the closure made many games void."""
        closure = asked["closure"]
        games = Game.objects.of(closure.member_id).filter(voided_at=closure.decided_at)
        return games.count() >= MANY_GAMES

    def subject(self, asked: Mapping[str, Any]) -> str:
        return member_subject(asked["closure"].member)

    def public_heading(self, parameters: Parameters) -> str:
        return gettext("Account reopened, its games count again")

    def confirm_label(self, effect: Effect) -> str:
        number = len(effect.result.games)
        if not number:
            return str(self.button)
        told = ngettext(
            "Reopen the account and reinstate %d game", "Reopen the account and reinstate %d games", number
        )
        return told % number

    def apply(self, decision: Decision) -> Effect:
        """Remove the closure and reinstate its games, both or neither."""
        closure = decision.asked["closure"]
        done = reopen_account(closure=closure, by=decision.by, note=decision.note)
        effect = effect_of(done.replayed)
        effect.facts += [
            _closure_fact(closure, before=str(closure.category)),
            *facts_of_games(done.games, "counts"),
            *(
                Fact(
                    "warnings",
                    f"game {one.pk}",
                    _stays_out(one, why),
                    after="void" if one.voided_at else "unrated",
                )
                for one, why in done.stays
            ),
        ]
        effect.objects = [closure.member, *done.games]
        effect.result = done
        return effect


def _stays_out(game: Game, why: str) -> str:
    return gettext("%(game)s still doesn’t count: %(why)s.") % {"game": game_label(game), "why": why}


def _closure_fact(closure: AccountClosure, before: str = "", after: str = "") -> Fact:
    """Return the fact that an account is closed, or no longer closed."""
    words = {"member": closure.member, "dates": dates_text(closure.span)}
    label = gettext("%(member)s: closed for rated play %(dates)s") % words
    begin, end = closure.span
    key = f"{closure.member.username} closed {utc_text(begin)} {utc_text(end) if end else ''}"
    return Fact("inputs", key, label, before, after)
