"""Files of games, and the reader for each file name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import BinaryIO, Final

from ratings.formats.games import GameRow, read_games_csv
from ratings.formats.pgn import games_read_ahead
from ratings.formats.problems import Problem, Remark
from ratings.rules.time_controls import Control

PGN: Final = ".pgn"
ENDINGS: Final = (".csv", ".xlsx", PGN)
"""Recognised endings of file names, in lower case."""


def ending_of(name: str) -> str:
    """Return the ending of a file's name, in lower case."""
    return PurePath(name).suffix.lower()


@contextmanager
def games_of(
    stream: BinaryIO,
    ending: str,
    *,
    rate_unmarked: bool = False,
    control: Control | None = None,
    on_remark: Callable[[Remark], None] = lambda remark: None,
) -> Iterator[Iterable[GameRow | Problem]]:
    """Return the games of a file whose name has this ending. A PGN file is read to its end first.

    ``rate_unmarked`` and ``control`` are for PGN files only, which may lack this information.
    """
    if ending != PGN:
        yield read_games_csv(stream)
        return
    with games_read_ahead(stream, rate_unmarked=rate_unmarked, control=control, on_remark=on_remark) as games:
        yield games
