"""A PGN entered together with a game: its moves are played through and must agree with the game."""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from ratings.formats.frl.writing import in_ascii
from ratings.formats.movetext import Played, play
from ratings.formats.pgn_cutting import RawGame, cut
from ratings.formats.problems import FileRefused, Remark, shown
from ratings.formats.results import AT_THE_END, NOT_SAID, result_of
from ratings.rules.rbb.terminations import LastPosition

_IN_PROGRESS: Final = ("", "*")

_RESULT_TAG: Final = re.compile(r'^(\[\s*Result\s+")[^"]*("\s*\])', re.MULTILINE)
_TAGS: Final = re.compile(r"(?:\s*\[[^\n]*\])*")
_COMMENT: Final = r"\{[^}]*\}|;[^\n]*"
_RESULT: Final = rf"(?<![^\s)}}])(?P<result>{AT_THE_END})(?![^\s{{;(])"
_PIECE: Final = re.compile(rf"{_COMMENT}|{_RESULT}|[^\s{{;()]+")


def disagreements(
    pgn: str, *, result: str, plies: int | None, white: Collection[str], black: Collection[str]
) -> list[str]:
    """Return what is wrong in this text or contradicts the game. An empty text has no faults.

    Moves alone are enough, without tags and without the result at the end. ``result``: "" for a game in
    progress. ``white``, ``black``: the accepted names of each player.
    """
    if not pgn.strip():
        return []
    return [
        *disagreements_of_moves(pgn, result=result, plies=plies),
        *disagreements_of_names(pgn, white=white, black=black),
    ]


def disagreements_of_moves(pgn: str, *, result: str, plies: int | None) -> list[str]:
    """Return what is wrong in this text, or contradicts a game's result or number of moves."""
    try:
        game, played = _read(pgn)
    except (FileRefused, ValueError) as error:
        return [str(error)]
    tags = game.tags if game else {}
    found: list[str] = []
    for said in (played.result, tags.get("Result", "")):
        said = result_of(said) or said
        if said and (said if said not in _IN_PROGRESS else "") != result and not found:
            found.append(f"the PGN says {shown(said)}, but the result is {shown(result or '*')}")
    # A finished game is checked against its last position whenever it is stored.
    if played.last.result and not result:
        found.append(f"the last position means {played.last.result}, but the result is {shown('*')}")
    if played.plies and plies is not None and plies != played.plies:
        found.append(
            f"the PGN has {played.plies} half-move{'s' * (played.plies != 1)}, but {plies} plies were entered"
        )
    return found


def disagreements_of_names(pgn: str, *, white: Collection[str], black: Collection[str]) -> list[str]:
    """Return where a text names other players; its moves aren't played through."""
    try:
        game = cut_one(pgn)
    except (FileRefused, ValueError):
        return []
    tags = game.tags if game else {}
    found: list[str] = []
    for tag, names in (("White", white), ("Black", black)):
        said = tags.get(tag, "")
        if said not in NOT_SAID and _folded(said) not in map(_folded, names):
            found.append(f"the PGN names {shown(said)} as {tag}")
    return found


def with_result(pgn: str, result: str) -> str:
    """Return a PGN whose Result tag and end of moves, where it has them, give this result.

    ``result``: "" for a game in progress.
    """
    said = result or "*"
    start = _TAGS.match(pgn).end()  # type: ignore[union-attr]
    tags, moves = _RESULT_TAG.sub(rf"\g<1>{said}\g<2>", pgn[:start]), pgn[start:]
    ends = [piece for piece in _PIECE.finditer(moves) if piece["result"]]
    if ends:
        moves = moves[: ends[-1].start()] + said + moves[ends[-1].end() :]
    return tags + moves


def _folded(name: str) -> str:
    """Return a name as it is compared: files write names without accents, or in capitals."""
    return in_ascii(name).casefold()


@lru_cache(maxsize=16)
def last_position(pgn: str) -> LastPosition | None:
    """Return what the last position decides; None if the moves can't be played as standard chess."""
    try:
        game, played = _read(pgn)
    except (FileRefused, ValueError):
        return None
    return None if game and not game.is_standard else played.last


# A game that was sent is read three times: for its end, its moves and its answer.
@lru_cache(maxsize=16)
def _read(pgn: str) -> tuple[RawGame | None, Played]:
    game = cut_one(pgn)
    return game, play("\n".join(game.moves) if game else pgn)


def cut_one(pgn: str) -> RawGame | None:
    """Return the game of a text with its tags; None for moves alone. Raises FileRefused and ValueError."""
    if not pgn.lstrip().startswith("["):
        return None
    pieces = [one for one in cut(io.BytesIO(pgn.encode())) if not isinstance(one, Remark)]
    if len(pieces) > 1:
        raise ValueError(f"the text has {len(pieces)} games: enter one")
    (game,) = pieces
    if not isinstance(game, RawGame):
        raise ValueError(str(game.reason))
    if game.fault:
        raise ValueError(game.fault)
    return game
