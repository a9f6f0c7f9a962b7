"""Closures of two accounts that become one: those of the other account hold for the member."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from foa.history import note_changes
from members.models import AccountClosure
from ratings.models import Game
from ratings.office.merging import Merging, Part, merges, moves
from ratings.services.merging import parts  # noqa: F401  games move first

moves("members.AccountClosure_opponents.member")


@merges
class Closures(Part):
    """Whoever is closed under one name plays no rated games under another."""

    relations = ("members.AccountClosure.member",)

    def merge(self, work: Merging) -> Any:
        """The closures that moved. Raises ValidationError where the member's own facts are in the way."""
        theirs = list(AccountClosure.objects.filter(member=work.other).order_by("pk"))
        for closure in theirs:
            self._refuse_conflict(work, closure)
        self._hand_over(work, theirs, work.member.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs))
        return [closure.pk for closure in theirs]

    def give_back(self, work: Merging, kept: Any) -> None:
        """Those that are still there: one may have been taken back since."""
        theirs = list(AccountClosure.objects.filter(pk__in=kept, member=work.member).order_by("pk"))
        self._hand_over(work, theirs, work.other.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs), back=True)
        if gone := len(kept) - len(theirs):
            work.tell_gone(AccountClosure, "member", gone)

    def _refuse_conflict(self, work: Merging, closure: AccountClosure) -> None:
        """Raise ValidationError for a closure of the member at the same time, or rated games in this one."""
        mine = AccountClosure.objects.filter(member=work.member).overlapping(closure.span).first()
        if mine is not None:
            told = _("Both accounts are closed at the same time: %(one)s; %(two)s. Reopen one of them first.")
            raise ValidationError(told % {"one": mine, "two": closure})
        games = Game.objects.counting().of(work.member.pk).filter(started_at__gte=closure.closed_from)
        if closure.closed_until is not None:
            games = games.filter(started_at__lt=closure.closed_until)
        if number := games.count():
            told = _(
                "%(closure)s: the other account plays no rated games then, but %(member)s has %(number)d."
                " Close the account of %(member)s first, or reopen the other one."
            )
            raise ValidationError(told % {"closure": closure, "member": work.member, "number": number})

    def _hand_over(self, work: Merging, closures: list[AccountClosure], to: int) -> None:
        rows = AccountClosure._base_manager.filter(pk__in=[closure.pk for closure in closures]).order_by("pk")
        before = list(rows)
        # The games move with them, so nothing has to be held against each other.
        rows.order_by().update(member_id=to)
        note_changes(before, list(rows.all()), by=work.by, reason=work.note)
