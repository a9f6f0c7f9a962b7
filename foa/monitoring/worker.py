"""Signs of life of the worker, which all processes see."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.core.cache import caches
from django.utils import timezone

_ALIVE: Final = "worker"
_SILENCE: Final = timedelta(minutes=1)
"""Silence after which an office counts as having no worker."""
_GONE: Final = 30
"""Seconds of silence after which a worker counts as gone, and another takes over its job."""

_logger: Final = logging.getLogger(__name__)


def give_sign_of_life(worker: str) -> None:
    """Note that the worker with this id is alive."""
    now = timezone.now()
    # The time of the last sign of any worker never expires: monitors ask how long all have been silent.
    caches["progress"].set(_ALIVE, now, timeout=None)
    caches["progress"].set(f"{_ALIVE}{worker}", now, timeout=_GONE)


def last_sign_of_life() -> datetime | None:
    """Return when a worker last gave a sign of life, or None if none ever did."""
    last: datetime | None = caches["progress"].get(_ALIVE)
    return last


def is_worker_alive(worker: str = "") -> bool:
    """Return True if any worker gave a sign of life within a minute, or the worker with this id within 30 s.

    Also True if the cache can't be reached, because then nobody can tell.
    """
    try:
        last = caches["progress"].get(f"{_ALIVE}{worker}")
    except Exception:
        _logger.exception("whether there is a worker can't be read")
        return True
    return last is not None and timezone.now() - last <= _SILENCE
