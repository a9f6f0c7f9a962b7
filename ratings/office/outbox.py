"""Telling others: entries are written with what they tell of, and numbered once they are committed."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Max
from django.utils import timezone

from ratings.office.locks import lock_outbox
from ratings.office.models import OutboxEntry
from ratings.office.under_way import change_set_under_way


def tell(
    event: OutboxEntry.Event, about: int | None = None, *, using: str = DEFAULT_DB_ALIAS, **data: Any
) -> OutboxEntry:
    """Write down, in the transaction of a change, that others are to be told. ``data`` must be JSON."""
    return OutboxEntry.objects.using(using).create(
        event=event, at=timezone.now(), about=about, change_set_id=change_set_under_way(), data=data
    )


def number_entries(using: str = DEFAULT_DB_ALIAS) -> int:
    """Give a position to each entry that has been committed since; the last position there is, 0 if none.

    One at a time: so positions are in the order in which entries became visible, and where two became
    visible together, in the order of their keys.
    """
    entries = OutboxEntry.objects.using(using)
    if entries.unnumbered().exists():
        with transaction.atomic(using=using):
            lock_outbox(connections[using])
            # Read behind the lock: what somebody else has numbered meanwhile is not numbered again.
            last = entries.aggregate(last=Max("position"))["last"] or 0
            new = list(entries.unnumbered())
            for position, entry in enumerate(new, last + 1):
                entry.position = position
            entries.bulk_update(new, ["position"], batch_size=500)
    return entries.aggregate(last=Max("position"))["last"] or 0
