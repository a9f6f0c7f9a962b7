"""A PGN file read by several processes: what one says, in the same order, and no process is left."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.formats import pgn as reader
from ratings.formats.pgn import games_read_ahead
from ratings.formats.problems import FileRefused
from tests.formats.pgn_text import pgn, read_games_pgn

PIECES = (
    pgn(),
    pgn("1. e4 e5 2. Ke3 1-0"),
    pgn("1. e4 { never closed 1-0"),
    pgn(Event="Winter cup", Site=None, Round="3"),
    '[Annotator "A "quoted" name"]\n' + pgn(),
    '[White "Berg, Anna"]\n' + pgn(),
    "text between games\n\n",
    pgn(White="Ångström").encode("latin-1").decode("latin-1"),
)


def said(stream: BinaryIO, processes: int | None) -> list[str]:
    """Whatever is said of a file, in the order in which it is said."""
    told: list[str] = []
    try:
        if processes is None:
            told.extend(map(repr, read_games_pgn(stream, on_remark=lambda one: told.append(repr(one)))))
        else:
            with games_read_ahead(
                stream, on_remark=lambda one: told.append(repr(one)), processes=processes
            ) as rows:
                told.extend(map(repr, rows))
    except FileRefused as refused:
        told.append(repr(refused))
    return told


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=12),
    damage=st.sampled_from([b"", b"\xff\n", b"\0\n", b"[Event"]),
    place=st.integers(0, 12),
    at_once=st.integers(1, 4),
)
def test_slices_of_any_size_say_what_the_whole_file_says(
    pieces: list[str], damage: bytes, place: int, at_once: int
) -> None:
    data = b"".join(
        [
            *(one.encode("latin-1") for one in pieces[:place]),
            damage,
            *(one.encode() for one in pieces[place:]),
        ]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "AT_ONCE", at_once)
        assert said(io.BytesIO(data), 1) == said(io.BytesIO(data), None)


@pytest.mark.process
@settings(max_examples=2, deadline=None)
@given(order=st.permutations(PIECES), ending=st.sampled_from([b"", b"\0"]))
@pytest.mark.parametrize("processes", [2, 3])
def test_any_number_of_processes_says_what_one_says(processes: int, order: list[str], ending: bytes) -> None:
    data = "".join(order).encode("latin-1") * 200 + ending
    assert len(order) * 200 > 4 * reader.AT_ONCE
    assert said(io.BytesIO(data), processes) == said(io.BytesIO(data), None)


ENDLESS = f"""
import signal

from ratings.formats.pgn import games_read_ahead

class Endless:
    chunks = 0

    def read(self, size):
        self.chunks += 1
        if self.chunks == 20:  # more than is cut ahead: the other processes have answered
            print("reading", flush=True)
        return {pgn()!r}.encode() * 250

if __name__ == "__main__":
    # Whoever runs the tests in the background of a shell hands down that it is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with games_read_ahead(Endless(), processes=2):
        pass
"""


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_when_the_reader_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "reader.py"
    program.write_text(ENDLESS)
    with subprocess.Popen(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        reader.send_signal(number)
        try:
            # Every process holds the other end of this pipe: it ends with the last of them.
            assert reader.communicate(timeout=120)[0] == b""
        finally:
            reader.kill()
