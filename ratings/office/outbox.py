"""Telling others: entries are written with what they tell of, and numbered once they are committed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils import timezone

from foa.under_way import change_set_under_way
from ratings.office.locks import lock_outbox
from ratings.office.models import OutboxEntry

_TABLE: Final = OutboxEntry._meta.db_table

# One statement, however many have come: nobody may have asked for a day.
_NUMBERING: Final = f"""
    UPDATE {_TABLE} SET position = numbered.position
    FROM (
        SELECT id, last.position + ROW_NUMBER() OVER (ORDER BY id) AS position
        FROM {_TABLE}, (SELECT COALESCE(MAX(position), 0) AS position FROM {_TABLE}) AS last
        WHERE {_TABLE}.position IS NULL
    ) AS numbered
    WHERE {_TABLE}.id = numbered.id
"""  # noqa: S608  a name, no values
_LAST_POSITION: Final = f"""
    SELECT
        (SELECT COALESCE(MAX(position), 0) FROM {_TABLE}),
        EXISTS (SELECT 1 FROM {_TABLE} WHERE position IS NULL)
"""  # noqa: S608  a name, no values


def tell(
    event: OutboxEntry.Event, about: int | None = None, *, using: str = DEFAULT_DB_ALIAS, **data: Any
) -> OutboxEntry:
    """Write down, in the transaction of a change, that others are to be told. ``data`` must be JSON."""
    return OutboxEntry.objects.using(using).create(
        event=event, at=timezone.now(), about=about, change_set_id=change_set_under_way(), data=data
    )


def tell_of_each(event: OutboxEntry.Event, about: Iterable[int], *, using: str = DEFAULT_DB_ALIAS) -> None:
    """:func:`tell` of each of these lists, games or members."""
    now, change_set = timezone.now(), change_set_under_way()
    OutboxEntry.objects.using(using).bulk_create(
        [OutboxEntry(event=event, at=now, about=one, change_set_id=change_set) for one in about],
        batch_size=1000,
    )


def number_entries(using: str = DEFAULT_DB_ALIAS) -> int:
    """Give a position to each entry that has been committed since; the last position there is, 0 if none.

    One at a time: so positions are in the order in which entries became visible, and where two became
    visible together, in the order of their keys.
    """
    last, is_to_number = _last_position(using)
    if not is_to_number:
        return last
    with transaction.atomic(using=using):
        lock_outbox(connections[using])
        # Reads behind the lock: what somebody else has numbered meanwhile is not numbered again.
        with connections[using].cursor() as cursor:
            cursor.execute(_NUMBERING)
    return _last_position(using)[0]


def _last_position(using: str) -> tuple[int, bool]:
    """The last position, 0 if there is none, and whether entries have none yet."""
    with connections[using].cursor() as cursor:
        cursor.execute(_LAST_POSITION)
        last, is_to_number = cursor.fetchone()
    return last, bool(is_to_number)
