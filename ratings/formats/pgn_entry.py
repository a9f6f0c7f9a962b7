"""A PGN that somebody enters with a game: its moves are played through, and must agree with the rest."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Final

import chess

from ratings.formats.frl.writing import in_ascii
from ratings.formats.movetext import Played, play
from ratings.formats.pgn_cutting import RawGame, cut
from ratings.formats.problems import FileRefused, Remark, shown
from ratings.formats.results import result_of

_NOT_SAID: Final = ("", "?", "-")
_IN_PROGRESS: Final = ("", "*")


def disagreements(
    pgn: str, *, result: str, plies: int | None, white: Collection[str], black: Collection[str]
) -> list[str]:
    """What in this text is wrong or says something else than the game; none for an empty one.

    Moves alone will do, without tags and without the result at their end. ``result``: "" for a game in
    progress. ``white``, ``black``: by which names a player may be called.
    """
    if not pgn.strip():
        return []
    try:
        tags, played = _read(pgn)
    except (FileRefused, ValueError) as error:
        return [str(error)]
    found: list[str] = []
    for said in (played.result, tags.get("Result", "")):
        said = result_of(said) or said
        if said and (said if said not in _IN_PROGRESS else "") != result and not found:
            found.append(f"the PGN says {shown(said)}, but the result is {shown(result or '*')}")
    if (over := _over_the_board(played)) and over != result:
        found.append(f"the last position means {over}, but the result is {shown(result or '*')}")
    if played.plies and plies is not None and plies != played.plies:
        found.append(f"the PGN has {played.plies} half-moves, but {plies} plies are entered")
    for tag, names in (("White", white), ("Black", black)):
        said = tags.get(tag, "")
        if said not in _NOT_SAID and _folded(said) not in map(_folded, names):
            found.append(f"the PGN names {shown(said)} as {tag}")
    return found


def _folded(name: str) -> str:
    """Files write names without accents, or in capitals."""
    return in_ascii(name).casefold()


def _read(pgn: str) -> tuple[dict[str, str], Played]:
    if not pgn.lstrip().startswith("["):
        return {}, play(pgn)
    pieces = [one for one in cut(io.BytesIO(pgn.encode())) if not isinstance(one, Remark)]
    if len(pieces) > 1:
        raise ValueError(f"the text has {len(pieces)} games: enter one")
    (game,) = pieces
    if not isinstance(game, RawGame):
        raise ValueError(str(game.reason))
    if game.fault:
        raise ValueError(game.fault)
    return game.tags, play("\n".join(game.moves))


def _over_the_board(played: Played) -> str:
    """The result of a game that ended with checkmate or stalemate; "" while it may go on."""
    board = chess.Board()
    for move in played.moves:
        board.push_uci(move)
    if board.is_checkmate():
        return "0-1" if board.turn else "1-0"
    return "1/2-1/2" if board.is_stalemate() else ""
