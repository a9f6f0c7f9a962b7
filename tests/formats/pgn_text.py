"""Games in PGN for the tests, by invented people, and the reader put over them."""

import io
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from ratings.formats.games import GameRow
from ratings.formats.pgn import checked
from ratings.formats.pgn_cutting import cut
from ratings.formats.problems import Problem, Remark
from ratings.rules.time_controls import Control

__all__ = ["FIELDS", "MOVES", "TAGS", "games", "pgn", "read_games_pgn", "remarked"]

TAGS = {
    "Event": "Rated blitz game",
    "Site": "https://arena.example/game/1",
    "White": "Berg, Anna",
    "Black": "Krog, Otto",
    "Result": "1-0",
    "UTCDate": "2026.03.01",
    "UTCTime": "10:00:00",
    "WhiteElo": "2800",
    "TimeControl": "180+2",
    "Termination": "Time forfeit",
}
FIELDS = {
    "external_id": "https://arena.example/game/1",
    "white": "Berg, Anna",
    "black": "Krog, Otto",
    "time_control": "180+2",
    "result": "1-0",
    "termination": "Time forfeit",
}
"""What of TAGS stands in a row of refused games."""

MOVES = "1. e4 e5 2. Nf3 Nc6 1-0"


def pgn(moves: str = MOVES, /, **changes: str | None) -> str:
    """A game; a change to None takes the tag away."""
    tags = "".join(f'[{name} "{value}"]\n' for name, value in (TAGS | changes).items() if value is not None)
    return f"{tags}\n{moves}\n\n"


def read_games_pgn(
    stream: BinaryIO,
    *,
    rate_unmarked: bool = False,
    control: Control | None = None,
    on_remark: Callable[[Remark], None] = lambda remark: None,
) -> Iterator[GameRow | Problem]:
    """Yield the games of a file by one process, one after the other."""
    for one in checked(cut(stream), rate_unmarked, control):
        if isinstance(one, Remark):
            on_remark(one)
        else:
            yield one


def games(data: str | bytes, **options: Any) -> list[GameRow | Problem]:
    return remarked(data, **options)[0]


def remarked(data: str | bytes, **options: Any) -> tuple[list[GameRow | Problem], list[str]]:
    """The games, and what is said of those that are taken."""
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    remarks: list[str] = []
    rows = read_games_pgn(stream, on_remark=lambda remark: remarks.append(str(remark)), **options)
    return list(rows), remarks
