"""RBB 2.1 in retrospect: full membership changes, and with it which games can be rated."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.history import name_author
from foa.moments import NEVER_ENDS
from foa.text import date_text
from members.models import FullMembership, Member
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.ledger.locks import lock_accounts, lock_members
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rbb.models.games import Game
from ratings.rules.rbb.conditions import NOT_FULL, Span, is_full, not_full


class Concerned(NamedTuple):
    """The games that a change of a member's spans would affect.

    ``uncovered``: rated games no longer covered, with the reason why they can't be rated. ``offered``: games
    unrated for lack of membership that could be rated. ``lacking``: games still without membership, but for a
    different reason.
    """

    uncovered: list[tuple[Game, str]]
    offered: list[Game]
    lacking: list[tuple[Game, str]]

    def __bool__(self) -> bool:
        return any(self)


class SpansChanged(NamedTuple):
    """Result of changing a member's spans of full membership.

    ``spans``: each changed span before and after; None if it is new or gone. ``unrated``: games that were
    rated, with the reason. ``rated``: games that were unrated.
    """

    member: Member
    before: list[Span]
    spans: list[tuple[Span | None, Span | None]]
    unrated: list[tuple[Game, str]]
    rated: list[Game]
    replayed: ReplaySummary


def concerned(
    member: Member,
    after: Collection[Span],
    *,
    before: Collection[Span] | None = None,
    lock: bool = False,
) -> Concerned:
    """Return the games of a member that other spans would affect. ``before``: None for the stored spans.

    Games outside the changed time and void games aren't affected.
    """
    found = Concerned([], [], [])
    if before is None:
        before = FullMembership.objects.spans_of([member.pk])[member.pk]
    changed = set(before) ^ set(after)
    if not changed:
        return found
    rows = Game.objects.of(member.pk)
    if lock:
        # All of the member's games: a correction may be moving one into the changed time.
        rows.lock()
    rows = rows.filter(
        Q(rated=True) | Q(unrated_reason__in=NOT_FULL),
        voided_at=None,
        started_at__gte=min(begin for begin, _end in changed),
        started_at__lt=max(end or NEVER_ENDS for _begin, end in changed),
    )
    games = [
        game
        for game in rows.with_names().order_by("ended_at", "pk")
        if is_full(before, game.started_at) != is_full(after, game.started_at)
    ]
    players_of_games = {player for game in games for player in (game.white_id, game.black_id)}
    accounts = eligibility_of(players_of_games | {member.pk})
    accounts[member.pk] = accounts[member.pk]._replace(full=list(after))
    for game in games:
        players = {"white": accounts[game.white_id].full, "black": accounts[game.black_id].full}
        why = "; ".join(map(str, not_full(game.started_at, **players)))
        if game.rated:
            found.uncovered.append((game, why))
        elif why:
            if why != game.unrated_reason:
                found.lacking.append((game, why))
        elif not game.unmet_conditions(accounts):
            found.offered.append(game)
    return found


def change_spans(
    *,
    member: Member,
    spans: Iterable[Span],
    rate: Collection[int] | None = None,
    by: Any = None,
    note: str = "",
    is_locked: bool = False,
) -> SpansChanged:
    """Give a member these spans of full membership, and rate or unrate their games accordingly (RBB 2.1).

    Rated games that are no longer covered become unrated. Games that were unrated only for lack of membership
    and are now covered become rated: all of them, or only those with these keys (``rate``). ``note`` is for
    the histories. ``is_locked``: the caller already prevents others from changing the member or storing games
    of theirs. Either everything is done or nothing, in one replay. Raises ValidationError for spans that
    overlap or end before they begin.
    """
    after = sorted(spans, key=lambda span: span[0])
    check_spans(after)
    with deferred() as work:
        if not is_locked:
            lock_members([member.pk])
        before = FullMembership.objects.spans_of([member.pk])[member.pk]
        found = concerned(member, after, before=before, lock=True)
        for game, why in (*found.uncovered, *found.lacking):
            name_author(game, by, note)
            game.rated, game.unrated_reason = False, why
            game.save()
        changed = _store(member, after, by, note)
        if changed:
            record_event(OutboxEntry.Event.MEMBER_CHANGED, member.pk)
        rated = [game for game in found.offered if rate is None or game.pk in rate]
        for game in rated:
            name_author(game, by, note)
            game.rated, game.unrated_reason = True, ""
            game.save()
    return SpansChanged(member, before, changed, found.uncovered, rated, work.summary)


def refuse_uncovering(before: Collection[tuple[int, Span]]) -> None:
    """Raise ValidationError for a change of spans that would leave rated games outside membership.

    ``before``: member and span before the change. A span whose ``games_follow`` isn't asked about.
    """
    lock_accounts({member for member, _span in before})
    for member, (begin, end) in before:
        games = Game.objects.outside_membership().of(member).filter(started_at__gte=begin)
        if end is not None:
            games = games.filter(started_at__lt=end)
        first = games.with_names().order_by("started_at", "pk").first()
        if first is None:
            continue
        number = games.count()
        refusal = ngettext(
            "%(member)s: this would leave %(number)d rated game outside full membership (RBB 2.1): %(game)s"
            " of %(day)s. Change it on the member’s page in the admin, or by updating members from a "
            "file: both show what happens to the game.",
            "%(member)s: this would leave %(number)d rated games outside full membership (RBB 2.1), the first"
            " is %(game)s of %(day)s. Change it on the member’s page in the admin, or by updating "
            "members from a file: both show what happens to the games.",
            number,
        )
        words = {
            "member": Member.objects.get(pk=member),
            "number": number,
            "game": first,
            "day": date_text(first.started_at),
        }
        raise ValidationError(refusal % words)


def check_spans(spans: list[Span]) -> None:
    """Raise ValidationError for spans, in order, that overlap or end before they begin."""
    if any(end is not None and end <= begin for begin, end in spans):
        raise ValidationError(_("Membership must end after it starts."))
    if any(earlier[1] is None or later[0] < earlier[1] for earlier, later in pairwise(spans)):
        raise ValidationError(_("Periods of full membership can’t overlap."))


def _store(member: Member, after: list[Span], by: Any, note: str) -> list[tuple[Span | None, Span | None]]:
    """Change the stored spans to these; return each changed one, before and after.

    A span with the same beginning keeps its row, and so its history; the others are matched in order.
    """
    stored = FullMembership.objects.filter(member=member).order_by("full_from")
    rows = [row for row in stored if row.span not in after]
    same = {row.full_from: row for row in rows}
    spans = [span for span in after if span not in {row.span for row in stored}]
    begun = [(same[span[0]], span) for span in spans if span[0] in same]
    taken = {row.pk for row, _span in begun}
    left = [row for row in rows if row.pk not in taken]
    others = [span for span in spans if span[0] not in same]
    moved = list(zip(left, others, strict=False))
    changes: list[tuple[Span | None, Span | None]] = [
        *((row.span, span) for row, span in (*begun, *moved)),
        *((row.span, None) for row in left[len(others) :]),
        *((None, span) for span in others[len(left) :]),
    ]
    for row in left[len(others) :]:
        row.games_follow = True
        name_author(row, by, note)
        row.delete()
    waiting = [*begun, *moved]
    while waiting:
        # Start with one whose new place isn't held by another that still has to move.
        ready = next((one for one in waiting if _is_free(one, waiting)), waiting[0])
        waiting.remove(ready)
        row, (full_from, full_until) = ready
        row.full_from, row.full_until, row.games_follow = full_from, full_until, True
        name_author(row, by, note)
        row.save()
    for full_from, full_until in others[len(left) :]:
        new = FullMembership(member=member, full_from=full_from, full_until=full_until)
        name_author(new, by, note)
        new.save()
    return sorted(changes, key=lambda change: (change[0] or change[1] or after[0])[0])


def _is_free(one: tuple[Any, Span], waiting: list[tuple[Any, Span]]) -> bool:
    begin, end = one[1]
    return all(
        row is one[0] or (row.full_until or NEVER_ENDS) <= begin or (end or NEVER_ENDS) <= row.full_from
        for row, _span in waiting
    )
