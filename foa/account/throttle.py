"""How often somebody may let the site send a mail, or write into its log."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

limits: Final = ConnectionProxy(caches, "limits")
"""Where whatever is limited is counted."""

_HOUR: Final = 3600


def is_allowed(what: str, whom: str, limit: int) -> bool:
    """Whether one more is allowed within the hour; it is counted, by each process for itself."""
    key = f"{what}:{blake2b(whom.encode(), digest_size=16).hexdigest()}"
    limits.add(key, 0, _HOUR)
    return limits.incr(key) <= limit
