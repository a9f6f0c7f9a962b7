"""Counters for limits: shared by all machines if CACHE_URL is set, else one for each process."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

_REST: Final = 5.0
"""Seconds for which a failed shared cache isn't asked, so that no request waits for a counter."""

_logger: Final = logging.getLogger(__name__)
_rests_until = 0.0


def count(key: str, seconds: int) -> int:
    """Count one more, and return the number counted within ``seconds`` of the first.

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
