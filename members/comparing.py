"""Comparison of a file of members with the registered members."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from members.former import accounts_called
from members.importing import MemberRow, doubts, overlap, parse, refused_name
from members.models import FullMembership, Member
from members.signals import fide_ids_claimed
from members.usernames import Usernames, key_of
from ratings.formats.csv_rows import Row
from ratings.formats.problems import Problem, Remark
from ratings.rules.rbb.conditions import Span

_AT_ONCE: Final = 1_000


@dataclass(slots=True)
class MemberUpdate:
    """Changes to a member from a file, or all data of a new one (``is_new``).

    ``facts``: values before and after, by column. ``spans``: the new spans of full membership; those that the
    file doesn't name stay. ``account``: the merged account that had the username, if one had.
    """

    member: Member
    is_new: bool
    facts: dict[str, tuple[Any, Any]]
    before: list[Span]
    spans: list[Span]
    account: int | None = None


@dataclass(slots=True)
class MembersCompared:
    """Result of a comparison. ``refused``: invalid rows. ``remarks``: what was left out."""

    read: int = 0
    updates: list[MemberUpdate] = field(default_factory=list)
    already_there: int = 0
    refused: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def compare_members(*, rows: Iterable[Row | Problem]) -> MembersCompared:
    """Compare a file with the database, without changing anything.

    A row has all data of its member: an empty cell means no value. A span that begins with a stored one
    changes its end.
    """
    result = MembersCompared()
    found: dict[str, _Wanted] = {}
    for row in rows:
        result.read += 1
        if isinstance(row, Problem):
            result.refused.append(row)
            continue
        try:
            one = parse(row)
            found.setdefault(one.member.username, _Wanted(one)).take(one)
            result.remarks += one.remarks
        except ValueError as error:
            result.refused.append(Problem(row.line, str(error), row.values))
    usernames = list(found)
    new: Usernames[Member] = Usernames(())
    for start in range(0, len(usernames), _AT_ONCE):
        some = [found[username] for username in usernames[start : start + _AT_ONCE]]
        _compare(some, new, result)
        result.remarks += doubts(
            {one.row.line: one.member for one in some if new.get(one.member.username) is one.member}
        )
    _check_fide_ids(result, found)
    return result


class _Wanted:
    """Data of a member in a file: the facts of the first row, and each span with its row."""

    def __init__(self, first: MemberRow) -> None:
        self.first = first
        self.member, self.row = first.member, first.row
        self.spans: list[tuple[Span, Row]] = []

    def take(self, other: MemberRow) -> None:
        """Add another row; raise ValueError if it contradicts the first."""
        differing = [
            column
            for column in other.facts
            if column in self.first.facts and getattr(other.member, column) != getattr(self.member, column)
        ]
        if differing:
            raise ValueError(
                f"{', '.join(differing)}: line {self.row.line} has something different for "
                f"“{self.member.username}”"
            )
        if other.span is not None and other.span not in [one for one, _row in self.spans]:
            self.spans.append((other.span, other.row))


def _compare(some: list[_Wanted], new: Usernames[Member], result: MembersCompared) -> None:
    """Compare some members. ``new``: unregistered members of the file compared so far."""
    known = Usernames(Member.objects.by_username(one.member.username for one in some))
    held = FullMembership.objects.spans_of(member.pk for member in known.everything())
    accounts = accounts_called(one.member.username for one in some)
    for one in some:
        stored = known.get(one.member.username)
        if stored is None:
            if unfit := refused_name(one.member.username, known, new):
                result.refused.append(Problem(one.row.line, unfit, one.row.values))
                continue
            new.add(one.member.username, one.member)
        before = held[stored.pk] if stored is not None else []
        begins = {span[0] for span, _row in one.spans}
        after = [span for span in before if span[0] not in begins]
        for span, row in one.spans:
            if any(overlap(span, other) for other in after):
                fault = "full_from: this membership overlaps another one of this member"
                result.refused.append(Problem(row.line, fault, row.values))
            after.append(span)
        facts = {
            column: (was, now)
            for column in one.first.facts
            if (was := getattr(stored or Member(), column)) != (now := getattr(one.member, column))
        }
        update = MemberUpdate(
            stored or one.member,
            stored is None,
            facts,
            before,
            sorted(after, key=begin_of),
            accounts.get(key_of(one.member.username)),
        )
        if update.is_new or facts or update.before != update.spans:
            result.updates.append(update)
        else:
            result.already_there += 1


def _check_fide_ids(result: MembersCompared, found: dict[str, _Wanted]) -> None:
    """Refuse FIDE IDs that two members would have."""
    wanting = [one for one in result.updates if "fide_id" in one.facts]
    leaving = {one.member.username for one in wanting}
    claims = [(one.facts["fide_id"][1], one.member.username) for one in wanting if one.facts["fide_id"][1]]
    members = Member.objects.filter(fide_id__in=[fide_id for fide_id, _username in claims])
    holders = {
        fide_id: username
        for fide_id, username in members.values_list("fide_id", "username")
        if username not in leaving
    }
    keys = {one.member.username: one.member.pk for one in wanting if not one.is_new}
    claimed = []
    for fide_id, username in claims:
        holder = holders.setdefault(fide_id, username)
        if holder != username:
            row = found[username].row
            fault = f"fide_id: {fide_id} already belongs to “{holder}”"
            result.refused.append(Problem(row.line, fault, row.values))
            if username in keys:
                claimed.append((keys[username], holder))
    if claimed:
        fide_ids_claimed.send(Member, claims=claimed)


def begin_of(span: Span) -> datetime:
    """Return the first moment of a span."""
    return span[0]
