"""Import of members and their spans of full membership from a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from foa.text import number_in, utc
from members.former import accounts_called, keep_arrivals
from members.models import FullMembership, Member
from members.signals import fide_ids_claimed
from members.usernames import Usernames, fault_in, key_of, mixed_in, stands_for_nobody
from ratings.formats.csv_rows import Row, Rows, read_rows
from ratings.formats.games import in_utc
from ratings.formats.problems import Problem, Remark, shown
from ratings.formats.unseen import unseen
from ratings.rules.rbb.conditions import Span

FACTS: Final = ("name", "fide_id", "federation", "sex", "birth_year", "title")
COLUMNS: Final = ("username", *FACTS, "full_from", "full_until")
SPARED: Final = frozenset(FACTS) - {"fide_id"}
"""Columns that affect no rating: an invalid value is left out, and the row is accepted."""

_AT_ONCE = 1_000
_MEND: Final = "correct it in the admin, or update members from the file"


class MemberRow(NamedTuple):
    """Row of a file of members. ``left``: by column, the fault for which the value was left out."""

    row: Row
    member: Member
    span: Span | None
    left: Mapping[str, str]

    @property
    def facts(self) -> list[str]:
        """Columns whose values weren't left out."""
        return [column for column in FACTS if column not in self.left]

    @property
    def remarks(self) -> Iterator[Remark]:
        """Remarks on the columns left out."""
        return (Remark(self.row.line, f"{fault}; left out") for fault in self.left.values())


@dataclass(slots=True)
class MembersImported:
    """Result of importing a file of members."""

    read: int = 0
    stored: int = 0
    spans_added: int = 0
    already_there: int = 0
    refused: int = 0
    new_members: list[int] = field(default_factory=list)
    """Keys of the members registered."""
    new_spans: list[int] = field(default_factory=list)
    """Keys of full memberships added to known members."""


def read_members(stream: BinaryIO) -> Rows[Row]:
    """Return the rows of a file of members, as read by ``Rows``."""
    return read_rows(stream, required=COLUMNS, spared=SPARED)


def import_members(
    *,
    rows: Iterable[Row | Problem],
    on_refused: Callable[[Problem], None] = lambda problem: None,
    on_remark: Callable[[Remark], None] = lambda remark: None,
) -> MembersImported:
    """Register members, all valid rows in one transaction.

    A known username with the same data gets the span of full membership if it is new. With other data the row
    is refused, because members are corrected by hand.
    """
    result = MembersImported()
    lines: dict[str, int] = {}

    with transaction.atomic():
        rows = iter(rows)
        while some := list(islice(rows, _AT_ONCE)):
            result.read += len(some)
            good: list[MemberRow] = []
            refused: list[Problem] = []
            refuse = refused.append
            for row in some:
                try:
                    if isinstance(row, Problem):
                        refuse(row)
                    else:
                        good.append(parse(row))
                except ValueError as error:
                    refuse(Problem(row.line, str(error), row.values))  # type: ignore[union-attr]
            for remark in _store(good, result, refuse, lines):
                on_remark(remark)
            result.refused += len(refused)
            for problem in sorted(refused, key=lambda problem: problem.line):
                on_refused(problem)
    return result


def parse(row: Row) -> MemberRow:
    """Return the member and span of a row; raise ValueError with all faults that could affect a rating."""
    values = row.values
    faults: list[str] = []
    left = dict(row.unread)
    member = Member(
        username=values["username"],
        name=values["name"],
        federation=values["federation"].upper(),
        sex=values["sex"].upper(),
        title=values["title"].upper(),
    )
    if char := unseen(member.name):
        _note("name", f"name: {char} in {shown(member.name)} can’t be seen", faults, left)
    for column in ("fide_id", "birth_year"):
        text = values[column]
        # FIDE's lists write 0 for an unknown value.
        if text.strip("0"):
            # A spreadsheet program may have written 1990 as 1990.0.
            number = number_in(text.removesuffix(".0"), 9)
            if number is None:
                expected = (
                    "a year such as 1990" if column == "birth_year" else "a number of at most nine digits"
                )
                fault = f"{column}: {shown(text)} is not {expected}"
                _note(column, fault, faults, left)
            else:
                setattr(member, column, number)
    try:
        member.clean_fields()
    except ValidationError as error:
        for column, messages in error.message_dict.items():
            _note(column, f"{column}: {shown(values[column])}: {' '.join(messages)}", faults, left)
    for column in left:
        setattr(member, column, None if column == "birth_year" else "")
    span = None
    try:
        full_from, full_until = (_moment(values, column) for column in ("full_from", "full_until"))
        if full_from is not None:
            span = full_from, full_until
            if full_until is not None and full_until <= full_from:
                faults.append("full_until: membership must end after it starts")
        elif full_until is not None:
            faults.append("full_until without full_from")
    except ValueError as error:
        faults.append(str(error))
    if faults:
        # The whole row is refused, so report all of its faults.
        raise ValueError("; ".join([*faults, *left.values()]))
    return MemberRow(row, member, span, left)


def _note(column: str, fault: str, faults: list[str], left: dict[str, str]) -> None:
    if column in SPARED:
        left[column] = fault
    else:
        faults.append(fault)


def _moment(values: dict[str, str], column: str) -> datetime | None:
    text = values[column]
    if not text:
        return None
    try:
        return in_utc(text, date_alone=True)
    except ValueError as error:
        raise ValueError(f"{column}: {shown(text)} {error}") from None


def _store(
    rows: list[MemberRow],
    result: MembersImported,
    refuse: Callable[[Problem], None],
    lines: dict[str, int],
) -> Iterator[Remark]:
    """Store new members and spans, and yield remarks on the accepted rows.

    ``lines``: lines of this file, by the usernames that they registered.
    """
    members = Member.objects
    known = Usernames(members.by_username(one.member.username for one in rows))
    holders: dict[int | None, str] = dict(
        members.filter(fide_id__in=[one.member.fide_id for one in rows if one.member.fide_id]).values_list(
            "fide_id", "username"
        )
    )
    spans: dict[str, list[Span]] = {}
    for username, full_from, full_until in FullMembership.objects.filter(
        member__in=known.everything()
    ).values_list("member__username", "full_from", "full_until"):
        spans.setdefault(username, []).append((full_from, full_until))
    new: dict[int, Member] = {}
    new_spans: list[tuple[Member, Span, str]] = []
    taken = []
    claims = []
    for one in rows:
        member, span = one.member, one.span
        stored = known.get(member.username)
        held = spans.setdefault(stored.username if stored else member.username, [])
        unfit = refused_name(member.username, known) if stored is None else ""
        holder = holders.get(member.fide_id) if member.fide_id else None
        if stored is not None and stored.pk and holder not in (None, stored.username):
            claims.append((stored.pk, holder))
        faults = [unfit] if unfit else list(_faults(one, stored, holders, held, lines))
        if faults:
            refuse(Problem(one.row.line, "; ".join(faults), one.row.values))
            continue
        taken.append(one)
        adds_span = span is not None and span not in held
        if stored is None:
            new[one.row.line] = member
            known.add(member.username, member)
            lines[member.username] = one.row.line
            holders[member.fide_id] = member.username
            result.stored += 1
        elif not adds_span:
            result.already_there += 1
        if span is not None and adds_span:
            result.spans_added += 1
            held.append(span)
            new_spans.append((stored or member, span, member.username))
    if claims:
        fide_ids_claimed.send(Member, claims=claims)
    result.new_members += [member.pk for member in members.bulk_create(new.values())]
    added = FullMembership.objects.bulk_create(
        [
            FullMembership(member=member, full_from=full_from, full_until=full_until)
            for member, (full_from, full_until), _username in new_spans
        ]
    )
    accounts = accounts_called(username for _member, _span, username in new_spans)
    keep_arrivals(
        "members.FullMembership.member",
        {
            row.pk: accounts.get(key_of(username))
            for row, (_m, _s, username) in zip(added, new_spans, strict=True)
        },
    )
    registered = {member.pk for member in new.values()}
    result.new_spans += [span.pk for span in added if span.member_id not in registered]
    for one in taken:
        yield from one.remarks
    yield from doubts(new)


def refused_name(username: str, *known: Usernames[Member]) -> str:
    """Return why a file can't register this username, or ``""``."""
    reasons = (*(one.alike(username) for one in known), fault_in(username), stands_for_nobody(username))
    return next((f"username: {reason}".rstrip(".") for reason in reasons if reason), "")


def doubts(new: Mapping[int, Member]) -> Iterator[Remark]:
    """Yield warnings about new members, given by the line of their row."""
    lines = {id(member): line for line, member in new.items()}
    for line, member in new.items():
        for mixed in filter(None, (mixed_in(member.username), mixed_in(member.name))):
            yield Remark(line, str(mixed).rstrip("."), member.username)
    for member, other in Member.objects.namesakes(new.values()):
        said = (
            f"“{other.username}” has the same name and birth year; "
            "if they are the same person, merge the accounts"
        )
        yield Remark(lines[id(member)], said, member.username)


def _faults(
    one: MemberRow,
    stored: Member | None,
    holders: dict[int | None, str],
    held: list[Span],
    lines: Mapping[str, int],
) -> Iterator[str]:
    member, span = one.member, one.span
    if stored is None:
        holder = holders.get(member.fide_id) if member.fide_id else None
        if holder is not None:
            line = lines.get(holder)
            where = f" on line {line} of this file" if line else ""
            yield f"fide_id: {member.fide_id} already belongs to “{holder}”{where}"
    else:
        line = lines.get(stored.username)
        for column in one.facts:
            there, here = getattr(stored, column), getattr(member, column)
            if there != here and line:
                yield (
                    f"{column}: line {line} of this file already has “{member.username}”, with "
                    f"{_told(there)}; this line has {_told(here)}"
                )
            elif there != here:
                yield (
                    f"{column}: “{member.username}” is stored with {_told(there)}, the file has "
                    f"{_told(here)}: {_MEND}"
                )
    if span is None or span in held:
        return
    if (
        stored is not None
        and stored.pk
        and (begun := next((other for other in held if other[0] == span[0]), None))
    ):
        yield (
            f"full_until: this membership of “{member.username}” is stored with {_until(begun)}, the "
            f"file has {_until(span)}: {_MEND}"
        )
    elif any(overlap(span, other) for other in held):
        yield "full_from: this membership overlaps another one of this member"


def _told(value: Any) -> str:
    return "nothing" if value in (None, "") else shown(str(value))


def _until(span: Span) -> str:
    return "no end" if span[1] is None else f"the end {utc(span[1])}"


def overlap(one: Span, other: Span) -> bool:
    return (one[1] is None or other[0] < one[1]) and (other[1] is None or one[0] < other[1])
