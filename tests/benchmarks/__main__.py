"""``make bench``: speed beside its limits, each pair of figures timed in turn in one run.

Every database is a new one: an SQLite file, and a PostgreSQL server started for the run. Figures of different
machines cannot be compared; the ratios can.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks import arena, frl, rules

GAMES = int(os.environ.get("BENCH_GAMES", "1000000"))
MEMBERS = 10_000
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Measure and print the table of docs/performance.md."""
    lines: list[tuple[str, ...]] = list(rules.measure())
    with tempfile.TemporaryDirectory(prefix="foa-bench-") as directory:
        files = Path(directory)
        arena.write_members(files / "members.csv", MEMBERS)
        arena.write_ratings(files / "ratings.csv", MEMBERS)
        arena.write_games(files / "games.csv", GAMES, MEMBERS)
        arena.write_games(files / "quarter.csv", GAMES // 4, MEMBERS)
        for name, opened in (("SQLite", sqlite(files, "bench")), ("PostgreSQL", postgresql())):
            with opened as url:
                lines += on_database(name, url, files)
        for name, opened in (("SQLite", sqlite(files, "pages")), ("PostgreSQL", postgresql())):
            with opened as url:
                manage(url, "migrate", "--verbosity", "0")
                lines += in_process(url, "pages", name)
                lines += in_process(url, "lists", name)
        for name, opened in (("SQLite", sqlite(files, "periods")), ("PostgreSQL", postgresql())):
            with opened as url:
                manage(url, "migrate", "--verbosity", "0")
                lines += in_process(url, "periods", name)
        frl.write(files)
        for name, kind, target, opened in (
            ("PostgreSQL", "TXT", 15, postgresql()),
            ("PostgreSQL", "XML", 25, postgresql()),
            ("SQLite", "TXT", 30, sqlite(files, "frl")),
        ):
            with opened as url:
                lines += frl.measure(name, kind, target, url, files, manage)
    print("| job | figure | limit in the same run | ratio | target |\n|---|---|---|---|---|")
    for line in lines:
        print(f"| {' | '.join(line)} |")


@contextmanager
def sqlite(files: Path, name: str) -> Iterator[str]:
    """A new SQLite file."""
    yield f"sqlite:///{files / name}.sqlite3"


@contextmanager
def postgresql() -> Iterator[str]:
    """A new PostgreSQL server."""
    from tests.postgresql import Server  # started only when its turn comes

    server = Server()
    try:
        yield server.url
    finally:
        server.stop()


def on_database(name: str, url: str, files: Path) -> Iterator[tuple[str, ...]]:
    """Import, rebuild and save on one database."""
    manage(url, "migrate", "--verbosity", "0")
    manage(url, "import_members", str(files / "members.csv"))
    manage(url, "import_ratings", str(files / "ratings.csv"))
    _, small = manage(url, "import_games", str(files / "quarter.csv"))
    empty(url)
    seconds, memory = manage(url, "import_games", str(files / "games.csv"))
    target = 7_000 if name == "PostgreSQL" else 5_000
    yield (
        f"import {GAMES:,} games from CSV, {name}",
        f"{GAMES / seconds:,.0f} games/s",
        "",
        f"peak memory {memory} MB, {memory / small:.2f} × that of a quarter of the file",
        f"≥ {target:,} games/s, ≤ 1.3 ×",
    )
    manage(url, "replay", "--check")
    yield from in_process(url, "rebuild", name)
    yield from in_process(url, "saving", name)


def in_process(url: str, what: str, name: str) -> list[tuple[str, ...]]:
    """Run a benchmark that needs Django set up for this database, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{what}", name, str(GAMES)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "foa.settings"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def manage(url: str, *arguments: str) -> tuple[float, int]:
    """Run manage.py; seconds, and peak memory in MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"manage.py {' '.join(arguments)} failed")
    return time.perf_counter() - begun, usage.ru_maxrss // 1024


def empty(url: str) -> None:
    """Take all games and their ratings off the books again."""
    in_process(url, "empty", "")


if __name__ == "__main__":
    main()
