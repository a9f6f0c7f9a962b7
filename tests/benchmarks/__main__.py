"""``make bench``: speed beside its limits, each pair of figures timed in turn in one run.

Every database is a new one: an SQLite file, and a PostgreSQL server of the run with the settings of
docs/postgresql.conf, which waits for its disk. Figures of different machines cannot be compared; the ratios
can.
``--only saving,rebuild`` measures these parts and whatever fills their database; ``--on SQLite`` leaves the
other database out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from tests import migrated
from tests.benchmarks import arena, frl, pgn, rules
from tests.benchmarks.rows import Row, at_least, at_most, received

GAMES = int(os.environ.get("BENCH_GAMES", "1000000"))
MEMBERS = GAMES // 100
SPREAD = timedelta(days=5 * 365)
SERVED_MEMBERS, SERVED_GAMES = 2_000, 20_000
ROOT = Path(__file__).resolve().parents[2]
COPYING = {"SQLite": "executemany()", "PostgreSQL": "COPY"}
CONFIGURATION = ROOT / "docs" / "postgresql.conf"

# Parts that share a database, in their order.
OF_ARENA = ("importing", "rebuild", "saving", "corrections")
OF_LISTS = ("pages", "lists")
PARTS = (
    "rules",
    "lab",
    *OF_ARENA,
    *OF_LISTS,
    "serving",
    "visitors",
    "api",
    "streams",
    "periods",
    "notices",
    "frl",
    "pgn",
)


def main() -> None:
    """Measure and print the table of docs/performance.md."""
    parser = ArgumentParser(prog="python -m tests.benchmarks", description="Speed beside its limits.")
    parser.add_argument("--only", help=f"one or more of {','.join(PARTS)}", default=",".join(PARTS))
    parser.add_argument("--on", help="one of the two databases", choices=COPYING)
    chosen = parser.parse_args()
    names = [chosen.on] if chosen.on else list(COPYING)
    parts = set(chosen.only.split(","))
    if unknown := parts - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    print("| job | figure | limit in the same run | ratio | target |\n|---|---|---|---|---|", flush=True)
    missed, begun = 0, time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="foa-bench-") as directory:
        for row in measured(parts, names, Path(directory)):
            print(row, flush=True)
            missed += row.missed
    minutes = (time.perf_counter() - begun) / 60
    print(f"\nRows that miss a target: {missed}. The run took {minutes:.0f} minutes.")


def measured(parts: Collection[str], names: Collection[str], files: Path) -> Iterator[Row]:
    """The rows of these parts on these databases."""
    if "rules" in parts:
        yield from rules.measure()
    if not parts.isdisjoint((*OF_ARENA, "lab")):
        arena.write_members(files / "members.csv", MEMBERS)
        arena.write_ratings(files / "ratings.csv", MEMBERS)
        apart = SPREAD / GAMES
        arena.write_games(files / "games.csv", GAMES, MEMBERS, apart=apart)
        arena.write_games(files / "quarter.csv", GAMES // 4, MEMBERS, apart=apart)
        for name in names if not parts.isdisjoint(OF_ARENA) else ("PostgreSQL",):
            with new_database(name, files, "bench") as url:
                yield from in_arena(name, url, files, parts)
    if not parts.isdisjoint(OF_LISTS):
        for name in names:
            with new_database(name, files, "pages") as url:
                for part in OF_LISTS if "lists" in parts else ("pages",):
                    yield from in_process(url, part, name)
    if not parts.isdisjoint(("serving", "visitors", "api", "streams")):
        arena.write_members(files / "few.csv", SERVED_MEMBERS)
        arena.write_ratings(files / "few-ratings.csv", SERVED_MEMBERS)
        arena.write_games(files / "served.csv", SERVED_GAMES, SERVED_MEMBERS)
        arena.write_games(files / "busy.csv", SERVED_GAMES, SERVED_MEMBERS, first=SERVED_GAMES, busy=1)
        for name in names:
            with new_database(name, files, "serving") as url:
                manage(url, "import_members", str(files / "few.csv"))
                manage(url, "import_ratings", str(files / "few-ratings.csv"))
                manage(url, "import_games", str(files / "served.csv"))
                manage(url, "import_games", str(files / "busy.csv"))
                for part in ("serving", "visitors"):
                    if part in parts:
                        yield from in_process(url, part, name)
                for part in ("streams", "api"):
                    if part in parts and name == "PostgreSQL":
                        yield from in_process(url, part, name)
                manage(url, "replay", "--check")
    for part in ("periods", "notices"):
        if part in parts:
            for name in names:
                with new_database(name, files, part) as url:
                    yield from in_process(url, part, name)
    if "pgn" in parts:
        yield from pgn.measure(files)
    if "frl" in parts:
        frl.write(files)
        for name in names:
            with new_database(name, files, "frl") as url:
                yield from frl.measure(name, url, files, manage)


@contextmanager
def new_database(name: str, files: Path, part: str) -> Iterator[str]:
    """An SQLite file, or a PostgreSQL server with the settings that operators are told to use.

    Migrations are run once; what they leave is copied.
    """
    if name == "SQLite":
        file = files / f"{part}.sqlite3"
        shutil.copy(migrated.sqlite(), file)
        yield f"sqlite:///{file}"
        return
    from tests.postgresql import Server  # started only when its turn comes

    def url_of(server: Server) -> str:
        # In production a connection serves many requests.
        return server.url.replace("CONN_MAX_AGE=0", "CONN_MAX_AGE=600")

    configuration, template = CONFIGURATION.read_text(), files / "postgresql"
    if not template.exists():
        server = Server(configuration)
        manage(url_of(server), "migrate", "--verbosity", "0")
        server.leave(template)
    server = Server(configuration, like=template)
    try:
        yield url_of(server)
    finally:
        server.stop()


def in_arena(name: str, url: str, files: Path, parts: Collection[str]) -> Iterator[Row]:
    """Import games, then measure the rest; once imported and at the end, ledger and inputs agree."""
    manage(url, "import_members", str(files / "members.csv"))
    manage(url, "import_ratings", str(files / "ratings.csv"))
    if "importing" in parts:
        yield from importing(name, url, files)
    else:
        manage(url, "import_games", str(files / "games.csv"))
    manage(url, "replay", "--check")
    if "lab" in parts and name == "PostgreSQL":
        yield from in_process(url, "lab", name)
    others = [part for part in OF_ARENA[1:] if part in parts]
    for part in others:
        yield from in_process(url, part, name)
    if others:
        manage(url, "replay", "--check")


def importing(name: str, url: str, files: Path) -> Iterator[Row]:
    """The import of a file, beside one of a quarter and beside its rows ready-made."""
    _, small = manage(url, "import_games", str(files / "quarter.csv"))
    list(output(url, "empty", name))
    seconds, memory = manage(url, "import_games", str(files / "games.csv"))
    (alone,) = map(float, output(url, "ready_made", name))
    yield Row(
        f"import {GAMES:,} games from CSV, {name}",
        f"{GAMES / seconds:,.0f} games/s, {memory} MB",
        f"{GAMES / alone:,.0f} games/s, their rows ready-made by {COPYING[name]}",
        (at_least(alone / seconds, 0.3), at_most(memory / small, 1.1, "× the memory for a quarter")),
    )


def in_process(url: str, part: str, name: str) -> Iterator[Row]:
    """Measure a part that needs Django set up for this database."""
    return map(received, output(url, part, name))


def output(url: str, part: str, name: str) -> Iterator[str]:
    """What a module prints in a process of its own, line by line."""
    with subprocess.Popen(
        [sys.executable, "-m", f"tests.benchmarks.{part}", name, str(GAMES)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "foa.settings"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield from process.stdout
    if process.returncode:
        raise SystemExit(f"{part} failed")


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


if __name__ == "__main__":
    main()
