"""Row 6: importing a FIDE rating list of full size, beside reading it alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ratings.formats.frl import open_frl
from ratings.formats.frl.layouts import itself
from tests.benchmarks import fide_lists
from tests.benchmarks.rows import Row, at_most

PLAYERS = int(os.environ.get("BENCH_PLAYERS", str(fide_lists.FULL_SIZE)))
MEMORY = 150
"""MB at most."""

Manage = Callable[..., tuple[float, int]]

_ASKED = (
    "from ratings.fide.models import FideList; one = FideList.objects.latest('pk');"
    "print(one.added + one.changed + one.removed)"
)


def write(files: Path) -> None:
    """The list as TXT, and as a second file that says the same."""
    fide_lists.write_txt(files / "frl.txt", PLAYERS)
    shutil.copyfile(files / "frl.txt", files / "again.txt")
    with (files / "again.txt").open("ab") as stream:
        # A blank line makes another file of it.
        stream.write(b"\r\n")


def measure(name: str, url: str, files: Path, manage: Manage) -> Iterator[Row]:
    """Import a list into an empty office, then the same file, and another one that says the same."""
    path = files / "frl.txt"
    alone = reading_alone(path)
    for what, file, month, limit in (
        (f"FIDE list of {PLAYERS:,} players, TXT", path, "2026-10", 3 if name == "SQLite" else 2),
        ("the very same file once more", path, "2026-10", 1.5),
        ("the same list in another file a month later", files / "again.txt", "2026-11", 4),
    ):
        seconds, memory = manage(url, "import_frl", str(file), "--period", month)
        targets = [at_most(seconds / alone, limit), at_most(memory, MEMORY, "MB")]
        if file != path:
            targets.append(at_most(written(url), 0, "rows written"))
        yield Row(
            f"{what}, {name}",
            f"{seconds:.1f} s, {memory} MB",
            f"{alone:.1f} s to read it alone",
            tuple(targets),
        )


def reading_alone(path: Path) -> float:
    """Seconds to read a list and do nothing with it."""
    begun = time.perf_counter()
    with path.open("rb") as stream:
        for _ in open_frl(stream).players(itself):
            pass
    return time.perf_counter() - begun


def written(url: str) -> int:
    """How many players the last import added, changed or removed."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity=0", "-c", _ASKED],
        env={**os.environ, "DATABASE_URL": url},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return int(done.stdout)
