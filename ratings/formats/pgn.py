"""Games from a PGN file, one after the other: each is cut from the file and played through.

``read_ahead`` has several processes read a file before its games are stored, with the same outcome.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import signal
import tempfile
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import date, datetime
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import IO, BinaryIO, Final, TypeVar

from ratings.formats.controls import CONTROL_TAGS, ControlOfGame, control_of_tags
from ratings.formats.games import (
    MAX_EXTERNAL_ID,
    RESULTS,
    UNFINISHED,
    UNMARKED,
    EndBy,
    GameRow,
    length_fault,
    player_faults,
    read_ending,
)
from ratings.formats.movetext import Played, play
from ratings.formats.pgn_cutting import RawGame, cut
from ratings.formats.pgn_rated import why_unrated
from ratings.formats.pgn_times import BERSERK_TAGS, END_TAGS, START_TAGS, ZONE_TAG, Times, start_of, times_of
from ratings.formats.problems import FileRefused, Problem, Remark, shown
from ratings.formats.results import FORFEITS, IN_PROGRESS, NOT_SAID, result_of
from ratings.rules.cited import _
from ratings.rules.rbb.conditions import why_not_listed, why_not_played
from ratings.rules.rbb.terminations import (
    NOT_PLAYED,
    Termination,
    contradiction_of_moves,
    termination_of,
    winner_named,
)
from ratings.rules.time_controls import Control

_T = TypeVar("_T")

LEAST_PLIES: Final = 20
"""Minimum number of half-moves that distinguish a game without time and round from others of its day."""

AS_RATED: Final = _("assumed to be rated, because the file doesn’t say")
AS_PLAYED: Final = _("assumed to have the time control you gave, because the file doesn’t give one")

_GAME_ADDRESS: Final = re.compile(r"https?://[^/\s]+/\S+", re.IGNORECASE)
_TAG_OF_COLUMN: Final = {
    "external_id": "Site",
    "white": "White",
    "black": "Black",
    "time_control": "TimeControl",
    "result": "Result",
    "termination": "Termination",
}
_ROUND: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}")

_DECIDING: Final = (
    *("White", "Black", "Site", "UTCDate", "UTCTime", "Event", "Result", "Termination"),
    *("SetUp", "FEN", "Variant", "Rated", *CONTROL_TAGS),
)
"""Tags that identify a game or decide its time, its end or whether it is rated."""


def checked(
    pieces: Iterable[RawGame | Problem | Remark], rate_unmarked: bool, control: Control | None
) -> Iterator[GameRow | Problem | Remark]:
    """Yield the games in these pieces of a file, each played through and followed by its remarks.

    A :class:`Problem` has all reasons why a game can't be accepted. The line is that of the game's first tag.
    The fields are those of read_games_csv, as far as there are tags for them. Times are in UTC, as
    ``pgn_times`` finds them. A game without an address is identified by :func:`identity`.

    ``rate_unmarked``: rate games whose tags don't say whether they were rated. ``control``: the control of
    games whose TimeControl is unknown.
    """
    for piece in pieces:
        if not isinstance(piece, RawGame):
            yield piece
            continue
        row = _read(piece, rate_unmarked, control)
        yield row
        if isinstance(row, GameRow) and (piece.remarks or piece.unclear):
            idle = [Remark(one.line, f"{one.text}; not needed here") for one in piece.unclear.values()]
            yield from sorted(piece.remarks + idle, key=lambda one: one.line)


def identity(
    white: str, black: str, moment: date | datetime, round_: str, played: Played, *, has_time: bool
) -> str:
    """Return the id of a game without an address: ``pgn:``, its round and 32 digits.

    The digits are the first of a hexadecimal SHA-256. It covers five lines of UTF-8, each ending in LF: White
    and Black in NFC; the day, with the time if it is known (2026-03-01, 2026-03-01T10:00:00Z); the round,
    which may be empty; the moves of the main line in UCI notation, separated by spaces. A numeric round comes
    before the digits, with four places for each number (3.12: 0003.0012), so that the games of a day are in
    the order of their rounds.
    """
    when = f"{moment:%Y-%m-%dT%H:%M:%SZ}" if has_time else f"{moment:%Y-%m-%d}"
    moves = " ".join(played.moves)
    told = "".join(
        f"{line}\n"
        for line in (
            unicodedata.normalize("NFC", white),
            unicodedata.normalize("NFC", black),
            when,
            round_,
            moves,
        )
    )
    number = ".".join(part.zfill(4) for part in round_.split(".")) if _ROUND.fullmatch(round_) else ""
    digest = hashlib.sha256(told.encode()).hexdigest()[:32]
    return f"pgn:{number}-{digest}" if number else f"pgn:{digest}"


def _read(game: RawGame, rate_unmarked: bool, given: Control | None) -> GameRow | Problem:
    """Return the game that was cut out, or all that is wrong with it."""
    if game.in_comment:
        game.refuse("a comment is opened with { and never closed")
    tags = game.tags
    if game.fault:
        return Problem(game.line, game.fault, _columns(tags))
    white, black = (name if name != "?" else "" for name in (tags.get("White", ""), tags.get("Black", "")))
    external_id = _address(tags)
    faults = [str(remark) for name, remark in game.unclear.items() if name in _needed(tags)]
    if not {"White", "Black"} & game.unclear.keys():
        faults += map(str, player_faults(white, black))
    if not game.is_standard:
        faults.append("not standard chess from the initial position (tags SetUp, FEN, Variant)")
    agreed = _tried(faults, lambda: control_of_tags(tags, given))
    control = agreed and agreed.control
    start = _tried(faults, lambda: start_of(tags))
    played = _tried(faults, lambda: _played(game))
    unrated = _tried(faults, lambda: why_unrated(tags)) or ""
    termination, word = Termination.NORMAL, ""
    if played is not None:
        termination, word = _ending(tags, played, faults)
    times: Times | None = None
    is_over = played is not None and (played.result in RESULTS or termination in NOT_PLAYED)
    if is_over and played is not None and start is not None and control is not None:
        told = tags, start, played, control, termination, word
        times = _tried(faults, lambda: times_of(*told))
    if external_id:
        if fault := length_fault("address", external_id, MAX_EXTERNAL_ID):
            faults.append(fault)
    elif played is not None and start is not None:
        round_ = "" if tags.get("Round", "") in NOT_SAID else tags["Round"]
        has_time = start.has_time or (times is not None and times.end_by is EndBy.TAGS)
        if fault := _anonymous(played, round_, has_time, termination in NOT_PLAYED):
            faults.append(fault)
        else:
            # Other time tags are part of the id only if nothing else distinguishes the games.
            is_timed = start.is_plain or (has_time and not (round_ or played.plies >= LEAST_PLIES))
            moment = times.ended_at if times and not start.has_time else start.moment
            when = moment if is_timed else start.day
            external_id = identity(white, black, when, round_, played, has_time=is_timed)
    if faults or agreed is None or control is None or start is None or played is None:
        fields = _columns(tags)
        if external_id:
            fields["external_id"] = external_id
        return Problem(game.line, "; ".join(faults), fields)
    game.remarks += (Remark(game.line, one) for one in dict.fromkeys((times or start).remarks))
    assumed: tuple[str, ...] = (AS_PLAYED,) if agreed.is_assumed else ()
    unrated_reason = _casual_or_unlisted(unrated, agreed, is_over) or why_not_played(
        played.plies, termination, word
    )
    if not unrated_reason and unrated:
        if rate_unmarked:
            assumed += (AS_RATED,)
        else:
            unrated_reason = unrated
    return GameRow(
        line=game.line,
        external_id=external_id,
        white=white,
        black=black,
        control=control,
        rated=not unrated_reason,
        result=played.result if played.result in RESULTS else "",
        termination=termination,
        started_at=times.started_at if times else start.moment,
        ended_at=times.ended_at if times else None,
        word=word,
        plies=played.plies,
        pgn="".join(game.text).strip(),
        unrated_reason=unrated_reason,
        assumed=assumed,
        end_by=times.end_by if times else None,
    )


def _tried(faults: list[str], read: Callable[[], _T], called: str = "") -> _T | None:
    """Return what is read; if it can't be, add the reason to the faults and return None."""
    try:
        return read()
    except ValueError as error:
        faults.append(f"{called}{error}")
        return None


def _ending(tags: Mapping[str, str], played: Played, faults: list[str]) -> tuple[Termination, str]:
    """Return how a game ended and the file's word for it, and add contradictions to the faults."""
    result = played.result if played.result in RESULTS else ""
    said = tags.get("Termination", "")
    ending = _tried(faults, lambda: read_ending(said, result, played.plies), "Termination: ")
    if ending is None:
        return Termination.NORMAL, ""
    termination, word = ending
    if result_of(tags.get("Result", "")) in FORFEITS and termination is Termination.NORMAL:
        termination = Termination.FORFEIT
    if found := contradiction_of_moves(termination, result, played.last):
        faults.append(str(found))
    points = {"white": "1-0", "black": "0-1"}
    points |= {tags.get("White", "").lower(): "1-0", tags.get("Black", "").lower(): "0-1"}
    winner = winner_named(said)
    if winner and result and points.get(winner, result) != result:
        faults.append(f"the tag Termination says {shown(said)}, but the result is {result}")
    return termination, word


def _address(tags: Mapping[str, str]) -> str:
    """Return the address of the game, or ``""``."""
    named = (tags.get(name, "") for name in ("Site", "Link"))
    return next((text for text in named if _GAME_ADDRESS.fullmatch(text)), "")


def _needed(tags: Mapping[str, str]) -> set[str]:
    """Return the tags whose values must be known for this game."""
    needed = {*_DECIDING, *END_TAGS, *BERSERK_TAGS.values(), ZONE_TAG}
    if not tags.keys() >= {"UTCDate", "UTCTime"}:
        needed |= {"Date", "Time", *START_TAGS}
    if not _GAME_ADDRESS.fullmatch(tags.get("Site", "")):
        needed.add("Link")
    if not _address(tags):
        needed.add("Round")
    return needed


def _anonymous(played: Played, round_: str, has_time: bool, is_unplayed: bool) -> str:
    """Return why a game without an address can't be distinguished from others, or ``""``."""
    fault = "no Site or Link address: without one, the game can’t be told apart from others, because it "
    if played.result not in RESULTS and not is_unplayed:
        return f"{fault}is not over"
    if not (has_time or round_ or played.plies >= LEAST_PLIES):
        return f"{fault}has no time, no round and fewer than {LEAST_PLIES} half-moves"
    return ""


def _columns(tags: Mapping[str, str]) -> dict[str, str]:
    """Return the values of tags under the column names of read_games_csv."""
    return {column: tags[tag] for column, tag in _TAG_OF_COLUMN.items() if tag in tags}


def _played(game: RawGame) -> Played:
    """Play the moves through; raises ValueError if they break off or contradict the tag Result."""
    text = "\n".join(game.moves)
    result = game.tags.get("Result", "")
    told = result_of(result)
    if told in FORFEITS and result_of(text) in (IN_PROGRESS, told, FORFEITS[told]):
        return Played(result=FORFEITS[told])
    played = play(text)
    if not played.plies and played.result in ("", "*") and (told == IN_PROGRESS or result in NOT_SAID):
        termination = termination_of(game.tags.get("Termination", ""), plies=0)
        if not played.result or termination not in NOT_PLAYED:
            raise ValueError("no moves and no result: not played")
    if not played.result:
        raise ValueError("the moves end without a result: the game is incomplete")
    if played.result != (told or result):
        raise ValueError(
            f"the tag Result says {shown(result)}, but the moves end with {shown(played.result)}"
        )
    return played


def _casual_or_unlisted(unrated: str, agreed: ControlOfGame, is_over: bool) -> str:
    """Return the first reason why a game of this file isn't rated, regardless of how it ended, or ``""``.

    ``unrated``: the reason that its tags give.
    """
    if not is_over:
        return UNFINISHED
    if unrated not in ("", UNMARKED):
        return unrated
    return agreed.odds or why_not_listed(agreed.control)


AT_ONCE: Final = 250
"""Number of pieces, games and what is between them, that a process gets at once. A smaller file is read
without other processes."""

_WAITING: Final = 3
"""Maximum number of such batches cut ahead for each process."""

_Pieces = list[RawGame | Problem | Remark]


@contextmanager
def games_read_ahead(
    stream: BinaryIO,
    *,
    rate_unmarked: bool = False,
    control: Control | None = None,
    on_remark: Callable[[Remark], None] = lambda remark: None,
    processes: int | None = None,
) -> Iterator[Iterator[GameRow | Problem]]:
    """Yield the games of a PGN file and a problem for each other one, with the whole file checked beforehand.

    Remarks are passed on, and FileRefused is raised, while the games are taken: for NUL bytes, perhaps after
    earlier games, and at the end if there was no tag. ``processes``: by default, one for each processor.
    """
    with tempfile.TemporaryFile() as kept:
        refused = None
        try:
            for some in _checked(stream, processes or os.cpu_count() or 1, rate_unmarked, control):
                kept.write(some)
        except FileRefused as error:
            refused = error
        kept.seek(0)
        yield _taken(kept, refused, on_remark)


def _taken(
    kept: IO[bytes], refused: FileRefused | None, on_remark: Callable[[Remark], None]
) -> Iterator[GameRow | Problem]:
    while kept.peek(1):  # type: ignore[attr-defined]  # a buffered file
        # Written by this process into a file that nobody else can open.
        for one in pickle.load(kept):  # noqa: S301
            if isinstance(one, Remark):
                on_remark(one)
            else:
                yield one
    if refused is not None:
        raise refused


def _checked(
    stream: BinaryIO, processes: int, rate_unmarked: bool, control: Control | None
) -> Iterator[bytes]:
    """Yield pickled lists of what ``checked`` yields, in file order. Raises FileRefused after the last."""
    pieces, refusals = cut(stream), list[FileRefused]()
    slices = _slices(pieces, refusals)
    first = list(islice(slices, 2))
    if len(first) == 1 or processes == 1:
        for some in chain(first, slices):
            yield _check(some, rate_unmarked, control)
    else:
        # Not forked: threads of a web server or worker would be copied in the middle of their work.
        executor = ProcessPoolExecutor(processes, get_context("spawn"), _prepare)
        try:
            waiting: deque[Future[bytes]] = deque()
            for some in chain(first, slices):
                waiting.append(executor.submit(_check, some, rate_unmarked, control))
                if len(waiting) > processes * _WAITING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            executor.shutdown(cancel_futures=True)
    if refusals:
        raise refusals[0]


def _slices(pieces: Iterator[RawGame | Problem | Remark], refusals: list[FileRefused]) -> Iterator[_Pieces]:
    """Yield the pieces, AT_ONCE at a time. If the file is refused, the reason is added to ``refusals``."""
    some: _Pieces = []
    try:
        for piece in pieces:
            some.append(piece)
            if len(some) == AT_ONCE:
                yield some
                some = []
    except FileRefused as error:
        refusals.append(error)
    yield some


def _check(some: _Pieces, rate_unmarked: bool, control: Control | None) -> bytes:
    return pickle.dumps(list(checked(some, rate_unmarked, control)), pickle.HIGHEST_PROTOCOL)


def _prepare() -> None:
    """Leave Ctrl+C to the process that reads the file, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
