"""The outbox: entries are written in the transaction that they tell of, and numbered once it is committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from secrets import token_hex
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from foa.current_change_set import change_set_under_way
from ratings.office.locks import lock_outbox
from ratings.office.models import Epoch, OutboxEntry

_TABLE: Final = OutboxEntry._meta.db_table

# A single statement, however many entries there are: nobody may have asked for a day.
_NUMBERING: Final = f"""
    UPDATE {_TABLE} SET position = numbered.position
    FROM (
        SELECT id, last.position + ROW_NUMBER() OVER (ORDER BY id) AS position
        FROM {_TABLE}, (SELECT COALESCE(MAX(position), 0) AS position FROM {_TABLE}) AS last
        WHERE {_TABLE}.position IS NULL
    ) AS numbered
    WHERE {_TABLE}.id = numbered.id
"""  # noqa: S608  a name, no values
_REACHED: Final = f"""
    SELECT
        (SELECT COALESCE(MAX(position), 0) FROM {_TABLE}),
        (SELECT COALESCE((SELECT name FROM {Epoch._meta.db_table} ORDER BY id DESC LIMIT 1), '')),
        EXISTS (SELECT 1 FROM {_TABLE} WHERE position IS NULL)
"""  # noqa: S608  a name, no values


def record_event(event: OutboxEntry.Event, about: int | None = None, **data: Any) -> OutboxEntry:
    """Record, in the transaction of a change, an event to tell others. ``data`` must be JSON."""
    return OutboxEntry.objects.create(
        event=event, at=timezone.now(), about=about, change_set_id=change_set_under_way(), data=data
    )


def record_events(
    event: OutboxEntry.Event, about: Iterable[int], data: Mapping[int, dict[str, Any]] | None = None
) -> None:
    """Record the event once for each of these lists, games, members or tournaments.

    ``data``: what is told of each, as JSON.
    """
    now, change_set = timezone.now(), change_set_under_way()
    OutboxEntry.objects.bulk_create(
        [
            OutboxEntry(
                event=event, at=now, about=one, change_set_id=change_set, data=data[one] if data else {}
            )
            for one in about
        ],
        batch_size=1000,
    )


class Reached(NamedTuple):
    """The last position given (0 if none) and its epoch."""

    position: int
    epoch: str


def number_entries() -> int:
    """Give a position to each newly committed entry. Return the last position, 0 if there is none."""
    return reached().position


def reached() -> Reached:
    """Give a position to each newly committed entry. Return how far the outbox reaches.

    Only one process does so at a time. Positions are therefore in the order in which entries became visible;
    entries that became visible together are in the order of their keys.
    """
    found, is_to_number = _reached()
    if not is_to_number:
        return found
    with transaction.atomic():
        lock_outbox()
        # Read under the lock, so that an entry numbered by somebody else meanwhile isn't numbered again.
        with connection.cursor() as cursor:
            cursor.execute(_NUMBERING)
    return _reached()[0]


def begin_epoch() -> Epoch:
    """Begin a new epoch, which makes all cursors and positions given so far obsolete."""
    return Epoch.objects.create(name=token_hex(4), began_at=timezone.now())


def _reached() -> tuple[Reached, bool]:
    """Return how far the outbox reaches, and True if entries have no position yet."""
    with connection.cursor() as cursor:
        cursor.execute(_REACHED)
        position, epoch, is_to_number = cursor.fetchone()
    return Reached(position, epoch), bool(is_to_number)
