"""Closures of accounts. In a merge, those of the other account then apply to the member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q

from foa.said import gettext as _
from members.models import AccountClosure
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, Merging
from ratings.rbb.closures import games_to_hold, let_go
from ratings.rbb.labels import waiting_text
from ratings.rbb.ledger.corrections import compare_games_of, reinstate_games, void_games
from ratings.rbb.models import Game
from ratings.rbb.relations.games import SAME_PERSON


class Closures(Declaration):
    """Closures of the account. A member closed under one name can't play rated games under another.

    The fact that it was closed is kept when they leave, because games are void by it.
    """

    relations = ("members.AccountClosure.member",)
    kept_as = "Closures"

    def merge(self, work: Merging) -> Any:
        """Return the closures that moved; raises ValidationError for two that overlap."""
        theirs = list(AccountClosure.objects.filter(member=work.other).order_by("pk"))
        for closure in theirs:
            self._refuse_conflict(work, closure)
        _hand_over(work, theirs, work.member.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs))
        _hold_games(work)
        return [closure.pk for closure in theirs]

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back the closures that still exist, and those that came under a name of the other since."""
        came = work.arrived_besides(self.relations[0], kept)
        theirs = list(AccountClosure.objects.filter(pk__in=[*kept, *came], member=work.member).order_by("pk"))
        _hand_over(work, theirs, work.other.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs), back=True)
        if gone := len(set(kept) - {closure.pk for closure in theirs}):
            work.tell_gone(AccountClosure, "member", gone)
        _hold_games(work)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the dates and categories of the closures, and separately the notes of staff."""
        rows = AccountClosure.objects.filter(member__in=person.keys).order_by("closed_from")
        columns = ("closed_from", "closed_until", "category", "games_since", "decided_at")
        yield table("closed-accounts", rows, columns)
        yield table("closed-accounts-notes", rows, ("closed_from", "note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Empty the notes."""
        rows = AccountClosure.objects.filter(member__in=work.person.keys)
        keys = list(rows.values_list("pk", flat=True))
        work.tell_rows(AccountClosure, rows.exclude(note="").update(note=""))
        AccountClosure.history.filter(id__in=keys).exclude(note="").update(note="")

    def _refuse_conflict(self, work: Merging, closure: AccountClosure) -> None:
        """Raise ValidationError for a closure of the member at the same time."""
        mine = AccountClosure.objects.filter(member=work.member).overlapping(closure.span).first()
        if mine is not None:
            told = _("Both accounts are closed at the same time: %(one)s; %(two)s. Reopen one of them first.")
            raise ValidationError(told % {"one": mine, "two": closure})


def _hand_over(work: Merging, closures: list[AccountClosure], to: int) -> None:
    keys = [closure.pk for closure in closures]
    work.change(AccountClosure._base_manager.filter(pk__in=keys).order_by("pk"), member_id=to)


def _hold_games(work: Merging) -> None:
    """Void games of the two that a closure now covers, release those no longer covered, compare them again.

    A game that was settled as the second report of one that other people played stays void, which is said.
    """
    members = work.member.pk, work.other.pk
    voided, past = games_to_hold(members)
    void_games(games=voided, by=work.by, at=work.at, reason=SAME_PERSON, note=work.note)
    reinstated, stays = let_go(past, work.by)
    reinstate_games(games=reinstated, by=work.by, reason=(work.note or SAME_PERSON)[:255])
    unrated = [game for game, _why in stays if game.voided_at is None]
    waiting, freed = compare_games_of(members=members, by=work.by, reason=work.note or SAME_PERSON)
    settled = Game.objects.filter(Q(white__in=members) | Q(black__in=members), voided_at__isnull=False)
    for game in settled.second_reports_of_others().with_names().order_by("pk"):
        told = _("%(game)s stays void as a second report of game %(number)d, which the other account played.")
        work.warn(f"game {game.pk} void", told % {"game": game, "number": game.possibly_same_id})
    for game in waiting:
        work.warn(f"game {game.pk} waits", waiting_text(game))
    for games, before, after in (
        (voided, "counts", "void"),
        (reinstated, "void", "counts"),
        (unrated, "void", "unrated"),
        (waiting, "rated", "unrated"),
        (freed, "unrated", "rated"),
    ):
        for game in games:
            work.tell("inputs", f"game {game.pk} void", str(game), before, after)
