"""Faults behind the office's back, and the decisions that mend what an audit finds of them."""

from __future__ import annotations

from django.db import connection

from ratings.office.models import AuditFinding
from tests.decisions import decided


def sql(statement: str, *values: object) -> None:
    """Change rows past the office and its histories."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def mend() -> None:
    """Do what the only finding proposes."""
    mends = AuditFinding.objects.get(is_there=True).mends
    assert decided(mends["kind"], **mends["parameters"]) is not None
