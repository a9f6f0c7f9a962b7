"""What is counted against a limit: by all sites together where CACHE_URL is set, else by each process."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

_REST: Final = 5.0
"""Seconds for which a shared cache that failed isn't asked: nobody waits for what only counts."""

_logger: Final = logging.getLogger(__name__)
_rests_until = 0.0


def count(key: str, seconds: int) -> int:
    """Count one more within so many seconds from the first, and say how many there are.

    While the shared cache can't be reached, each process counts by itself.
    """
    global _rests_until
    if monotonic() >= _rests_until:
        try:
            return _count(caches["limits"], key, seconds)
        except Exception:
            _logger.exception("limits are counted by each process, since the cache failed")
            _rests_until = monotonic() + _REST
    return _count(caches["own limits"], key, seconds)


def _count(cache: BaseCache, key: str, seconds: int) -> int:
    if not cache.add(key, 1, seconds):
        try:
            return cache.incr(key)
        except ValueError:
            # Its time ended between the two.
            cache.set(key, 1, seconds)
    return 1
