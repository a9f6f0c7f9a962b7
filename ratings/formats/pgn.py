"""Games from a PGN file, one after the other: the file is cut into games here, and each is played through.

PGN standard: https://github.com/fsmosca/PGN-Standard. Stricter than it in one point: a line that would be
read as ``[Event "…"]`` after an empty line begins a game even inside a comment, since a comment that was
never closed would otherwise swallow the games after it.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, Final

from ratings.formats.games import (
    MAX_EXTERNAL_ID,
    RESULTS,
    UNFINISHED,
    GameRow,
    in_utc,
    length_fault,
    player_faults,
    read_ending,
)
from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.movetext import Played, leaves_comment_open, play
from ratings.formats.problems import UNREADABLE, FileRefused, Problem, shown
from ratings.rules.rbb.conditions import not_listed, why_not_played
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control, category_of

MAX_LINE: Final = 200_000
"""Characters in one line; a whole game may stand on one."""

MAX_GAME: Final = 500_000
"""Characters in one game: about ten thousand half-moves with their clocks."""

_BYTES_PER_CHARACTER: Final = 4
_REMARK: Final = ("%", ";")

_TAG: Final = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_ESCAPED: Final = re.compile(r'\\(["\\])')
_EVENT: Final = re.compile(r'\[\s*Event\s+".*"\s*\]')
_GAME_ADDRESS: Final = re.compile(r"https?://[^/\s]+/\S+", re.IGNORECASE)
_CASUAL: Final = re.compile(r"\b(?:casual|unrated)\b", re.IGNORECASE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TAG_OF_COLUMN: Final = {
    "external_id": "Site",
    "white": "White",
    "black": "Black",
    "time_control": "TimeControl",
    "result": "Result",
    "termination": "Termination",
}
_DATE: Final = re.compile(r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}")
_TIME: Final = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?")


@dataclass(slots=True)
class _Game:
    """A game while it is cut from the file.

    ``in_moves``: its tags are over. ``fault``: the first reason why it cannot be read at all. ``lost``: not
    even its end can be told any more, so that everything up to the next tag belongs to it.
    """

    line: int
    text: list[str] = field(default_factory=list)
    size: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    in_moves: bool = False
    in_comment: bool = False
    lost: bool = False
    fault: str = ""

    def refuse(self, fault: str) -> None:
        self.fault = self.fault or fault

    def add(self, number: int, text: str) -> None:
        """Take one more line as it stands in the file: a tag, a line of moves, or what is neither."""
        line = text.strip()
        is_tag = line.startswith("[") and not self.in_comment
        is_neither = (not line or text.startswith(_REMARK)) and not self.in_comment
        self.in_moves = self.in_moves or not (is_tag or is_neither)
        self.size += len(text)
        if len(text) > MAX_LINE:
            self.refuse(f"line {number} has more than {MAX_LINE:,} characters")
        elif self.size > MAX_GAME:
            self.refuse(f"the game is longer than {MAX_GAME:,} characters; a mark such as }} may be missing")
        else:
            self.text.append(text)
            self._look_for_foreign_bytes(number, text)
            if is_tag:
                self._add_tag(number, line)
            elif not is_neither:
                self.moves.append(line)
                self.in_comment = leaves_comment_open(line, self.in_comment)
            return
        self.lost = self.in_moves
        self.in_comment = False

    def _add_tag(self, number: int, line: str) -> None:
        tag = _TAG.fullmatch(line)
        if tag is None or UNREADABLE.search(tag[2]):
            self.refuse(f'line {number}: {shown(line)} is no tag such as [White "…"]')
        elif tag[1] in self.tags:
            self.refuse(f"line {number}: the tag {tag[1]} stands twice")
        else:
            self.tags[tag[1]] = _ESCAPED.sub(r"\1", tag[2]).strip()

    def _look_for_foreign_bytes(self, number: int, text: str) -> None:
        if not text.isascii() and (match := _SURROGATE.search(text)):
            near = text[max(match.start() - 15, 0) :].strip()
            self.refuse(f"line {number} is not UTF-8: {shown(near)}; save the file as UTF-8")


def read_games_pgn(stream: BinaryIO) -> Iterator[GameRow | Problem]:
    """The games of a UTF-8 PGN file; a :class:`Problem` with all reasons for each that cannot be taken.

    Its line is that of the game's first tag, its fields are those of read_games_csv as far as tags give
    them. Times are UTC. ``ended_at`` is when
    the clocks in the moves (``%clk``) say, as far as there are any, counted from ``started_at``. Raises
    FileRefused for NUL bytes, perhaps after the games before them, and at the end if there was no tag.
    """
    for piece in _cut(stream):
        yield piece if isinstance(piece, Problem) else _read(piece)


def _cut(stream: BinaryIO) -> Iterator[_Game | Problem]:
    """The games of the file, and a problem for whatever stands between them and belongs to none."""
    game: _Game | None = None
    stray: Problem | None = None
    found = after_blank = False
    for number, raw in enumerate(read_lines(stream, MAX_LINE * _BYTES_PER_CHARACTER), 1):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if (number == 1 or b"\0" in raw) and (kind := foreign_kind(raw)):
            raise FileRefused(f"line {number}: this is {kind}, not PGN")
        text = raw.decode("utf-8", "surrogateescape")
        line = text.strip()
        is_event = line.startswith("[") and _EVENT.fullmatch(line) is not None
        if game is not None and game.in_comment and not (after_blank and is_event):
            game.add(number, text)
        elif line.startswith("["):
            if game is None or game.in_moves or (is_event and "Event" in game.tags):
                if game is not None:
                    yield game
                if stray is not None:
                    yield stray
                game, stray = _Game(number), None
            game.add(number, text)
            found = found or bool(game.tags)
        elif game is not None and game.lost:
            pass
        elif game is not None and game.in_moves and not line:
            yield game
            game = None
        elif game is not None:
            game.add(number, text)
        elif stray is None and line and not text.startswith(_REMARK):
            stray = Problem(number, f"text outside a game, from here to the next tag: {shown(line)}")
        after_blank = not line
    if not found:
        raise FileRefused('no line such as [Event "…"]: the file is empty or is not PGN')
    if game is not None:
        yield game
    if stray is not None:
        yield stray


def _read(game: _Game) -> GameRow | Problem:
    """The game that was cut out, or all that is wrong with it."""
    if game.in_comment:
        game.refuse("a comment is opened with { and never closed")
    tags = game.tags
    if game.fault:
        return Problem(game.line, game.fault, _columns(tags))
    white, black = (name if name != "?" else "" for name in (tags.get("White", ""), tags.get("Black", "")))
    faults = player_faults(white, black)
    address = next(
        (tags[name] for name in ("Site", "Link") if _GAME_ADDRESS.fullmatch(tags.get(name, ""))), ""
    )
    if not address:
        faults.append("no Site or Link address: without it the game cannot be told from another")
    elif fault := length_fault("address", address, MAX_EXTERNAL_ID):
        faults.append(fault)
    if tags.get("SetUp") == "1" or "FEN" in tags or tags.get("Variant", "Standard").lower() != "standard":
        faults.append("not standard chess from the initial position (tags SetUp, FEN, Variant)")
    control = played = started_at = None
    try:
        control = Control.parse(tags.get("TimeControl", ""))
    except ValueError as error:
        faults.append(f"TimeControl: {error}")
    try:
        started_at = _started_at(tags)
    except ValueError as error:
        faults.append(str(error))
    try:
        played = _played(game)
    except ValueError as error:
        faults.append(str(error))
    termination, word = Termination.NORMAL, ""
    if played is not None:
        try:
            result = played.result if played.result in RESULTS else ""
            termination, word = read_ending(tags.get("Termination", ""), result, played.plies)
        except ValueError as error:
            faults.append(f"Termination: {error}")
    if faults or control is None or started_at is None or played is None:
        return Problem(game.line, "; ".join(faults), _columns(tags))
    finished = played.result in RESULTS
    unrated_reason = _casual_or_unlisted(tags.get("Event", ""), control, played) or why_not_played(
        played.plies, termination, word
    )
    return GameRow(
        line=game.line,
        external_id=address,
        white=white,
        black=black,
        control=control,
        rated=not unrated_reason,
        result=played.result if finished else "",
        termination=termination,
        started_at=started_at,
        ended_at=started_at + played.time_used(control) if finished else None,
        word=word,
        plies=played.plies,
        pgn="".join(game.text).strip(),
        unrated_reason=unrated_reason,
    )


def _columns(tags: Mapping[str, str]) -> dict[str, str]:
    """What the tags say, under the names of the columns of read_games_csv."""
    return {column: tags[tag] for column, tag in _TAG_OF_COLUMN.items() if tag in tags}


def _started_at(tags: Mapping[str, str]) -> datetime:
    """UTCDate and UTCTime, or else Date with Time if there is one; raises ValueError if it is not full."""
    date_tag, time_tag = ("UTCDate", "UTCTime") if {"UTCDate", "UTCTime"} <= tags.keys() else ("Date", "Time")
    date = tags.get(date_tag, "")
    time = tags.get(time_tag, "00:00:00")
    if not _DATE.fullmatch(date):
        raise ValueError(f"{date_tag}: {shown(date)} is no full date such as 2026.01.31")
    if not _TIME.fullmatch(time):
        raise ValueError(f"{time_tag}: {shown(time)} is no time such as 18:30:00")
    try:
        return in_utc(f"{date.replace('.', '-')}T{time}")
    except ValueError as error:
        raise ValueError(f"{date_tag}: {shown(f'{date} {time}')} {error}") from None


def _played(game: _Game) -> Played:
    """The moves played through; raises ValueError if they break off or contradict the tag Result."""
    played = play("\n".join(game.moves))
    result = game.tags.get("Result", "")
    if not played.result:
        raise ValueError("the moves end without a result: the game is cut off")
    if played.result != result:
        raise ValueError(
            f"the tag Result says {shown(result)}, but the moves end with {shown(played.result)}"
        )
    return played


def _casual_or_unlisted(event: str, control: Control, played: Played) -> str:
    """Why a game of this file is not rated, however it ended, or ``""``: the first reason there is."""
    if played.result not in RESULTS:
        return UNFINISHED
    if _CASUAL.search(event):
        return "casual game"
    if category_of(control) is None:
        return str(not_listed(control))
    return ""
