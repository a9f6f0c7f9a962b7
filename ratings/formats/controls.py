"""The time control of a game as files and game servers write it."""

import re
from typing import Final

from ratings.formats.problems import shown
from ratings.formats.unseen import unseen
from ratings.rules.time_controls import MAX_INCREMENT, MAX_INITIAL, MAX_WRITTEN, Control

_GAME: Final = r"(?: ?(?:/|per|for (?:the|a|the whole)) ?game)?"
_IN_WORDS: Final = re.compile(
    rf"([0-9]{{1,3}}) ?(?:minutes?|mins?\.?|m|['’′]){_GAME}"
    r"(?: ?(?:\+|&|,|and|plus) ?([0-9]{1,3}) ?(?:seconds?|secs?\.?|s|''|’’|′′|[\"”″])"
    r"(?: ?(?:increment|bonus))?(?: ?(?:/|per|a|each|for each) ?move)?)?"
    rf"{_GAME}",
    re.IGNORECASE,
)
"""15'/game & 10"/move, 3 min + 2 s. A number without its unit is seconds, as in PGN."""

_QUOTED: Final = re.compile(r"""["'“„«] ?(.*?) ?["'”“»]""")


def read_control(text: str) -> Control:
    """Return the control that a text says; one that isn't minutes, seconds and increment as it is written.

    Raises ValueError for a text that is empty or too long, or that has a character nobody sees.
    """
    text = " ".join(text.split())
    if not text:
        raise ValueError("missing; expected is seconds+increment such as 600+10 (RBB 2.3)")
    if len(text) > MAX_WRITTEN:
        raise ValueError(f"{shown(text)} has {len(text)} characters, more than {MAX_WRITTEN}")
    if char := unseen(text):
        raise ValueError(f"{char} in {shown(text)} can't be seen; leave it out")
    quoted = _QUOTED.fullmatch(text)
    plain = quoted[1] if quoted else text
    try:
        return Control.parse(re.sub(r" ?\+ ?", "+", plain))
    except ValueError:
        match = _IN_WORDS.fullmatch(plain)
    control = Control(60 * int(match[1]), int(match[2] or 0)) if match else None
    if control is None or control.initial > MAX_INITIAL or control.increment > MAX_INCREMENT:
        return Control(0, 0, text)
    return control
