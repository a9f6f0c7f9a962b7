"""The time control of a report: encoded in seconds (record 222 of TRF26), or in a few plain words (122)."""

import re
from typing import Final

_STAGE: Final = re.compile(r"(?:([0-9]{1,3})/)?([0-9]{1,5})(?:\+([0-9]{1,4}))?")

_WORDS: Final = re.compile(
    r"([0-9]{1,3}) ?(?:minutes|minute|mins|min\.?|m|['’′])"
    r"(?: ?(?:\+|and|plus|,) ?([0-9]{1,3}) ?(?:seconds|second|secs|sec\.?|s|''|’’|′′|[\"”″])"
    r"(?: ?(?:/|per|a|for each|each) ?move)?)?"
    r"(?: per player)?(?: ?(?:/|per|for the|for the whole|for a) ?game)?"
    r"(?: from (?:the first move|move (?:1|one)))?",
    re.I,
)
"""Such as 90 min + 30 sec per move. A number without its unit is not among them: 90+30 is minutes and seconds
in one file, and seconds in another."""

_LONGEST_TEXT: Final = 100
_FEWEST_SECONDS: Final = 180
"""For the first stage: fewer are nearly always minutes that were written into the record by mistake."""

_MOST_SECONDS: Final = 10 * 60 * 60
_MOST_INCREMENT: Final = 10 * 60


def stages_of(text: str) -> tuple[tuple[int | None, int, int], ...] | None:
    """The stages: moves (None: for the rest), seconds for them, and seconds added with each move.

    None for what is not certain: other words, no text, numbers that no game is played with, a last stage with
    a number of moves, or another without one.
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST_TEXT:
        return None
    if match := _WORDS.fullmatch(text):
        return _sound([(None, int(match[1]) * 60, int(match[2] or 0))])
    found = [_STAGE.fullmatch(part.strip()) for part in text.split(":")]
    encoded = [
        (int(match[1]) if match[1] else None, int(match[2]), int(match[3] or 0)) for match in found if match
    ]
    return _sound(encoded) if len(encoded) == len(found) else None


def _sound(stages: list[tuple[int | None, int, int]]) -> tuple[tuple[int | None, int, int], ...] | None:
    """The stages if games are played so."""
    *before, (last_moves, _, _) = stages
    if last_moves is not None or not all(moves for moves, _, _ in before):
        return None
    if stages[0][1] < _FEWEST_SECONDS:
        return None
    if any(seconds > _MOST_SECONDS or increment > _MOST_INCREMENT for _, seconds, increment in stages):
        return None
    return tuple(stages)
