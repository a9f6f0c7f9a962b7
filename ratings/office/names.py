"""Folding names of people for searching and ordering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q

from foa.spelling import latin
from foa.text import number_in
from ratings.formats.frl.writing import in_ascii

_MOST_WORDS: Final = 4
_LONGEST_ID: Final = 9
_LAST_CHARACTER: Final = "\U0010ffff"


def folded(name: str) -> str:
    """Fold a name for searching and ordering: in capitals, without accents."""
    return (name if name.isascii() else in_ascii(name)).upper()


def all_folded(names: Sequence[str]) -> list[str]:
    """Fold many names at once. None may contain a line break."""
    together = "\n".join(names)
    return together.upper().split("\n") if together.isascii() else list(map(folded, names))


def beginnings(text: str) -> list[str]:
    """Return the folded beginnings that a list may have for these words: "BERG, ANNA" for "Anna Berg".

    The words may start with any of them, and the comma may follow any of them. Text with a comma is used as
    it is.
    """
    words = folded(latin(text)).split()
    if "," in text or not 2 <= len(words) <= _MOST_WORDS:
        return [" ".join(words)]
    turned = [words[place:] + words[:place] for place in range(len(words))]
    return [
        f"{' '.join(one[:family])}{comma} {' '.join(one[family:])}"
        for one in turned
        for family, comma in [(1, ""), *((count, ",") for count in range(1, len(words)))]
    ]


def begins(column: str, text: str) -> Q:
    """Match rows whose folded name begins with these words in any order; an index on the column serves it."""
    ranges = [
        Q(**{f"{column}__gte": one, f"{column}__lt": one + _LAST_CHARACTER}) for one in beginnings(text)
    ]
    return reduce(or_, ranges)


def is_player(text: str) -> Q:
    """Match rows with this FIDE ID, or whose folded name begins with these words in any order; by index."""
    if (number := number_in(text, _LONGEST_ID)) is not None:
        return Q(fide_id=number)
    return begins("folded", text)
