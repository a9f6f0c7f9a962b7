"""Titles as badges."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

TITLE_NAMES: Final[dict[str, Promise]] = {
    "GM": _("Grandmaster"),
    "IM": _("International Master"),
    "FM": _("FIDE Master"),
    "CM": _("Candidate Master"),
    "WGM": _("Woman Grandmaster"),
    "WIM": _("Woman International Master"),
    "WFM": _("Woman FIDE Master"),
    "WCM": _("Woman Candidate Master"),
    "AGM": _("Arena Grandmaster"),
    "AIM": _("Arena International Master"),
    "AFM": _("Arena FIDE Master"),
    "ACM": _("Arena Candidate Master"),
}


def badge(title: str) -> SafeString:
    """Return a title as a badge with its full name; empty without a title."""
    return _badge(title, get_language() or "") if title else SafeString()


@lru_cache(100)
def _badge(title: str, _language: str) -> SafeString:
    kind = "title arena" if title.startswith("A") else "title"
    return format_html('<abbr class="{}" title="{}">{}</abbr>', kind, TITLE_NAMES.get(title, title), title)
