"""Servers of Debian's packages for tests: in temporary directories, for this machine alone."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

LACKING = "not installed: "
"""Beginning of the reason of a test that was skipped for want of a program; the Debian package follows."""


def program(*names: str, package: str = "") -> str:
    """Return the path of the first of these programs that is installed.

    ``package`` is Debian’s, if it has another name than the program. Where it isn’t installed, the test is
    skipped, and the summary names it (tests/conftest.py). With ``CI`` in the environment the test fails.
    """
    for name in names:
        if found := shutil.which(name) or shutil.which(name, path="/usr/sbin"):
            return found
    reason = f"{LACKING}{package or names[0]}"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def unprivileged() -> str | None:
    """The user under whom a server runs that refuses to run as root; None if this isn’t root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def answers(where: str | tuple[str, int]) -> bool:
    """Whether somebody listens at a path or port."""
    family = socket.AF_UNIX if isinstance(where, str) else socket.AF_INET
    with socket.socket(family) as asking:
        return asking.connect_ex(where) == 0


def wait_until(is_so: Callable[[], Any], process: subprocess.Popen[bytes] | None = None) -> Any:
    """What it gives once that is true. A process that has ended meanwhile is a failure."""
    until = time.monotonic() + 180
    while not (found := is_so()):
        assert process is None or process.poll() is None, "the process has ended"
        assert time.monotonic() < until, "it didn’t come in time"
        time.sleep(0.02)
    return found


@contextmanager
def running(
    command: list[str], where: str | tuple[str, int], directory: Path, **options: object
) -> Iterator[subprocess.Popen[bytes]]:
    """A server, from when it answers; its words are in the file ``log`` of the directory."""
    with (directory / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log, **options)
    try:
        wait_until(lambda: answers(where), process)
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(30)


@contextmanager
def temporary_directory(name: str) -> Iterator[Path]:
    """A directory whose path is short enough for a socket, open to every user."""
    directory = Path(tempfile.mkdtemp(prefix=f"foa-{name}-"))
    try:
        if user := unprivileged():
            shutil.chown(directory, user)
        directory.chmod(0o755)
        yield directory
    finally:
        shutil.rmtree(directory)


@contextmanager
def redis() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A Redis that stores nothing: its URL, and its process."""
    with temporary_directory("redis") as directory:
        path = str(directory / "socket")
        command = [program("redis-server"), "--port", "0", "--unixsocket", path, "--save", ""]
        with running(command, path, directory) as process:
            yield f"unix://{path}", process
