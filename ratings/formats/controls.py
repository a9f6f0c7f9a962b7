"""The time control of a game as files and game servers write it."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ratings.formats.problems import shown
from ratings.formats.trf.time_controls import in_words
from ratings.formats.unseen import unseen
from ratings.rules.time_controls import MAX_WRITTEN, UNKNOWN, Control

CONTROL_TAGS: Final = ("TimeControl", "WhiteTimeControl", "BlackTimeControl")
"""PGN tags for the control of a game, and of each player (cutechess)."""

_QUOTED: Final = re.compile(r"""["'“„«] ?(.*?) ?["'”“»]""")

_ABSURD: Final = re.compile(r"(?=.*[0-9]{10})[0-9]+ ?(?:\+ ?[0-9]+)?")
"""Seconds and increment, one of them with ten digits or more: longer than any life."""

_TYPED: Final = re.compile(r"([0-9]{1,6})(?:\s*\+\s*([0-9]{1,3}))?")
_MOST_MINUTES: Final = 180


def read_control(text: str) -> Control:
    """Return the control that a text describes: 600+10, or in words such as 15'/game & 10"/move.

    A control that isn't a time for the whole game and an increment is kept as written.

    Raises ValueError if the text is empty or too long, has an invisible character, or is absurdly large.
    """
    text = " ".join(text.split())
    if not text:
        raise ValueError("missing; write seconds+increment, such as 600+10 (RBB 2.3)")
    if len(text) > MAX_WRITTEN:
        raise ValueError(f"{shown(text)} has {len(text)} characters, more than {MAX_WRITTEN}")
    if char := unseen(text):
        raise ValueError(f"{char} in {shown(text)} can’t be seen; leave it out")
    quoted = _QUOTED.fullmatch(text)
    plain = quoted[1] if quoted else text
    if _ABSURD.fullmatch(plain):
        raise ValueError(
            f"{shown(text)} can’t be a time control; write seconds+increment, such as 600+10 (RBB 2.3)"
        )
    try:
        return Control.parse(re.sub(r" ?\+ ?", "+", plain))
    except ValueError:
        stages = in_words(plain) or ()
    if len(stages) != 1:
        return Control(0, 0, text)
    ((_moves, seconds, increment),) = stages
    return Control(seconds, increment)


def read_typed_control(text: str) -> Control:
    """Return the control that a person types: 7+5 means 7 minutes and 5 seconds per move, as players say it.

    Anything else is read as in files. Raises ValueError as ``read_control`` does, or for more than three
    hours, which are likely to be seconds.
    """
    match = _TYPED.fullmatch(text.strip())
    if match is None:
        return read_control(text)
    minutes, increment = int(match[1]), int(match[2] or 0)
    if minutes > _MOST_MINUTES:
        raise ValueError(
            f"{shown(text)} would be {minutes} minutes; enter minutes and seconds per move, such as 10+10"
        )
    return Control(60 * minutes, increment)


class ControlOfGame(NamedTuple):
    """The control of a PGN game. ``odds``: why it isn't rated, if the players had different ones.

    ``is_assumed``: nothing in the game says it.
    """

    control: Control
    is_assumed: bool = False
    odds: str = ""


def control_of_tags(tags: Mapping[str, str], given: Control | None) -> ControlOfGame:
    """Return the control that a PGN game's tags give. ``given``: the control of games that don't say it.

    Raises ValueError, with the tag, for a control that can't be read, or if the tags contradict each other.
    """
    said = {name: _of_tag(name, tags[name]) for name in CONTROL_TAGS if tags.get(name, "") not in ("", "?")}
    both = said.get("TimeControl")
    if said.keys() <= {"TimeControl"}:
        return ControlOfGame(both or given or UNKNOWN, is_assumed=both is None and given is not None)
    white, black = (said.get(name, both) for name in CONTROL_TAGS[1:])
    if white is None or black is None:
        # The control of one player doesn't tell that of the other.
        return ControlOfGame(UNKNOWN)
    if white != black:
        told = f"{white.notation} for White, {black.notation} for Black"
        if len(told) > MAX_WRITTEN:
            raise ValueError(f"WhiteTimeControl: {shown(told)} has more than {MAX_WRITTEN} characters")
        return ControlOfGame(
            Control(0, 0, told),
            odds=f"time odds, {told}: in a rated game, both players have the same time control (RBB 2.3)",
        )
    if both not in (None, white):
        raise ValueError(
            f"TimeControl: {shown(tags['TimeControl'])} contradicts {white.notation}, "
            "which WhiteTimeControl and BlackTimeControl give for both players"
        )
    return ControlOfGame(white)


def _of_tag(name: str, text: str) -> Control:
    try:
        return read_control(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
