"""Games from the arena's CSV files, one per row, each checked as far as possible on its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import BinaryIO, Final

from ratings.formats.controls import read_control
from ratings.formats.csv_rows import Row, Rows
from ratings.formats.game_details import DETAIL_COLUMNS, NONE, Details, details_of
from ratings.formats.pgn_entry import last_position
from ratings.formats.problems import Fault, Problem, shown
from ratings.formats.results import FORFEITS, NOT_SAID, result_of
from ratings.rules.cited import _
from ratings.rules.rbb.conditions import why_not_listed, why_not_played, why_not_standard
from ratings.rules.rbb.terminations import (
    NOT_PLAYED,
    ContradictsError,
    Termination,
    contradiction_of_moves,
    contradiction_of_word,
    termination_of,
)
from ratings.rules.rbb.variants import STANDARD, variant_of
from ratings.rules.time_controls import Control

COLUMNS: Final = (
    "external_id",
    "white",
    "black",
    "time_control",
    "rated",
    "result",
    "termination",
    "started_at",
    "ended_at",
)

RESULTS: Final = ("1-0", "0-1", "1/2-1/2")
"""Results of a game that was played."""

MAX_EXTERNAL_ID: Final = 200
MAX_PLAYER: Final = 150
MAX_TERMINATION: Final = 64
EARLIEST_YEAR: Final = 1900
LATEST_YEAR: Final = 2999

UNFINISHED: Final = "unfinished"
"""Reason why a game in progress in a PGN file isn't rated."""

UNMARKED: Final = _("the file doesn’t say whether the game was rated")
"""Reason why a PGN game isn't rated if its Event calls it neither rated nor casual."""

TRUTH: Final = {
    **dict.fromkeys(("1", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n"), False),
}
"""Words for yes and no in a column, in lower case."""

# A date with an hour has at least eleven characters (20260131T10), a date alone at most ten (2026-01-31).
_LONGEST_DATE: Final = 10

_DAY_FIRST: Final = re.compile(
    r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(?:[ T]([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2})?))?", re.ASCII
)
"""A date with dots, which always begins with the day: 31.01.2026, 31.1.2026 18:30."""


class EndBy(StrEnum):
    """Sources of a PGN game's end. The first one available counts (docs/files.md)."""

    TAGS = "tags"
    MOVE_TIMES = "move times"
    CLOCKS = "clocks"
    START = "start"
    """The start: nothing shows how long the game lasted."""
    DAY = "day"
    """The end of the day: only that is known."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as given by a file. Whether its players are members is checked later.

    ``line``: where it begins in the file. ``result``: ``1-0``, ``0-1``, ``1/2-1/2``, or ``""`` if the game is
    in progress or wasn't played. ``ended_at`` is None for a game in progress, and for a game that wasn't
    played and whose end is unknown. Both times are aware and in UTC. ``word``: the file's word for how the
    game ended, if it isn't the office's. ``plies``: half-moves made, None if the file doesn't give them.
    ``pgn``: the text of the game as read. ``unrated_reason``: why a game isn't rated although it may claim to
    be; ``""`` for one never marked as rated. ``assumed``: information that the file doesn't give and that the
    importer stated for all of its games. ``end_by``: how the end of a PGN game was determined; None for other
    files, which give it. ``pgn_faults``: what is wrong in the moves of a server's game, or contradicts it.
    """

    line: int
    external_id: str
    white: str
    black: str
    control: Control
    rated: bool
    result: str
    termination: Termination
    started_at: datetime
    ended_at: datetime | None
    word: str = ""
    plies: int | None = None
    pgn: str = ""
    unrated_reason: str = ""
    assumed: tuple[str, ...] = ()
    end_by: EndBy | None = None
    details: Details = NONE
    pgn_faults: tuple[str, ...] = ()

    @property
    def has_ended(self) -> bool:
        """True for a game with a result, and for one that wasn't played: aborted, no-show, forfeit, bye."""
        return bool(self.result) or self.termination in NOT_PLAYED


def read_games_csv(stream: BinaryIO) -> Rows[GameRow]:
    """Return the games of a CSV file with COLUMNS and optionally DETAIL_COLUMNS; a Problem for each bad row.

    A game marked as rated is unrated if its time control is in no category (RBB 2.3). Raises FileRefused when
    the first game is requested, as ``Rows`` does.
    """
    return Rows(stream, required=COLUMNS, optional=DETAIL_COLUMNS, made=game_of)


def length_fault(name: str, value: str, longest: int) -> str:
    """Return why a text is missing or too long, or ``""``."""
    if not value:
        return f"{name} is missing"
    if len(value) > longest:
        return f"{name}: {shown(value)} has {len(value)} characters, more than {longest}"
    return ""


def player_faults(white: str, black: str) -> list[Fault]:
    """Return what is wrong with the names of the two players, separately and together."""
    faults = [
        Fault(colour, fault)
        for colour, name in (("white", white), ("black", black))
        if (fault := length_fault(colour, name, MAX_PLAYER))
    ]
    if white == black and white:
        both = f"white and black are both {shown(white)}: a game needs two players"
        faults.append(Fault("black", both))
    return faults


@lru_cache(maxsize=4096)
def read_ending(
    text: str, result: str, plies: int | None = None, variant: str = STANDARD
) -> tuple[Termination, str]:
    """Return how a game ended, and the file's word if it isn't the office's. No text means a normal end.

    Raises ValueError if the word is too long, and ContradictsError if it contradicts the result. In a
    ``variant`` other than standard chess, stalemate may be a win.
    """
    if len(text) > MAX_TERMINATION:
        raise ValueError(f"{shown(text)} has more than {MAX_TERMINATION} characters")
    if text in NOT_SAID:
        return Termination.NORMAL, ""
    termination = termination_of(text, result, plies)
    if variant == STANDARD and (found := contradiction_of_word(termination, result, text)):
        raise ContradictsError(str(found), found.article)
    return termination, "" if text.lower() == termination else text


def in_utc(text: str, *, date_alone: bool = False) -> datetime:
    """Return the moment of an ISO 8601 text, in UTC if it has no offset.

    A date alone, if allowed, means 00:00. Spreadsheet dates such as 31.01.2026 18:30 are accepted too. Raises
    ValueError with a text to follow the value: "is a date without a time".
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not UTC:
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        if day_first := _DAY_FIRST.fullmatch(text):
            day, month, year, hour, minutes = day_first.groups()
            time = f"T{hour:0>2}{minutes}" if hour else ""
            return in_utc(f"{year}-{month:0>2}-{day:0>2}{time}", date_alone=date_alone)
        # "day is out of range for month" helps; "Invalid isoformat string" followed by the value doesn't.
        detail = "" if str(error).startswith("Invalid isoformat") else f" ({error})"
        raise ValueError(f"isn’t a date and time such as 2026-01-31T18:30:00Z{detail}") from None
    if len(text) <= _LONGEST_DATE and not date_alone:
        raise ValueError("is a date without a time; write 2026-01-31T18:30:00Z")
    if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
        raise ValueError(f"is not between the years {EARLIEST_YEAR} and {LATEST_YEAR}")
    return moment


def game_of(
    row: Row, *, plies: int | None = None, pgn: str = "", called: Mapping[str, str] = MappingProxyType({})
) -> GameRow | Problem:
    """Return the game of a row, or all that is wrong with it.

    ``called``: the source's names for columns, where they differ.
    """
    values = row.values
    external_id, white, black = values["external_id"], values["white"], values["black"]
    faults = player_faults(white, black)
    if fault := length_fault("external_id", external_id, MAX_EXTERNAL_ID):
        faults.insert(0, Fault("external_id", fault))
    control: Control | None = None
    try:
        control = _control(values["time_control"])
    except ValueError as error:
        faults.append(Fault("time_control", f"time_control: {error}", "RBB 2.3"))
    rated = TRUTH.get(values["rated"].lower())
    if rated is None:
        fault = f"rated: {shown(values['rated'])} is neither yes nor no (1, 0, true, false, yes, no)"
        faults.append(Fault("rated", fault))
    written = values["result"]
    told = result_of(written)
    if told is None:
        fault = f"result: {shown(written)} isn’t 1-0, 0-1, 1/2-1/2, +/-, -/+, or * for a game in progress"
        faults.append(Fault("result", fault))
        told = written
    point = FORFEITS.get(told)
    result = point or told
    termination, word = Termination.NORMAL, ""
    variant = variant_of(values.get("variant", ""))
    try:
        termination, word = read_ending(values["termination"], result, plies, variant)
    except ContradictsError as error:
        faults.append(Fault("termination", f"termination: {error}", error.article, contradicts=True))
    except ValueError as error:
        faults.append(Fault("termination", f"termination: {error}"))
    last = last_position(pgn) if pgn and result and variant == STANDARD else None
    if last and (found := contradiction_of_moves(termination, result, last)):
        faults.append(Fault("result", f"result: {found}", found.article, contradicts=True))
    if point and termination not in NOT_PLAYED:
        if termination is Termination.NORMAL:
            termination = Termination.FORFEIT
        else:
            fault = (
                f"result {shown(written)} is a forfeit, but termination {shown(values['termination'])} says "
                "that the game was played"
            )
            faults.append(Fault("result", fault))
    started_at = _moment("started_at", values["started_at"], faults)
    ended_at = None
    if values["ended_at"]:
        ended_at = _moment("ended_at", values["ended_at"], faults)
        if started_at is not None and ended_at is not None and ended_at < started_at:
            fault = (
                f"ended_at: {shown(values['ended_at'])} is before started_at {shown(values['started_at'])}"
            )
            faults.append(Fault("ended_at", fault))
        if not result and termination not in NOT_PLAYED:
            fault = f"ended_at is {shown(values['ended_at'])}, but result is missing: give both or neither"
            faults.append(Fault("ended_at", fault))
    elif result:
        fault = f"ended_at is missing, but result is {shown(written)}: give both or neither"
        faults.append(Fault("ended_at", fault))
    details = details_of(values, faults, called)
    if faults or control is None or rated is None or started_at is None:
        return Problem.of(row.line, faults, values)
    unrated_reason = ""
    if rated:
        # In a game in progress, both sides may still move.
        unrated_reason = (
            why_not_standard(details.variant)
            or why_not_listed(control)
            or why_not_played(plies if result else None, termination, word)
        )
    return GameRow(
        row.line,
        external_id,
        white,
        black,
        control,
        rated and not unrated_reason,
        result,
        termination,
        started_at,
        ended_at,
        word,
        plies,
        pgn,
        unrated_reason,
        details=details,
    )


def _moment(name: str, text: str, faults: list[Fault]) -> datetime | None:
    if not text:
        faults.append(Fault(name, f"{name} is missing"))
        return None
    try:
        return in_utc(text)
    except ValueError as error:
        faults.append(Fault(name, f"{name}: {shown(text)} {error}"))
        return None


@lru_cache(maxsize=1024)
def _control(text: str) -> Control:
    """Call read_control with a cache: a million rows repeat the same few controls."""
    return read_control(text)
