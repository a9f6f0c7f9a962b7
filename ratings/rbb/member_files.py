"""Members from a file: facts, full membership and games, changed together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from foa.history import name_author
from members.comparing import MemberUpdate
from members.former import keep_arrivals, keep_facts
from members.models import FullMembership, Member
from members.signals import members_joined
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_events
from ratings.rbb.ledger.locks import lock_members
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.memberships import SpansChanged, change_spans, check_spans


class MembersUpdated(NamedTuple):
    """Updated members, each with the changes of their membership; None if there are none."""

    done: list[tuple[MemberUpdate, SpansChanged | None]]
    replayed: ReplaySummary


def update_members(
    *,
    updates: Iterable[MemberUpdate],
    rate: Mapping[int, Collection[int]] | None = None,
    by: Any = None,
    note: str = "",
) -> MembersUpdated:
    """Update members, and their games as RBB 2.1 requires.

    ``rate``: by member's key, the games to be rated again; None for all that were unrated only for lack of
    membership. Either everything is done or nothing, in one replay. Raises ValidationError.
    """
    done: list[tuple[MemberUpdate, SpansChanged | None]] = []
    updates = list(updates)
    taken_over = {one.facts["fide_id"][1] for one in updates if "fide_id" in one.facts}
    with deferred() as work:
        # New members have no games yet.
        lock_members(one.member.pk for one in updates if not one.is_new and one.before != one.spans)
        for one in updates:
            # A FIDE ID may move from one member to another; they can't both have it.
            if not one.is_new and one.facts.get("fide_id", (None,))[0] in taken_over - {None}:
                _store(one.member, {"fide_id": None}, by, note)
        _register([one for one in updates if one.is_new])
        for one in updates:
            if one.is_new:
                joined = SpansChanged(
                    one.member, [], [(None, span) for span in one.spans], [], [], ReplaySummary()
                )
                done.append((one, joined if one.spans else None))
                continue
            _store(one.member, _new_values(one), by, note)
            changed = None
            if one.before != one.spans:
                games = None if rate is None else rate.get(one.member.pk, ())
                changed = change_spans(
                    member=one.member, spans=one.spans, rate=games, by=by, note=note, is_locked=True
                )
            if one.account is not None:
                keep_facts(one.account, one.facts)
                rows = FullMembership.objects.filter(member=one.member)
                new = {row.pk: one.account for row in rows if row.span not in one.before}
                keep_arrivals("members.FullMembership.member", new)
            done.append((one, changed))
    return MembersUpdated(done, work.summary)


def _register(updates: list[MemberUpdate]) -> None:
    """Store new members with their spans. No game is theirs yet."""
    for one in updates:
        vars(one.member).update(_new_values(one))
        check_spans(one.spans)
    if not updates:
        return
    Member.objects.bulk_create([one.member for one in updates])
    FullMembership.objects.bulk_create(
        [
            FullMembership(member=one.member, full_from=full_from, full_until=full_until)
            for one in updates
            for full_from, full_until in one.spans
        ]
    )
    members_joined.send(Member, members=[one.member for one in updates])


def tell_of_members(members: Iterable[int]) -> None:
    """Notify others of these new or changed members."""
    record_events(OutboxEntry.Event.MEMBER_CHANGED, members)


def _new_values(update: MemberUpdate) -> dict[str, Any]:
    return {name: after for name, (_before, after) in update.facts.items()}


def _store(member: Member, facts: Mapping[str, Any], by: Any, note: str) -> None:
    """Save only the changed fields: another user may be editing the rest."""
    if facts:
        vars(member).update(facts)
        name_author(member, by, note)
        member.save(update_fields=list(facts))
