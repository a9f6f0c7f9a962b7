"""The demo arena, whose people are invented: pages say so, and its FIDE IDs lead to nobody at FIDE."""

from __future__ import annotations

from typing import Final

from django.core.cache import cache
from django.db import DatabaseError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ratings.office.models import Demo

_SECONDS: Final = 60
"""Time after which pages notice that a demo was loaded."""


def is_demo() -> bool:
    """Return True if all is invented. Looks into the database once a minute in each process."""
    try:
        return bool(cache.get_or_set("is-demo", Demo.objects.exists, _SECONDS))
    except DatabaseError:
        # The page that says so needs an answer, too.
        return False


def fide_profile(fide_id: int) -> SafeString | str:
    """Return a FIDE ID with a link to its page at FIDE; in a demo without."""
    if is_demo():
        return str(fide_id)
    return format_html('<a href="https://ratings.fide.com/profile/{0}" rel="noopener">{0}</a>', fide_id)
