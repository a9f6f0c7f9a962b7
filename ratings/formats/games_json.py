"""A game in a game server's JSON: the fields of a file of games, with JSON types."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from ratings.formats.csv_rows import Row
from ratings.formats.games import RESULTS, GameRow, game_of
from ratings.formats.pgn_entry import disagreements_of_moves
from ratings.formats.problems import UNREADABLE, Fault, Problem, readable, shown
from ratings.formats.results import result_of
from ratings.rules.rbb.terminations import NOT_PLAYED, Termination, says_in_progress, termination_of
from ratings.rules.rbb.variants import STANDARD

MAX_ID: Final = 149
"""Maximum number of characters in a server's own id, which is stored after the server's name."""

MAX_PLIES: Final = 32_767

_PLAYED: Final = "FIDE B.02 5.1"
_NEEDED: Final = ("id", "white", "black", "time_control", "started_at")
_MOMENTS: Final = ("started_at", "ended_at")
_TYPES: Final[dict[str, tuple[type, str]]] = {
    **dict.fromkeys((*_NEEDED, "result", "ended_at", "termination", "pgn", "url", "variant"), (str, "text")),
    "rated": (bool, "true or false"),
    "plies": (int, "a whole number"),
    "event": (dict, "an object"),
}
FIELDS: Final = tuple(_TYPES)
EVENT_FIELDS: Final = {"id": "event_id", "name": "event", "url": "event_url", "round": "round"}
"""Fields of an event, with the file's columns for the same information."""

_NAMED: Final = {column: f"event.{name}" for name, column in EVENT_FIELDS.items()}

_BYTE: Final = re.compile("%[0-9A-Fa-f]{2}")
_LAYOUT: Final = str.maketrans("", "", "\n\r\t")
_NAMES: Final = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def read_game_json(line: int, said: Mapping[str, Any], prefix: str = "") -> GameRow | Problem:
    """Read a game from a JSON object. A :class:`Problem` lists every fault with its field.

    ``id`` becomes the external id, after the ``prefix``. A game without ``rated`` is rated. null is the same
    as a missing field. A game that says how it ended is over: with a result, or without one if it wasn't
    played. ``word`` distinguishes an explicit “normal” from a missing value.
    """
    said = {name: value for name, value in said.items() if value is not None}
    faults = list(_faults(said))
    event = said.get("event")
    values = {name: value for name, value in said.items() if isinstance(value, str)}
    if faults:
        return Problem.of(line, faults, {})
    texts = dict.fromkeys(("result", "termination", "ended_at"), "") | {
        name: value.strip() for name, value in values.items()
    }
    texts |= {"external_id": prefix + texts.pop("id"), "rated": "1" if said.get("rated", True) else "0"}
    if event is not None:
        texts |= {column: (event.get(name) or "").strip() for name, column in EVENT_FIELDS.items()}
        texts["event_id"] = prefix + texts["event_id"]
    row = game_of(Row(line, texts), plies=said.get("plies"), pgn=texts.pop("pgn", ""), called=_NAMED)
    if isinstance(row, Problem):
        return row
    ending = texts["termination"]
    # “Abandoned” says so only of a game without moves. +/- is the point of a forfeit.
    if (
        texts["result"]
        and result_of(texts["result"]) in RESULTS
        and termination_of(ending, plies=2) in NOT_PLAYED
    ):
        fault = (
            f"termination {shown(ending)} says that the game wasn’t played, but result is "
            f"{shown(texts['result'])}: leave out the result, or say how the game ended"
        )
        return Problem.of(line, [Fault("termination", fault, _PLAYED, contradicts=True)], {})
    if row.pgn and row.details.variant == STANDARD:
        # The moves of a game in progress may be older than its number of moves.
        plies = row.plies if row.has_ended else None
        faults_of_pgn = disagreements_of_moves(row.pgn, result=row.result, plies=plies)
        row = replace(row, pgn_faults=tuple(faults_of_pgn))
    if row.has_ended:
        return replace(row, word=ending) if ending.lower() == Termination.NORMAL else row
    if ending and ending.lower() != Termination.NORMAL and not says_in_progress(ending):
        fault = (
            f"termination: {shown(ending)} says how the game ended, but result is missing: give result and "
            "ended_at, too, or leave termination out while the game is in progress"
        )
        return Problem.of(line, [Fault("termination", fault)], {})
    return replace(row, word="")


def id_fault(own: str) -> str:
    """Explain why an id isn't acceptable for a server's game, or return ``""``."""
    if not 1 <= len(own) <= MAX_ID:
        return f"id: {shown(own)} has {len(own)} characters; use 1 to {MAX_ID}"
    if not own.isprintable() or " " in own or "/" in own:
        return f"id: {shown(own)} must be printable, without spaces or slashes"
    # Django decodes such a byte in an address to this text, so the two ids would be the same.
    if match := _BYTE.search(own):
        return f"id: {match[0]} isn’t UTF-8, or is a percent sign before two digits: leave it out"
    return ""


def _faults(said: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the faults in the fields' names, types and texts."""
    for name in _NEEDED:
        if name not in said:
            yield Fault(name, f"{name} is missing")
    for name, value in said.items():
        if name not in _TYPES:
            fault = f"{shown(name)} isn’t a field of a game; the fields are {', '.join(FIELDS)}"
            yield Fault(readable(name[:40]), fault)
            continue
        kind, expected = _TYPES[name]
        if type(value) is not kind:
            yield Fault(name, f"{name} is {_NAMES[type(value)]}; it must be {expected}")
        elif isinstance(value, str):
            yield from _text_faults(name, value)
        elif isinstance(value, dict):
            yield from _event_faults(value)
        elif isinstance(value, int) and not 0 <= value <= MAX_PLIES:
            yield Fault(name, f"plies must be from 0 to {MAX_PLIES}")


def _event_faults(event: Mapping[str, Any]) -> Iterator[Fault]:
    for name in ("id", "name"):
        if event.get(name) in (None, ""):
            yield Fault(f"event.{name}", f"event.{name} is missing")
    for name, value in event.items():
        field = f"event.{readable(name[:40])}"
        if name not in EVENT_FIELDS:
            yield Fault(
                field, f"{shown(name)} isn’t a field of an event; the fields are {', '.join(EVENT_FIELDS)}"
            )
        elif value is not None and not isinstance(value, str):
            yield Fault(field, f"{field} is {_NAMES[type(value)]}; it must be text")
        elif value:
            yield from _text_faults(field, value)
            if name == "id" and (fault := id_fault(value)):
                yield Fault(field, f"event.{fault}")


def _text_faults(name: str, value: str) -> Iterator[Fault]:
    # PGN has several lines; the others have one.
    text = value.translate(_LAYOUT) if name == "pgn" else value
    if match := UNREADABLE.search(text):
        yield Fault(name, f"{name}: the character U+{ord(match[0]):04X} can’t be stored; leave it out")
    elif name == "id":
        if fault := id_fault(value):
            yield Fault(name, fault)
    elif name == "result" and result_of(value) is None:
        yield Fault(
            name,
            f"result: {shown(value)} isn’t one of {', '.join(RESULTS)}; "
            "leave it out while the game is in progress",
        )
    elif name in _MOMENTS and value and not _has_offset(value):
        yield Fault(
            name, f"{name}: {shown(value)} isn’t a date and time with an offset such as 2026-01-31T18:30:00Z"
        )


def _has_offset(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
