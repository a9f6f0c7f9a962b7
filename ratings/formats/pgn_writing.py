"""Games as PGN, in the export format's order of tags, so that the reader here finds the same games again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from ratings.formats.pgn_entry import cut_one, with_result
from ratings.formats.pgn_rated import why_unrated
from ratings.formats.problems import FileRefused
from ratings.formats.results import AT_THE_END

_KEPT: Final = ("ECO", "Opening", "Variation", "Annotator", "SetUp", "FEN", "WhiteBerserk", "BlackBerserk")
"""Tags of a stored text that say something about its moves, which the office doesn't store elsewhere."""

_UNREADABLE: Final = "{The stored moves can’t be read.}"
_ENDED: Final = re.compile(rf"(?:\A|[\s)}}])(?:{AT_THE_END})(?:\s*\{{[^}}]*\}})*\s*\Z")


def game_text(tags: Mapping[str, str], stored: str, result: str) -> str:
    """Return one game with these tags, the moves of a stored text, and its result; then a blank line.

    ``tags``: in their order, without Result; empty ones are left out. ``stored``: a PGN, moves alone, or
    nothing. ``result``: "" for a game in progress. Moves that can't be read are replaced by a comment,
    because they might swallow the next game.
    """
    moves = stored.strip()
    try:
        game = cut_one(moves) if moves else None
    except (FileRefused, ValueError):
        moves, game = _UNREADABLE, None
    kept: dict[str, str] = {}
    if game is not None:
        moves = "\n".join(game.moves).strip()
        kept = {name: game.tags[name] for name in _KEPT if game.tags.get(name)}
    text = _with_moves({**tags, **kept}, moves, result)
    try:
        written = cut_one(text)
    except (FileRefused, ValueError):
        written = None
    if written is None or written.in_comment:
        return _with_moves(tags, _UNREADABLE, result)
    return text


def event_tags(name: str, *, arena: str, rated: bool) -> dict[str, str]:
    """Return the tags Event and Rated, which don't contradict each other for any reader of words in Event.

    A name that would, such as “Friendly Cup” of rated games, is the tag Tournament. ``arena``: its name, for
    games of no event.
    """
    said = {"Event": name or arena, "Rated": "yes" if rated else "no"}
    try:
        why_unrated(said)
    except ValueError:
        return {**said, "Event": arena, "Tournament": name}
    return said


def moment_tags(day_tag: str, time_tag: str, moment: datetime) -> dict[str, str]:
    """Return the tags of a moment in UTC; fractions of a second are written where there are any."""
    fraction = f".{moment:%f}".rstrip("0") if moment.microsecond else ""
    return {day_tag: f"{moment:%Y.%m.%d}", time_tag: f"{moment:%H:%M:%S}{fraction}"}


def _with_moves(tags: Mapping[str, str], moves: str, result: str) -> str:
    said = result or "*"
    first = ("Event", "Site", "Date", "Round", "White", "Black")
    in_order = {
        **{name: tags.get(name) or "?" for name in first},
        "Result": said,
        **{name: value for name, value in tags.items() if name not in first and value},
    }
    moves = with_result(moves, result) if _ENDED.search(moves) else f"{moves} {said}".lstrip()
    header = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in in_order.items())
    return f"{header}\n{moves}\n\n"


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", r"\\").replace('"', r"\"")
