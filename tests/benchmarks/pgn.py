"""Games from PGN, their moves checked, beside python-chess playing through the main lines."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from ratings.formats.pgn import games_read_ahead
from tests.benchmarks.rows import Row, at_least

GAMES = int(os.environ.get("BENCH_PGN", "20000"))
TARGET = 0.9
"""Times python-chess alone, on each processor."""

_DIFFERENT = 1_000


class _Passing(chess.pgn.BaseVisitor[bool]):
    """Plays the main line through and keeps nothing."""

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def result(self) -> bool:
        return True


def write(path: Path) -> None:
    """Games as a server writes them, of about 70 half-moves with clocks."""
    dice = random.Random(17)
    moves = [_moves(dice) for _ in range(min(GAMES, _DIFFERENT))]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(GAMES):
            tags: dict[str, Any] = {
                "Event": "rated rapid game",
                "Site": f"https://arena.example/{number:08}",
                "Date": "2026.03.01",
                "Round": "-",
                "White": f"white{number % 97}",
                "Black": f"black{number % 89}",
                "Result": "1-0",
                "UTCDate": "2026.03.01",
                "UTCTime": "10:00:00",
                "WhiteElo": 2000,
                "BlackElo": 2000,
                "Variant": "Standard",
                "TimeControl": "600+0",
                "ECO": "A00",
                "Opening": "Irregular",
                "Termination": "Normal",
            }
            stream.writelines(f'[{name} "{value}"]\n' for name, value in tags.items())
            stream.write(f"\n{moves[number % len(moves)]} 1-0\n\n\n")


def _moves(dice: random.Random) -> str:
    board, left, said = chess.Board(), [600, 600], []
    for ply in range(dice.randint(30, 110)):
        legal = list(board.legal_moves)
        if not legal:
            break
        move = dice.choice(legal)
        left[ply % 2] = max(left[ply % 2] - dice.randint(0, 8), 0)
        minutes, seconds = divmod(left[ply % 2], 60)
        number = f"{board.fullmove_number}{'...' if ply % 2 else '.'}"
        said.append(f"{number} {board.san(move)} {{ [%clk 0:{minutes:02}:{seconds:02}] }}")
        board.push(move)
    return " ".join(said)


def measure(files: Path) -> Iterator[Row]:
    """Read and check a file by all processors, beside one process of python-chess."""
    path = files / "games.pgn"
    write(path)
    begun = time.perf_counter()
    with path.open(encoding="utf-8") as text:
        while chess.pgn.read_game(text, Visitor=_Passing):
            pass
    alone = time.perf_counter() - begun
    begun = time.perf_counter()
    with path.open("rb") as stream, games_read_ahead(stream) as rows:
        read = sum(1 for _ in rows)
    seconds = time.perf_counter() - begun
    if read != GAMES:
        raise SystemExit(f"{read} of {GAMES} games were read")
    yield Row(
        f"read {GAMES:,} games from PGN and check their moves",
        f"{GAMES / seconds:,.0f} games/s",
        f"{GAMES / alone:,.0f} games/s, python-chess playing the main lines in one process",
        (at_least(alone / seconds / (os.cpu_count() or 1), TARGET),),
    )
