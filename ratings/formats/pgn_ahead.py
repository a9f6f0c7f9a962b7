"""A PGN file read by several processes before its games are stored, with the same outcome as by one process.

This process cuts the file. Others play the games through, some hundred at a time. Their output is kept on
disk in the order of the file.
"""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import IO, BinaryIO, Final

from ratings.formats.games import GameRow
from ratings.formats.pgn import checked
from ratings.formats.pgn_cutting import RawGame, cut
from ratings.formats.problems import FileRefused, Problem, Remark
from ratings.rules.time_controls import Control

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
