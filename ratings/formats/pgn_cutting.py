"""A PGN file cut into games: lines of bytes in, tags and moves of one game after the other out.

PGN standard: https://github.com/fsmosca/PGN-Standard. One point is stricter: after an empty line, a line that
looks like one of the seven tags, such as ``[Event "…"]``, begins a game even inside a comment. Otherwise a
comment that was never closed would swallow the games after it.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import chess

from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.movetext import after_line
from ratings.formats.problems import UNREADABLE, FileRefused, Problem, Remark, readable, shown
from ratings.rules.rbb.variants import STANDARD, variant_of

MAX_LINE: Final = 200_000
"""Maximum number of characters in a line; a whole game may be on one line."""

MAX_GAME: Final = 500_000
"""Maximum number of characters in a game: about ten thousand half-moves with their clocks."""

_BYTES_PER_CHARACTER: Final = 4
_ESCAPE: Final = ("%", ";")

_TAG: Final = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LOOSE_TAG: Final = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"([^\[]*)"\s*\]')
"""A tag with unescaped quotation marks inside. Two tags on a line don't match."""
_NAME: Final = re.compile(r"""\[\s*([A-Za-z0-9_]+)(?=[\s"'“”„«:=\]]|\Z)""")
_OF_SEVEN: Final = re.compile(r'\[\s*(Event|Site|Date|Round|White|Black|Result)\s+".*"\s*\]')
_START: Final = chess.STARTING_FEN.split()[:4]
_EXACT: Final = frozenset({"White", "Black", "Site", "Link", "Round"})
"""Tags in which every character matters, because they identify the game."""

_NAMES: Final = {
    name.lower(): name
    for name in (
        *("Event", "Site", "Date", "Round", "White", "Black", "Result", "Link", "Rated"),
        *("UTCDate", "UTCTime", "Time", "TimeControl", "Termination", "SetUp", "FEN", "Variant"),
        *("Timezone", "StartTime", "EndDate", "EndTime", "UTCEndDate", "UTCEndTime"),
        *("GameStartTime", "GameEndTime", "TimeStart", "TimeEnd", "WhiteBerserk", "BlackBerserk"),
    )
}
"""Tags that may decide something, by their names in lower case."""

_LEFT: Final = r"(?:[\W\d_]*|.*\[\W*)"
"""Text before the name: list or quotation marks, invisible characters, or other text with a bracket."""
_DAMAGED: Final = re.compile(rf"""{_LEFT}\b({"|".join(_NAMES)})\b(?:[^\w"]*["“”„«»]|.*\])""", re.IGNORECASE)
"""A line with a damaged tag: “> [Event "…"]”, “Event "…"]”, “[Event …]<br>”."""
_UNNAMED: Final = re.compile(rf"""{_LEFT}\w+\W*["“”„«»].*\]""")
"""Such a line without a known name: “vent "…"]”."""

_TOLD: Final = re.compile(rf"""[\W\d_]*({"|".join(_NAMES)})\s*[:=]""", re.IGNORECASE)
"""A line that says the same in another way: “Event: Casual blitz game”."""

_COMMENT: Final = re.compile(r"\{[^}]*\}")

_LOOKED_AT: Final = 300
"""Maximum number of characters at each end of a line that are searched for a damaged tag."""

_ANY: Final = "?"
"""The name of a tag that is too damaged to be recognised."""


@dataclass(slots=True)
class RawGame:
    """A game while it is cut from the file, and afterwards.

    ``unclear``: why a tag's value is unknown, by the tag's name; whether that matters depends on the other
    tags. ``remarks``: what was repaired. ``in_moves``: its tags are over; ``is_over``: its moves are over,
    too. ``fault``: the first reason why it can't be read at all. ``lost``: even its end is unknown, so
    everything up to the next tag belongs to it.
    """

    line: int
    text: list[str] = field(default_factory=list)
    size: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    unclear: dict[str, Remark] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    in_moves: bool = False
    is_over: bool = False
    in_comment: bool = False
    lost: bool = False
    fault: str = ""

    @property
    def is_standard(self) -> bool:
        """True for standard chess from the initial position, which may also be given as a FEN."""
        if variant_of(self.tags.get("Variant", "")) != STANDARD:
            return False
        fen = self.tags.get("FEN", "")
        return fen.split()[:4] == _START if fen else self.tags.get("SetUp") != "1"

    def refuse(self, fault: str) -> None:
        self.fault = self.fault or fault

    def add(self, number: int, text: str) -> None:
        """Add one more line as it is in the file: tags, a line of moves, or neither."""
        line = text.strip()
        is_tag = line.startswith("[") and not self.in_comment
        is_neither = (not line or text.startswith(_ESCAPE)) and not self.in_comment
        if not (self.in_moves or is_tag or is_neither) and (name := damaged_tag(line)):
            self.note_unclear(number, name, line)
            is_neither = True
        self.in_moves = self.in_moves or not (is_tag or is_neither)
        self.size += len(text)
        if len(text) > MAX_LINE:
            self.refuse(f"line {number} has more than {MAX_LINE:,} characters")
        elif self.size > MAX_GAME:
            self.refuse(f"the game is longer than {MAX_GAME:,} characters; a mark such as }} may be missing")
        else:
            self.text.append(text)
            if is_tag:
                self._add_tags(number, line)
            elif not is_neither:
                self.moves.append(line)
                self.in_comment, is_over = after_line(line, self.in_comment)
                self.is_over = self.is_over if is_over is None else is_over
            return
        self.lost = self.in_moves
        self.in_comment = False

    def damaged(self, number: int, text: str) -> None:
        """Refuse the game because of a line in a UTF-8 file that isn't UTF-8."""
        near = text[max(_first_foreign(text) - 15, 0) :].strip()
        self.refuse(f"line {number} is not UTF-8: {shown(near)}; save the file as UTF-8")

    def note_unclear(self, number: int, name: str, line: str) -> None:
        """Note that the value of a tag is unknown because of this line. The name ``?`` means any tag."""
        fault = f'{shown(line)} isn’t a tag such as [White "…"]'
        if name == _ANY:
            self.refuse(f"line {number}: {fault}")
        else:
            self.unclear.setdefault(name, Remark(number, fault))

    def goes_on(self, number: int, line: str) -> bool:
        """Return True for another tag of the same game after a line of moves, and refuse the game."""
        name = _NAME.match(line)
        if self.is_over or self.in_comment or name is None or name[1] in self.tags:
            return False
        self.refuse(f"line {number}: the tag {shown(line)} comes after {shown(self.moves[-1])}, between tags")
        self.in_moves = False
        return True

    def begins_again(self, line: str) -> bool:
        """Return True for a tag after an empty line, before any moves, that begins the next game."""
        again = _OF_SEVEN.fullmatch(line)
        return again is not None and again[1] in self.tags

    def _add_tags(self, number: int, line: str) -> None:
        found = []
        position = 0
        while tag := _TAG.match(line, position):
            found.append((tag[1], _ESCAPED.sub(r"\1", tag[2]).strip()))
            position = tag.end()
        if position == len(line):
            for name, value in found:
                self._add_tag(number, name, value)
        elif tag := _LOOSE_TAG.fullmatch(line):
            self.remarks.append(
                Remark(number, f"quotation marks inside the tag {tag[1]} aren’t escaped: {shown(tag[2])}")
            )
            self._add_tag(number, tag[1], tag[2].strip())
        elif (name := _NAME.match(line)) and "[" not in line[1:]:
            self.note_unclear(number, _NAMES.get(name[1].lower(), name[1]), line)
        else:
            self.refuse(f'line {number}: {shown(line)} isn’t a tag such as [White "…"]')

    def _add_tag(self, number: int, name: str, value: str) -> None:
        if (meant := _NAMES.get(name.lower(), name)) != name:
            self.remarks.append(Remark(number, f"the tag {name} is read as {meant}"))
            name = meant
        if UNREADABLE.search(value):
            value = readable(value)
            said = Remark(number, f"the tag {name} contains control characters: {shown(value)}")
            if name in _EXACT:
                self.unclear.setdefault(name, said)
            else:
                self.remarks.append(said)
        if name not in self.tags:
            self.tags[name] = value
        elif self.tags[name] == value:
            self.remarks.append(Remark(number, f"the tag {name} appears twice, with the same value"))
        elif name == "Event":
            # Kept only for its words: either value may call the game casual or rated.
            self.remarks.append(Remark(number, "the tag Event appears twice; both are read"))
            self.tags[name] += f" / {value}"
        else:
            self.unclear.setdefault(
                name, Remark(number, f"the tag {name} appears twice, with different values")
            )


def cut(stream: BinaryIO) -> Iterator[RawGame | Problem | Remark]:
    """Yield the games of the file, and a problem for text between them that doesn't belong to a game.

    A line that isn't UTF-8 is read as ISO 8859-1, the standard's encoding, unless the file begins with the
    UTF-8 mark. One remark reports that. Raises FileRefused for a file that clearly isn't PGN.
    """
    game: RawGame | None = None
    stray: Problem | None = None
    found = after_blank = is_utf8 = told = False
    before: tuple[int, str] = 0, ""
    outside: dict[str, tuple[int, str]] = {}
    for number, raw in enumerate(read_lines(stream, MAX_LINE * _BYTES_PER_CHARACTER), 1):
        if raw.startswith(codecs.BOM_UTF8):
            # A mark may also occur in the middle of a file made from several.
            raw, is_utf8 = raw.removeprefix(codecs.BOM_UTF8), is_utf8 or number == 1
        if (number == 1 or b"\0" in raw) and (kind := foreign_kind(raw)):
            raise FileRefused(f"line {number}: this is {kind}, not PGN")
        is_damaged = False
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            is_damaged = is_utf8
            text = raw.decode("utf-8", "surrogateescape") if is_utf8 else raw.decode("latin-1")
            if not (told or is_utf8):
                told = True
                yield Remark(
                    number, "not UTF-8; such lines are read as ISO 8859-1, the encoding of the PGN standard"
                )
        line = text.strip()
        if game is not None and game.in_comment and not (after_blank and _OF_SEVEN.fullmatch(line)):
            game.add(number, text)
        elif line.startswith("["):
            goes_on = game is not None and game.in_moves and not after_blank and game.goes_on(number, line)
            if game is None or (game.in_moves and not goes_on) or (after_blank and game.begins_again(line)):
                if game is not None:
                    yield game
                if stray is not None:
                    yield stray
                game, stray = RawGame(number), None
                if not after_blank and (name := damaged_tag(before[1]) or _told(before[1])):
                    outside.setdefault(name, before)
                for name, damaged in outside.items():
                    game.note_unclear(damaged[0], name, damaged[1])
                outside = {}
            game.add(number, text)
            found = found or bool(game.tags)
        elif game is not None and game.lost:
            pass
        elif game is not None and game.is_over and not line:
            yield game
            game = None
        elif (
            game is not None
            and game.in_moves
            and (game.is_over or after_blank)
            and (name := damaged_tag(line))
            and not text.startswith(_ESCAPE)
        ):
            yield game
            game = None
            outside.setdefault(name, (number, line))
        elif game is not None:
            game.add(number, text)
        elif line and not text.startswith(_ESCAPE):
            if name := damaged_tag(line):
                outside.setdefault(name, (number, line))
            else:
                stray = stray or _stray(number, line)
        if is_damaged and game is not None:
            game.damaged(number, text)
        after_blank = not line
        before = number, "" if text.startswith(_ESCAPE) else line
    if not found:
        raise FileRefused('no line such as [Event "…"]: the file is empty or is not PGN')
    if game is not None:
        yield game
    # Damaged tags with no game after them.
    yield from (_stray(*damaged) for damaged in outside.values())
    if stray is not None:
        yield stray


def _stray(number: int, line: str) -> Problem:
    return Problem(number, f"text outside a game, from here to the next tag: {shown(line)}")


def damaged_tag(line: str) -> str:
    """Return the name of the damaged tag on this line; ``?`` for an unknown tag, "" for none."""
    if len(line) > 2 * _LOOKED_AT:
        line = f"{line[:_LOOKED_AT]} {line[-_LOOKED_AT:]}"
    line = _COMMENT.sub("", line)
    if damaged := _DAMAGED.match(line):
        return _NAMES[damaged[1].lower()]
    return _ANY if _UNNAMED.match(line) else ""


def _told(line: str) -> str:
    told = _TOLD.match(line)
    return _NAMES[told[1].lower()] if told else ""


def _first_foreign(text: str) -> int:
    return next((place for place, letter in enumerate(text) if "\ud800" <= letter <= "\udfff"), 0)
