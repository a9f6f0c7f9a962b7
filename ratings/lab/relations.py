"""Personal data of the lab: findings of the radar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ratings.lab.models import Finding
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, declare


class Findings(Declaration):
    """Findings about the member. A merge leaves them with the accounts that they were about."""

    relations = ("lab.Finding.member", "lab.Finding_others.member")

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the findings, without naming the other members."""
        yield table("radar", _of(person), ("kind", "category", "chance"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Delete the findings."""
        number = _of(work.person).count()
        _of(work.person).delete()
        work.tell_rows(Finding, number)


def _of(person: Person) -> Any:
    return Finding.objects.about(person.keys).order_by("pk")


declare(Findings())
