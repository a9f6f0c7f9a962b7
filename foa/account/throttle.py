"""How often somebody may let the site send a mail, or write into its log."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from foa.limits import count

_HOUR: Final = 3600


def is_allowed(what: str, whom: str, limit: int) -> bool:
    """Whether one more is allowed within the hour; it is counted."""
    key = f"{what}:{blake2b(whom.encode(), digest_size=16).hexdigest()}"
    return count(key, _HOUR) <= limit
