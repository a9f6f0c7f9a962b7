"""Games in PGN for the tests, by invented people, and the reader put over them."""

import io
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from ratings.formats.games import GameRow
from ratings.formats.pgn import checked
from ratings.formats.pgn_cutting import cut
from ratings.formats.problems import Problem, Remark
from ratings.rules.time_controls import Control

__all__ = [
    "FIELDS",
    "MATE",
    "MOVES",
    "STALEMATE",
    "TAGS",
    "game_of",
    "games",
    "pgn",
    "read_games_pgn",
    "reason_of",
    "remarked",
]

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

MATE = "1. f3 e5 2. g4 Qh4#"
STALEMATE = (
    "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6"
    " 10. Qe6"
)


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


def game_of(data: str | bytes, **options: Any) -> GameRow:
    """The only game, which is taken."""
    (row,) = games(data, **options)
    assert isinstance(row, GameRow), row
    return row


def reason_of(data: str | bytes, **options: Any) -> str:
    """Why the only game is refused."""
    (row,) = games(data, **options)
    assert isinstance(row, Problem), row
    return row.reason


def remarked(data: str | bytes, **options: Any) -> tuple[list[GameRow | Problem], list[str]]:
    """The games, and what is said of those that are taken."""
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    remarks: list[str] = []
    rows = read_games_pgn(stream, on_remark=lambda remark: remarks.append(str(remark)), **options)
    return list(rows), remarks
