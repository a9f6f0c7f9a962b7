"""Members from a CSV file: people and their spans of full membership."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, transaction

from members.models import FullMembership, Member
from ratings.formats.csv_rows import Row
from ratings.formats.games import in_utc
from ratings.formats.problems import Problem, shown
from ratings.rules.rbb.conditions import Span

FACTS: Final = ("name", "fide_id", "federation", "sex", "birth_year", "title")
COLUMNS: Final = ("username", *FACTS, "full_from", "full_until")

_AT_ONCE = 1_000
_MEND: Final = "correct it in the admin, or import the file with --update"


@dataclass(slots=True)
class MembersImported:
    """What became of a file of members."""

    read: int = 0
    stored: int = 0
    spans_added: int = 0
    already_there: int = 0
    refused: int = 0


def import_members(
    *,
    rows: Iterable[Row | Problem],
    on_refused: Callable[[Problem], None] = lambda problem: None,
    using: str = DEFAULT_DB_ALIAS,
) -> MembersImported:
    """Put members on the books, all rows that can be taken in one transaction.

    A known username with the same data gains the span of full membership if it is new; with other data the
    row is refused, since people are corrected by people.
    """
    result = MembersImported()

    def refuse(problem: Problem) -> None:
        result.refused += 1
        on_refused(problem)

    with transaction.atomic(using=using):
        rows = iter(rows)
        while some := list(islice(rows, _AT_ONCE)):
            result.read += len(some)
            good: list[tuple[Row, Member, Span | None]] = []
            for row in some:
                try:
                    if isinstance(row, Problem):
                        refuse(row)
                    else:
                        good.append((row, *parse(row)))
                except ValueError as error:
                    refuse(Problem(row.line, str(error), row.values))  # type: ignore[union-attr]
            _store(good, result, refuse, using)
    return result


def parse(row: Row) -> tuple[Member, Span | None]:
    """The member and the span of a row; raises ValueError with all its faults."""
    values = row.values
    faults = []
    member = Member(
        username=values["username"],
        name=values["name"],
        federation=values["federation"].upper(),
        sex=values["sex"].upper(),
        title=values["title"].upper(),
    )
    for column in ("fide_id", "birth_year"):
        text = values[column]
        # FIDE's lists write 0 for what is not known.
        if text.strip("0"):
            if text.isascii() and text.isdigit() and len(text) <= 9:
                setattr(member, column, int(text))
            else:
                faults.append(f"{column}: {shown(text)} is not a number of at most nine digits")
    try:
        member.clean_fields()
    except ValidationError as error:
        faults += [
            f"{column}: {shown(values[column])}: {' '.join(messages)}"
            for column, messages in error.message_dict.items()
        ]
    span = None
    try:
        full_from, full_until = (_moment(values, column) for column in ("full_from", "full_until"))
        if full_from is not None:
            span = full_from, full_until
            if full_until is not None and full_until <= full_from:
                faults.append("full_until: a span of full membership ends after it begins")
        elif full_until is not None:
            faults.append("full_until without full_from")
    except ValueError as error:
        faults.append(str(error))
    if faults:
        raise ValueError("; ".join(faults))
    return member, span


def _moment(values: dict[str, str], column: str) -> datetime | None:
    text = values[column]
    if not text:
        return None
    try:
        return in_utc(text, date_alone=True)
    except ValueError as error:
        raise ValueError(f"{column}: {shown(text)} {error}") from None


def _store(
    rows: list[tuple[Row, Member, Span | None]],
    result: MembersImported,
    refuse: Callable[[Problem], None],
    using: str,
) -> None:
    members = Member.objects.using(using)
    known = {
        member.username: member
        for member in members.filter(username__in=[member.username for _, member, _ in rows])
    }
    holders: dict[int | None, str] = dict(
        members.filter(fide_id__in=[member.fide_id for _, member, _ in rows if member.fide_id]).values_list(
            "fide_id", "username"
        )
    )
    spans: dict[str, list[Span]] = {}
    for username, full_from, full_until in (
        FullMembership.objects.using(using)
        .filter(member__in=known.values())
        .values_list("member__username", "full_from", "full_until")
    ):
        spans.setdefault(username, []).append((full_from, full_until))
    new: list[Member] = []
    new_spans: list[tuple[str, Span]] = []
    for row, member, span in rows:
        username = member.username
        stored = known.get(username)
        held = spans.setdefault(username, [])
        faults = list(_faults(member, stored, holders, span, held))
        if faults:
            refuse(Problem(row.line, "; ".join(faults), row.values))
            continue
        adds_span = span is not None and span not in held
        if stored is None:
            new.append(member)
            known[username] = member
            holders[member.fide_id] = username
            result.stored += 1
        elif adds_span:
            result.spans_added += 1
        else:
            result.already_there += 1
        if span is not None and adds_span:
            held.append(span)
            new_spans.append((username, span))
    members.bulk_create(new)
    FullMembership.objects.using(using).bulk_create(
        [
            FullMembership(member=known[username], full_from=full_from, full_until=full_until)
            for username, (full_from, full_until) in new_spans
        ]
    )


def _faults(
    member: Member, stored: Member | None, holders: dict[int | None, str], span: Span | None, held: list[Span]
) -> Iterator[str]:
    if stored is None:
        holder = holders.get(member.fide_id) if member.fide_id else None
        if holder is not None:
            yield f"fide_id: {member.fide_id} belongs to “{holder}” already"
    else:
        for column in FACTS:
            there, here = getattr(stored, column), getattr(member, column)
            if there != here:
                yield (
                    f"{column}: “{member.username}” is on the books with {_told(there)}, here {_told(here)}: "
                    f"{_MEND}"
                )
    if span is None or span in held:
        return
    if (
        stored is not None
        and stored.pk
        and (begun := next((other for other in held if other[0] == span[0]), None))
    ):
        yield (
            f"full_until: this membership of “{member.username}” is on the books with {_until(begun)}, here"
            f" with {_until(span)}: {_MEND}"
        )
    elif any(overlap(span, other) for other in held):
        yield "full_from: the span overlaps another of this member: a member is a full member once at a time"


def _told(value: Any) -> str:
    return "nothing" if value in (None, "") else shown(str(value))


def _until(span: Span) -> str:
    return "no end" if span[1] is None else f"the end {span[1]:%Y-%m-%d %H:%M:%S} UTC"


def overlap(one: Span, other: Span) -> bool:
    return (one[1] is None or other[0] < one[1]) and (other[1] is None or one[0] < other[1])
