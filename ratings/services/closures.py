"""Closing an account for rated play with its games, and reopening it.

Which games a closure keeps out of the ratings follows from its dates and opponents alone, so the order in
which accounts are closed and reopened changes no figure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connections, transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.text import date_text
from members.models import AccountClosure, Member
from ratings.labels import dates_text, unmet_text
from ratings.models.games import Game, GameQuerySet
from ratings.models.players import accounts_of
from ratings.office.models import OutboxEntry
from ratings.office.outbox import tell
from ratings.services.ledger.corrections import reinstate_games, void_games
from ratings.services.ledger.locks import lock_accounts, lock_members
from ratings.services.ledger.summaries import ReplaySummary


@dataclass(slots=True)
class AccountClosed:
    """A closure and the games that it took out of the ratings. ``inside``: how many of them started in it."""

    closure: AccountClosure
    games: list[Game] = field(default_factory=list)
    inside: int = 0
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


@dataclass(slots=True)
class AccountReopened:
    """What reopening an account did: games that count again, and those that stay void, with why."""

    closure: AccountClosure
    games: list[Game] = field(default_factory=list)
    stays: list[tuple[Game, str]] = field(default_factory=list)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def games_of(closure: AccountClosure, opponents: Collection[int]) -> GameQuerySet:
    """The rated games that a closure keeps out of the ratings, void or not.

    Those that started in it, and those from before since ``games_since``: against these opponents, or
    against everybody if there are none. Nothing that started after its end.
    """
    chosen = Q(started_at__gte=closure.closed_from)
    if closure.games_since is not None:
        before = Q(started_at__gte=closure.games_since)
        if opponents:
            before &= Q(white__in=opponents) | Q(black__in=opponents)
        chosen |= before
    games: GameQuerySet = Game.objects.of(closure.member_id).filter(chosen, rated=True)
    return games if closure.closed_until is None else games.filter(started_at__lt=closure.closed_until)


@transaction.atomic
def close_account(*, closure: AccountClosure, opponents: Collection[Member], by: Any) -> AccountClosed:
    """Store a new closure, and take the games out of the ratings that it covers, with one replay.

    All of it or nothing. Raises ValidationError for an account that is closed then already.
    """
    lock_members([closure.member_id])
    closure.full_clean()
    since = min(filter(None, (closure.closed_from, closure.games_since)))
    Game.objects.of(closure.member_id).filter(started_at__gte=since).lock()
    games = games_of(closure, [one.pk for one in opponents]).filter(voided_at=None)
    closed = AccountClosed(closure, list(games.with_names().order_by("started_at", "pk")))
    closed.inside = sum(game.started_at >= closure.closed_from for game in closed.games)
    closed.replayed = void_games(
        games=closed.games, by=by, reason=closure.category, at=closure.decided_at, note=closure.note
    )
    vars(closure).update(_history_user=by)
    closure.save()
    closure.opponents.set(opponents)
    tell(OutboxEntry.Event.MEMBER_CHANGED, closure.member_id)
    return closed


@transaction.atomic
def reopen_account(*, closure: AccountClosure, by: Any, note: str) -> AccountReopened:
    """Take a closure back: the games that it took out of the ratings count again, each in its old place.

    A game that the closure of the other account covers as well stays void, and belongs to that one from now
    on. So does, by itself, a game that can't be rated any more for another reason. ``note`` is for staff.
    """
    lock_members([closure.member_id])
    its_own = Game.objects.of(closure.member_id).filter(voided_at=closure.decided_at)
    its_own.lock()
    reopened = AccountReopened(closure)
    games = list(its_own.with_names().order_by("started_at", "pk"))
    players = {player for game in games for player in (game.white_id, game.black_id)}
    vars(closure).update(_history_user=by, _change_reason=note[:255] or None)
    closure.delete()
    others: dict[int, AccountClosure] = {}
    for other in AccountClosure.objects.filter(member__in=players).select_related("member").order_by("pk"):
        opponents = other.opponents.values_list("pk", flat=True)
        of_both = games_of(other, list(opponents)).filter(voided_at=closure.decided_at)
        others = dict.fromkeys(of_both.values_list("pk", flat=True), other) | others
    accounts = accounts_of(players)
    for game in games:
        if kept_by := others.get(game.pk):
            _hand_over(game, kept_by, by)
            reopened.stays.append((game, _closed_text(kept_by)))
        elif unmet := game.unmet_conditions(accounts):
            reopened.stays.append((game, "; ".join(map(unmet_text, unmet))))
        else:
            reopened.games.append(game)
    reopened.replayed = reinstate_games(games=reopened.games, by=by, reason=(note or _("Reopened"))[:255])
    tell(OutboxEntry.Event.MEMBER_CHANGED, closure.member_id)
    return reopened


def refuse_rated_games(closure: AccountClosure, *, using: str) -> None:
    """Refuse a closure in which a rated game started that counts; raises ValidationError naming the first."""
    lock_accounts(connections[using], [closure.member_id])
    games: Any = Game.objects.using(using).of(closure.member_id).filter(rated=True, voided_at=None)
    games = games.filter(started_at__gte=closure.closed_from)
    if closure.closed_until is not None:
        games = games.filter(started_at__lt=closure.closed_until)
    first = games.with_names().order_by("started_at", "pk").first()
    if first is None:
        return
    number = games.count()
    refusal = ngettext(
        "%(number)d rated game of %(member)s started while the account would be closed: %(game)s of %(day)s."
        " Close the account on the member's page or with close_account: both void the game.",
        "%(number)d rated games of %(member)s started while the account would be closed, the first is"
        " %(game)s of %(day)s. Close the account on the member's page or with close_account: both void the"
        " games.",
        number,
    )
    words = {"number": number, "member": closure.member, "game": first, "day": date_text(first.started_at)}
    raise ValidationError(refusal % words)


def _closed_text(closure: AccountClosure) -> str:
    """Whose account is closed as well."""
    words = {"member": closure.member, "dates": dates_text(closure.span)}
    return _("the account of %(member)s is closed as well, %(dates)s") % words


def _hand_over(game: Game, closure: AccountClosure, by: Any) -> None:
    """Let a void game be one of another closure."""
    game.voided_at, game.void_reason, game.void_note = closure.decided_at, closure.category, closure.note
    vars(game).update(_history_user=by, _change_reason=_closed_text(closure)[:255])
    game.save()
