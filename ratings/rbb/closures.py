"""Closing an account for rated play together with its games, and reopening it.

Which games a closure makes void follows only from its dates and opponents (:meth:`Closure.takes_out`). So
figures don't depend on the order in which accounts are closed and reopened and games arrive.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.history import name_author
from foa.text import date_text
from members.models import AccountClosure, Member
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.labels import dates_text, unmet_text
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.locks import lock_accounts, lock_members
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rbb.models.games import Game
from ratings.rules.rbb.conditions import NOT_FULL, Closure


class AccountClosed(NamedTuple):
    """The games that a closure made void. ``inside``: how many of them started during it."""

    games: list[Game]
    inside: int
    replayed: ReplaySummary


class AccountReopened(NamedTuple):
    """Result of reopening an account: games that count again, and games that stay void, with reasons."""

    games: list[Game]
    stays: list[tuple[Game, str]]
    replayed: ReplaySummary


@transaction.atomic
def close_account(*, closure: AccountClosure, opponents: Collection[Member], by: Any) -> AccountClosed:
    """Store a new closure and void the games that it covers, in one replay.

    Either everything is done or nothing. Raises ValidationError if the account is already closed at that
    time.
    """
    lock_members([closure.member_id])
    # One check after the other: an overlap would also break a constraint, and be reported twice.
    closure.clean_fields()
    closure.clean()
    closure.validate_constraints()
    # All of the member's games: a correction may be moving one into the closure.
    Game.objects.of(closure.member_id).lock()
    games = Game.objects.filter(voided_at=None).taken_out_by(closure, [one.pk for one in opponents])
    replayed = void_games(
        games=games, by=by, reason=closure.category, at=closure.decided_at, note=closure.note
    )
    name_author(closure, by)
    closure.save()
    closure.opponents.set(opponents)
    record_event(OutboxEntry.Event.MEMBER_CHANGED, closure.member_id)
    inside = sum(game.started_at >= closure.closed_from for game in games)
    return AccountClosed(games, inside, replayed)


@transaction.atomic
def reopen_account(*, closure: AccountClosure, by: Any, note: str) -> AccountReopened:
    """Remove a closure, so that the games it made void count again, each in its old place.

    A game that the other account's closure covers as well stays void, and belongs to that closure from now
    on. A game that now lacks full membership becomes unrated for that reason, and one that can't be rated for
    another reason stays void by itself. ``note`` is for staff.
    """
    lock_members([closure.member_id])
    its_own = Game.objects.of(closure.member_id).filter(voided_at=closure.decided_at)
    its_own.lock()
    void = list(its_own.with_names().order_by("started_at", "pk"))
    name_author(closure, by, note)
    closure.delete()
    games, stays = let_go(void, by)
    replayed = reinstate_games(games=games, by=by, reason=(note or _("Reopened"))[:255])
    record_event(OutboxEntry.Event.MEMBER_CHANGED, closure.member_id)
    return AccountReopened(games, stays, replayed)


def let_go(games: Collection[Game], by: Any) -> tuple[list[Game], list[tuple[Game, str]]]:
    """Return which void games can count again after a closure, and which stay out, with the reasons.

    A game covered by another closure becomes void by that one; a game without full membership becomes
    unrated.
    """
    accounts = eligibility_of({player for game in games for player in (game.white_id, game.black_id)})
    free: list[Game] = []
    stays = []
    for game in games:
        if others := game.closures(accounts):
            member, other = others[0]
            stays.append((game, _hand_over(game, game.player(member), other, by)))
        elif unmet := game.unmet_conditions(accounts):
            stays.append((game, "; ".join(map(unmet_text, unmet))))
            if (why := "; ".join(map(str, unmet))) in NOT_FULL:
                _unrate(game, why, by)
        else:
            free.append(game)
    return free, stays


def games_to_hold(members: Collection[int]) -> tuple[list[Game], list[Game]]:
    """Return these members' games that count despite a closure, and games to be let go.

    The latter are void by a closure that no longer covers them.
    """
    concerned = AccountClosure.objects.filter(Q(member__in=members) | Q(opponents__in=members)).distinct()
    counting = Game.objects.filter(Q(white__in=members) | Q(black__in=members), voided_at=None)
    taken_out = {
        game.pk: game
        for closure in concerned
        for game in counting.taken_out_by(closure, closure.opponents.values_list("pk", flat=True))
    }
    void = Game.objects.with_names().filter(
        Q(white__in=members) | Q(black__in=members),
        rated=True,
        voided_at__in=AccountClosure.objects.values("decided_at"),
    )
    accounts = eligibility_of({player for game in void for player in (game.white_id, game.black_id)})
    past = [
        game
        for game in void
        if game.voided_at not in [closure.decided_at for _member, closure in game.closures(accounts)]
    ]
    return list(taken_out.values()), past


def refuse_rated_games(closure: AccountClosure) -> None:
    """Raise ValidationError naming the first rated game that counts although it started in this closure."""
    lock_accounts([closure.member_id])
    games = Game.objects.of(closure.member_id).filter(
        rated=True, voided_at=None, started_at__gte=closure.closed_from
    )
    if closure.closed_until is not None:
        games = games.filter(started_at__lt=closure.closed_until)
    first = games.with_names().order_by("started_at", "pk").first()
    if first is None:
        return
    number = games.count()
    refusal = ngettext(
        "%(number)d rated game of %(member)s started during this closure: %(game)s on %(day)s. Close the "
        "account on the member’s page in the admin, which also voids the game.",
        "%(number)d rated games of %(member)s started during this closure. The first is %(game)s on "
        "%(day)s. Close the account on the member’s page in the admin, which also voids the games.",
        number,
    )
    words = {"number": number, "member": closure.member, "game": first, "day": date_text(first.started_at)}
    raise ValidationError(refusal % words)


def _unrate(game: Game, why: str, by: Any) -> None:
    """Make a game unrated for this reason, as if it had never been void (RBB 2.1)."""
    game.become_void(None)
    game.rated, game.unrated_reason = False, why
    name_author(game, by, why)
    game.save()


def _hand_over(game: Game, player: Member, closure: Closure, by: Any) -> str:
    """Transfer a void game to another closure, and say whose account is closed as well."""
    words = {"member": player, "dates": dates_text(closure.span)}
    told = _("the account of %(member)s is closed as well, %(dates)s") % words
    voided_by = game.voided_by_id
    game.become_void(closure)
    game.voided_by_id = voided_by
    name_author(game, by, told)
    game.save()
    return told
