"""Names of people, for searching and ordering."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.formats.frl.writing import in_ascii


def folded(name: str) -> str:
    """A name for searching and ordering: in capitals, without accents."""
    return (name if name.isascii() else in_ascii(name)).upper()


def all_folded(names: Sequence[str]) -> list[str]:
    """Each of many names, none with a line end in it, folded."""
    together = "\n".join(names)
    return together.upper().split("\n") if together.isascii() else list(map(folded, names))
