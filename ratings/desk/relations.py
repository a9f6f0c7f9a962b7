"""Personal data of the desk: notes, cases and likely duplicates of a member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from ratings.desk.models import FOR_MEMBERS, Case, CaseEntry, LikelyDuplicate
from ratings.office.personal import REMOVED, Erasing, Person, Table, table
from ratings.office.relations import Declaration, Relation, Text, declare
from ratings.office.subjects import MEMBER


class Cases(Relation):
    """Cases that the member opened, or that are about their profile."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield what was asked, answered and decided, and in a table for staff what they noted."""
        cases = _of(person)
        columns = ("id", "about", "key", "opened_at", "state", "closed_at", "decision", "public_reasons")
        yield table("cases", cases, columns)
        said = CaseEntry.objects.filter(case__in=cases).order_by("pk")
        messages = ("case", "what", "at", "text")
        yield table("case-messages", said.filter(what__in=FOR_MEMBERS), messages)
        yield table("case-notes", said.exclude(what__in=FOR_MEMBERS), messages, for_staff=True)
        yield table("case-reasons", cases, ("id", "staff_reasons"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Delete the texts. It stays known that there was a case, when, and what it changed."""
        cases = _of(work.person)
        cases.open().filter(opener__in=work.person.keys).update(state=Case.State.WITHDRAWN, closed_at=work.at)
        entries = CaseEntry.objects.filter(case__in=cases).exclude(text="")
        entries.update(text=REMOVED)
        for column in ("decision", "public_reasons", "staff_reasons", "on_behalf_of"):
            cases.exclude(**{column: ""}).update(**{column: REMOVED})
        work.tell_rows(Case, cases.count())


class Duplicates(Declaration):
    """Likely duplicates of the member. A merge leaves pairs alone: they keep the accounts they were about."""

    relations = ("desk.LikelyDuplicate.first", "desk.LikelyDuplicate.second")

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the pairs, without naming the other member."""
        columns = ("why", "found_at", "dismissed_at")
        yield table("taken-for-others", _duplicates(person), columns, for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Delete the pairs."""
        work.tell_rows(LikelyDuplicate, _duplicates(work.person).delete()[0])


def _of(person: Person) -> Any:
    return Case.objects.filter(Q(opener__in=person.keys) | Q(about=MEMBER, key__in=person.keys)).order_by(
        "pk"
    )


def _duplicates(person: Person) -> Any:
    return LikelyDuplicate.objects.filter(Q(first__in=person.keys) | Q(second__in=person.keys)).order_by("pk")


declare(
    Cases("desk.Case.opener", moves=True),
    Duplicates(),
    Relation("desk.MemberNote.member", "at", "text", table="notes", for_staff=True, moves=True, goes=True),
    Text("desk.MemberNote", "text"),
    Text("desk.Case", "on_behalf_of", "decision", "public_reasons", "staff_reasons"),
    Text("desk.CaseEntry", "text"),
)
