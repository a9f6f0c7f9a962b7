"""What is under test: a primary and its replica, two sites and two workers, each of which can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from socket import AF_INET, socket
from typing import Any, Final

import psycopg
import requests

from tests.postgresql import Server

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 90
"""Seconds in which whatever was started must be up, and whatever is under way must have ended."""

CONFIGURATION: Final = (ROOT / "docs" / "postgresql.conf").read_text() + (
    "shared_buffers = 256MB\n"  # of a machine that runs all of this at once
    "wal_keep_size = 1GB\n"  # for the replica while it is down
)

_CHECKS: Final = """
import json
from contextlib import suppress
from django.core.management import CommandError, call_command
complaint = ""
try:
    call_command("replay", "--check")
except CommandError as error:
    complaint = str(error)
print(json.dumps({"complaint": complaint}))
with suppress(CommandError):
    call_command("audit", "--json")
"""


def processes() -> Iterator[tuple[int, int, int]]:
    """Number, parent and group of every process."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                yield int(entry.name), int(fields[1]), int(fields[2])


class Database(Server):
    """A PostgreSQL that waits for its disk, and can crash."""

    def kill(self) -> None:
        """SIGKILL the postmaster and what it has started: nothing is written any more."""
        postmaster = int((Path(self.data) / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGSTOP)
        children = [number for number, parent, _group in processes() if parent == postmaster]
        for number in (*children, postmaster):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while any(_is_running(number) for number in (*children, postmaster)):
            assert time.monotonic() < deadline, "the database does not die"
            time.sleep(0.05)
        # Whoever reaps orphans may be slow, and pg_ctl would take the old one for running.
        for lock in (Path(self.data) / "postmaster.pid", self.directory / ".s.PGSQL.5432.lock"):
            lock.unlink(missing_ok=True)

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of an answer, over a connection of its own."""
        with psycopg.connect(host=str(self.directory), user="postgres", autocommit=True) as connection:
            return connection.execute(statement, values or None).fetchall()

    def copy(self) -> Database:
        """A replica that follows this one."""
        target = self.directory / "base"
        self._run(
            "pg_basebackup",
            *("-h", str(self.directory), "-U", "postgres", "-D", str(target), "-R", "-X", "stream"),
            *("-c", "fast"),
        )
        return Database("", like=target)


def _is_running(number: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return (Path("/proc") / str(number) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Process:
    """A site or a worker: a group of processes with a log of what they say on standard error."""

    def __init__(self, command: str, environment: dict[str, str], log: Path) -> None:
        self.command = command.split()
        self.environment = environment
        self.log = log
        self.running: subprocess.Popen[bytes] | None = None
        self.sizes: list[tuple[float, int]] = []
        """Of this life: moment and bytes in memory."""

    def start(self) -> None:
        """Start it in a group of its own."""
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=ROOT,
                env=self.environment,
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self.sizes = []

    def kill(self) -> None:
        """SIGKILL, with all children."""
        if self.running is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()

    def weigh(self) -> None:
        """Note how much memory the group has."""
        group = self.running.pid if self.running is not None else None
        pages = 0
        for number, _parent, its_group in processes():
            if its_group == group:
                with suppress(OSError):
                    pages += int((Path("/proc") / str(number) / "statm").read_text().split()[1])
        self.sizes.append((time.monotonic(), pages * os.sysconf("SC_PAGE_SIZE")))


class Site(Process):
    """gunicorn on a port of its own."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        with socket(AF_INET) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        serving = f"--bind 127.0.0.1:{port} --workers 2 --threads 8 --log-level critical"
        super().__init__(f"-m gunicorn foa.wsgi {serving}", environment, log)


class Office:
    """All of it. ``disturbed``: what was down from when to when."""

    def __init__(self, files: Path) -> None:
        self.files = files
        self.primary = Database(CONFIGURATION)
        try:
            self.replica = self.primary.copy()
        except BaseException:
            self.primary.stop()
            raise
        self.environment = {
            **os.environ,
            # Connections are kept, as in production: the soak asks what becomes of broken ones.
            "DATABASE_URL": self.primary.url.replace("CONN_MAX_AGE=0", "CONN_MAX_AGE=600"),
            "DATABASE_REPLICA_URL": self.replica.url.replace("CONN_MAX_AGE=0", "CONN_MAX_AGE=600"),
            "DJANGO_SETTINGS_MODULE": "foa.settings",
            "SECRET_KEY": "soak" * 16,
            "WEBHOOKS_PRIVATE": "true",
            "API_REQUESTS_OF_VISITOR": "1000000",
            "PRESENCE_GRACE": "5",
            "PROGRESS_DIR": str(files / "progress"),
            "UPLOAD_DIR": str(files / "uploads"),
        }
        self.sites = [Site(self.environment, files / f"site-{number}.log") for number in (1, 2)]
        self.workers = [
            Process("manage.py run_jobs", self.environment, files / f"worker-{number}.log")
            for number in (1, 2)
        ]
        self.parts: dict[str, Any] = {
            "primary": self.primary,
            "replica": self.replica,
            **{f"site {number}": one for number, one in enumerate(self.sites, 1)},
            **{f"worker {number}": one for number, one in enumerate(self.workers, 1)},
        }
        self.credentials: dict[str, tuple[str, str]] = {}
        """Client id and secret of each game server."""
        self.disturbed: list[tuple[str, float, float | None]] = []
        self._lock = threading.Lock()

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=check,
            capture_output=True,
            text=True,
        )

    def furnish(self, commands: Sequence[Sequence[str]], servers: Mapping[str, Sequence[str]]) -> None:
        """Run commands, and register game servers with their scopes, all in one process."""
        added = [
            ["add_server", name, *(part for scope in scopes for part in ("--scope", scope))]
            for name, scopes in servers.items()
        ]
        script = "".join(f"call_command(*{list(command)!r})\n" for command in (*commands, *added))
        out = self.manage("shell", "-c", f"from django.core.management import call_command\n{script}").stdout
        ids, secrets = (re.findall(rf"client {what}: (.*)", out) for what in ("id", "secret"))
        self.credentials = dict(zip(servers, zip(ids, secrets, strict=True), strict=True))

    def start(self) -> None:
        """Sites and workers, until they answer."""
        for process in (*self.sites, *self.workers):
            process.start()
        self.wait_until_up()

    def stop(self) -> None:
        """All of it, for good."""
        for process in (*self.sites, *self.workers):
            process.kill()
        for database in (self.replica, self.primary):
            database.stop()

    def kill(self, names: Sequence[str]) -> None:
        """SIGKILL these parts."""
        with self._lock:
            now = time.monotonic()
            self.disturbed += [(name, now, None) for name in names]
        for name in names:
            self.parts[name].kill()

    def revive(self, names: Sequence[str]) -> None:
        """Start these parts again, and wait until all is up."""
        for name in names:
            self.parts[name].start()
        self.wait_until_up()
        with self._lock:
            now = time.monotonic()
            self.disturbed = [(name, since, until or now) for name, since, until in self.disturbed]

    def wait_until_up(self) -> None:
        """Wait for an answer of each site that needs the database."""
        deadline = time.monotonic() + PATIENCE
        for site in self.sites:
            while True:
                with suppress(requests.RequestException):
                    if requests.get(f"{site.address}/api/v1/lists", timeout=10).status_code == 200:
                        break
                assert time.monotonic() < deadline, f"{site.address} does not come up"
                time.sleep(0.2)

    def was_disturbed(self, names: Sequence[str], since: float, until: float) -> bool:
        """Whether one of these parts was down at any time between two moments."""
        with self._lock:
            return any(
                name in names and down <= until and (up is None or since <= up)
                for name, down, up in self.disturbed
            )

    def has_caught_up(self) -> bool:
        """Whether the replica has all that the primary has now, within some patience."""
        ((reached,),) = self.primary.ask("SELECT pg_current_wal_lsn()::text")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ((there,),) = self.replica.ask("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", reached)
            if there:
                return True
            time.sleep(0.2)
        return False

    def checked(self) -> tuple[str, list[dict[str, Any]]]:
        """What ``replay --check`` complains about, and what the audit finds and nobody has accepted.

        Both in one process: starting takes as long as either.
        """
        out = self.manage("shell", "-c", _CHECKS).stdout
        complaint, *found = (json.loads(line) for line in out.splitlines() if line.startswith("{"))
        return complaint["complaint"], [one for one in found if one["accepted"] is None]
