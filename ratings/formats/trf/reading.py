"""Reading a report: bytes in, and either a tournament or all the reasons why it can't be rated."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from ratings.formats.lines import foreign_kind
from ratings.formats.problems import UNREADABLE, FileRefused, Findings, Problem, Remark, readable, shown
from ratings.formats.trf.checks import check
from ratings.formats.trf.records import TEAM_TAGS, Players, in_columns, read_team
from ratings.formats.trf.tournament import NO_PAIRING, Player, Record, Team, Tournament
from ratings.rules.federations import FEDERATIONS

MAX_BYTES: Final = 1 << 23
"""Maximum size of a file in bytes; 9,999 players over 11 rounds take about two million."""

MAX_LINES: Final = 30_000
"""Maximum number of lines. There are at most 9,999 players, each with at most one national line."""

_HEADERS: Final = frozenset({*(f"{number:02}2" for number in range(1, 23)), "352", "362"})
"""Records 012 to 222, and two for teams."""

_OTHERS: Final = frozenset(
    {
        *("240", "250", "260", "299", "300", "320", "330", "801", "802"),
        *("DAT", "XXA", "XXC", "XXP", "XXR", "XXS", "XXZ"),
    }
)
"""Records of TRF26 other than players and teams, and records added by pairing programs."""

_KNOWN: Final = _HEADERS.union(TEAM_TAGS, _OTHERS, FEDERATIONS)
_TAG: Final = re.compile("[0-9]{3}|[A-Z]{3}")
_COMMENT: Final = "###"
_SUB: Final = "\x1a"
"""Ctrl-Z, which marked the end of a DOS file."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a report.

    ``tournament``: None if there are problems, since no part of such a file may be used. ``problems``: why it
    is refused. ``remarks``: what was read differently from what is written. Both are in the order of the
    lines.
    """

    tournament: Tournament | None
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...]


def read_trf(stream: BinaryIO, *, skip_unknown_federations: bool = False) -> Reading:
    """Read the tournament from a report in TRF16 or TRF26, or in their 2006 predecessor.

    ``skip_unknown_federations``: leave out codes that aren't FIDE federations, instead of refusing the file;
    some programs put the beginning of a club's name there. Raises FileRefused if the file isn't a report at
    all.
    """
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileRefused(f"line 1: the file has more than {MAX_BYTES:,} bytes and isn’t a tournament report")
    if kind := foreign_kind(data):
        raise FileRefused(f"line 1: this is {kind}, not a tournament report (TRF)")
    if not data.strip():
        raise FileRefused("line 1: the file is empty; it must be a tournament report (TRF)")
    findings = Findings()
    players = Players(findings, skip_unknown_federations=skip_unknown_federations)
    tournament = _tournament(_lines(data, findings), players, findings)
    if not tournament.players and not findings.problems:
        raise FileRefused("line 1: no players (record 001); it must be a tournament report (TRF)")
    check(tournament, players.illegible, findings)
    return Reading(
        None if findings.problems else tournament,
        tuple(sorted(findings.problems, key=lambda problem: problem.line)),
        tuple(sorted(findings.remarks, key=lambda remark: remark.line)),
    )


def _lines(data: bytes, findings: Findings) -> list[str]:
    """Return the lines as text, without trailing blanks."""
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = "utf-8"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        encoding = "latin-1"
        last = len((data[: error.start] + b"?").splitlines())
        findings.remark(last, "not UTF-8; the file is read as Latin-1")
    lines: list[str] = []
    # bytes.splitlines splits at LF, CRLF and CR only; str.splitlines would also split at eight others.
    for number, raw in enumerate(data.splitlines(), 1):
        if number > MAX_LINES:
            raise FileRefused(f"line {number}: a tournament report has at most {MAX_LINES:,} lines")
        line = raw.decode(encoding).rstrip().rstrip(_SUB).rstrip()
        if UNREADABLE.search(line):
            findings.remark(number, f"a control or replacement character in {shown(line)}")
            line = readable(line)
        lines.append(line)
    return lines


def _tournament(lines: list[str], reader: Players, findings: Findings) -> Tournament:
    headers: list[Record] = []
    players: list[Player] = []
    teams: list[Team] = []
    rest: list[Record] = []
    for number, line in enumerate(lines, 1):
        tag = line[:3]
        if tag == "001" and not line[3:4].strip():
            if player := reader.read(number, line):
                players.append(player)
            continue
        if line.startswith(_COMMENT):
            rest.append(Record(number, "", line))
            continue
        is_record = not line[3:4].strip() and _TAG.fullmatch(tag) is not None
        if not is_record and line.lstrip(" \ufffd").startswith("001"):
            rest.append(Record(number, "", line))
            findings.refuse(number, f"the columns are shifted: {shown(line)}")
        elif looks_like_player(tag, line, known=is_record and tag in _KNOWN):
            rest.append(Record(number, tag if is_record else "", line[4:] if is_record else line))
            findings.refuse(
                number,
                f"{shown(line)} looks like a player, but isn’t a record 001; make it one, or remove the line",
            )
        elif not is_record:
            rest.append(Record(number, "", line))
            if line:
                findings.remark(number, f"{shown(line)} isn’t a record; kept, but ignored")
        elif tag in _HEADERS:
            headers.append(Record(number, tag, line[4:]))
        elif tag in TEAM_TAGS:
            try:
                teams.append(read_team(number, line))
            except ValueError as error:
                rest.append(Record(number, tag, line[4:]))
                findings.remark(number, f"team: {error}; kept, but ignored")
        else:
            rest.append(Record(number, tag, line[4:]))
            if tag not in _KNOWN:
                findings.remark(number, f"{shown(tag)} is an unknown record; kept, but ignored")
    # A round counts if the line of at least one player has an entry for it.
    rounds = max((_last_round(player) for player in players), default=0)
    players = _each_id_once(players, findings)
    return Tournament(
        tuple(headers),
        tuple(
            player._replace(rounds=(player.rounds + (NO_PAIRING,) * rounds)[:rounds]) for player in players
        ),
        tuple(teams),
        tuple(rest),
    )


def _last_round(player: Player) -> int:
    rounds = player.rounds
    return next((place for place in range(len(rounds), 0, -1) if rounds[place - 1] != NO_PAIRING), 0)


def _each_id_once(players: list[Player], findings: Findings) -> list[Player]:
    """Remove a duplicate FIDE ID from the lines of players who played no game.

    If several players with the same ID have played, it is unclear whose it is; that is checked later.
    """
    counts = Counter(player.fide_id for player in players)
    with_id: dict[int, list[Player]] = {}
    for player in players:
        if player.fide_id is not None and counts[player.fide_id] > 1:
            with_id.setdefault(player.fide_id, []).append(player)
    if not with_id:
        return players
    without: dict[int, Player] = {}
    for fide_id, some in with_id.items():
        played = [player for player in some if any(pairing.played for pairing in player.rounds)]
        if len(played) > 1:
            continue
        kept = (played or some)[0]
        for player in some:
            if player is not kept:
                without[player.line] = player._replace(fide_id=None, other_id=str(fide_id))
                findings.remark(
                    player.line,
                    f"FIDE ID {fide_id} is also on line {kept.line}; this player played no game, so the "
                    "ID is left out here",
                )
    return [without.get(player.line, player) for player in players]


_PAIRING: Final = re.compile(r"(?<!\w)(?:[0-9]{1,4} [wb]|0000 -) [10=+\-wdlhfuz](?![\w.,])", re.I)
"""A round in a player's line: ``  12 w 1`` or ``0000 - H``."""

_WORD: Final = re.compile(r"[^\W\d_]{2}")
_DIGIT: Final = re.compile("[0-9]")
_PLAYER_TAG: Final = "001 "

_SHORTEST: Final = 58
"""Minimum length of a line in columns with more about a player than a name and a rating."""

_LONGEST: Final = 3_000
"""Maximum number of characters examined; a player with 200 rounds has fewer."""


def looks_like_player(tag: str, line: str, *, known: bool) -> bool:
    """Return whether this unread line could be a player's, with its record mistyped or misplaced.

    ``known``: whether its record is a valid one. A player's columns count in any line. A number, a name and a
    round count only if the record is unknown, because other records contain rounds too.
    """
    if len(line) >= _SHORTEST and any(
        in_columns(row, with_results=tag in FEDERATIONS) for row in _rows(line, known=known)
    ):
        return True
    return not known and _names_a_round(line)


def _rows(line: str, *, known: bool) -> Iterator[str]:
    """Yield the line as it would be with the right record, and from each place where a record 001 begins."""
    yield line
    if not known:
        # The first character is missing, or there is one too many.
        yield f"0{line}"
        yield line[1:]
    at = line.find(_PLAYER_TAG, 1, _LONGEST)
    while at > 0:
        yield line[at : at + _LONGEST]
        at = line.find(_PLAYER_TAG, at + 1, _LONGEST)


def _names_a_round(line: str) -> bool:
    """Return whether a number, a word and a round follow each other."""
    if (pairing := _PAIRING.search(line)) is None or (digit := _DIGIT.search(line)) is None:
        return False
    return _WORD.search(line, digit.end(), pairing.start()) is not None
