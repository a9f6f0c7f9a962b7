"""Row locks that last until the end of the transaction.

On PostgreSQL a statement that has waited for a row checks again whether the row still matches, but sees
joined rows as they were before the wait. It would leave out a game whose player was merged meanwhile. So
rows are locked by their keys alone, and joined rows are read by the next statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Manager, Model, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

DELETED: Final = _("Someone deleted this after you loaded it. Nothing was saved.")
"""Error for a save whose row has been deleted: saving would create it again."""

M = TypeVar("M", bound=Model)

_AT_ONCE: Final = 2_000
_NAMED: Final = 20


def lock_rows(rows: QuerySet[M] | Manager[M], keys: Iterable[Any]) -> dict[Any, M]:
    """Lock the rows with these keys, and return them by key, as read under the lock.

    Rows are locked in the order of their keys, which prevents deadlocks. Others can still refer to them.
    ``rows``: rows of one table. Raises ValidationError if one is missing.
    """
    asked = sorted(set(keys))
    locked = rows.select_for_update(no_key=True).order_by("pk")
    found = {
        row.pk: row
        for start in range(0, len(asked), _AT_ONCE)
        for row in locked.filter(pk__in=asked[start : start + _AT_ONCE])
    }
    if missing := [str(key) for key in asked if key not in found]:
        meta = rows.model._meta
        words = {
            "what": meta.verbose_name if len(missing) == 1 else meta.verbose_name_plural,
            "keys": ", ".join([*missing[:_NAMED], *["…"][: len(missing) - _NAMED]]),
        }
        raise ValidationError(
            gettext("No longer stored: %(what)s %(keys)s. Reload the page and choose again.") % words
        )
    return found


def lock_row(rows: QuerySet[M] | Manager[M], key: Any) -> M:
    """Lock one row as :func:`lock_rows` does, and return it."""
    return lock_rows(rows, [key])[key]
