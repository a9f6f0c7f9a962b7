"""Invisible characters, which could make two different names or ids look the same."""

import re
import unicodedata
from typing import Final

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that Unicode counts as letters, marks or symbols but that show nothing."""


def unseen(text: str) -> str:
    """Return the first character that is invisible or only looks like a space, as U+200B; or ``""``."""
    if text.isprintable() and text.isascii():
        return ""
    for char in text:
        kind = unicodedata.category(char)
        if kind in _UNSEEN or (kind == "Zs" and char != " ") or _BLANK.match(char):
            return f"U+{ord(char):04X}"
    return ""


def seen(text: str) -> str:
    """Return a text as people see it: in normal width (NFKC), without invisible characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in unicodedata.normalize("NFKC", text) if not unseen(char))
