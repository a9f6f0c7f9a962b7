"""Lines that look like a player's but aren't read as one. The players on them must not get lost."""

import re
from collections.abc import Iterator
from typing import Final

from ratings.formats.trf.players import in_columns
from ratings.rules.federations import FEDERATIONS

_PAIRING: Final = re.compile(r"(?<!\w)(?:[0-9]{1,4} [wb]|0000 -) [10=+\-wdlhfuz](?![\w.,])", re.I)
"""A round in a player's line: ``  12 w 1`` or ``0000 - H``."""

_WORD: Final = re.compile(r"[^\W\d_]{2}")
_DIGIT: Final = re.compile("[0-9]")
_TAG: Final = "001 "

_SHORTEST: Final = 58
"""Minimum length of a line in columns with more about a player than a name and a rating."""

_LONGEST: Final = 3_000
"""Maximum number of characters examined; a player with 200 rounds has fewer."""


def looks_like_player(tag: str, line: str, *, known: bool) -> bool:
    """Return whether this unread line could be a player's, with its record mistyped or misplaced.

    ``known``: whether its record is a valid one. A player's columns count in any line. A number, a name and a
    round count only if the record is unknown, because other records contain rounds too.
    """
    if len(line) >= _SHORTEST and any(
        in_columns(row, with_results=tag in FEDERATIONS) for row in _rows(line, known=known)
    ):
        return True
    return not known and _names_a_round(line)


def _rows(line: str, *, known: bool) -> Iterator[str]:
    """Yield the line as it would be with the right record, and from each place where a record 001 begins."""
    yield line
    if not known:
        # The first character is missing, or there is one too many.
        yield f"0{line}"
        yield line[1:]
    at = line.find(_TAG, 1, _LONGEST)
    while at > 0:
        yield line[at : at + _LONGEST]
        at = line.find(_TAG, at + 1, _LONGEST)


def _names_a_round(line: str) -> bool:
    """Return whether a number, a word and a round follow each other."""
    if (pairing := _PAIRING.search(line)) is None or (digit := _DIGIT.search(line)) is None:
        return False
    return _WORD.search(line, digit.end(), pairing.start()) is not None
