"""The time control of a game as files and game servers write it."""

import re
from typing import Final

from ratings.formats.problems import shown
from ratings.formats.trf.time_controls import in_words
from ratings.formats.unseen import unseen
from ratings.rules.time_controls import MAX_WRITTEN, Control

_QUOTED: Final = re.compile(r"""["'“„«] ?(.*?) ?["'”“»]""")


def read_control(text: str) -> Control:
    """Return the control that a text describes: 600+10, or in words such as 15'/game & 10"/move.

    A control that isn't a time for the whole game and an increment is kept as written.

    Raises ValueError if the text is empty or too long, or contains an invisible character.
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
        stages = in_words(plain) or ()
    if len(stages) != 1:
        return Control(0, 0, text)
    ((_moves, seconds, increment),) = stages
    return Control(seconds, increment)
