"""Addresses of pages that are named by the key of what they show."""

from __future__ import annotations

from functools import cache

from django.urls import get_script_prefix, get_urlconf, reverse


def address_of(view: str, key: int) -> str:
    """What ``reverse`` gives for a view whose only argument is a whole number, found out once for each view.

    A list links to a hundred of them, and to reverse each takes longer than to read its row.
    """
    before, after = around_key(view)
    return f"{before}{key}{after}"


def around_key(view: str) -> tuple[str, str]:
    """What such an address has before its key and behind it, for whoever writes tens of thousands."""
    return _around(view, get_urlconf(), get_script_prefix())


@cache
def _around(view: str, urlconf: str | None, prefix: str) -> tuple[str, str]:
    """An address up to its key, and from there on; kept for each mount point."""
    before, _, after = reverse(view, urlconf, args=(_MARK,)).rpartition(str(_MARK))
    return before, after


_MARK = 8_446_744_073
"""A key that is found again in an address."""
