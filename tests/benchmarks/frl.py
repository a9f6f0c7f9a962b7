"""Row 6: importing a FIDE rating list of full size, beside reading it alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

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
    """The list as TXT, in a ZIP and as XML, and as a second TXT that says the same."""
    with ProcessPoolExecutor() as processes:
        xml = processes.submit(fide_lists.write_xml, files / "frl.xml", PLAYERS)
        fide_lists.write_txt(files / "frl.txt", PLAYERS)
        xml.result()
    with ZipFile(files / "frl.zip", "w", ZIP_DEFLATED) as archive:
        archive.write(files / "frl.txt", "players_list_foa.txt")
    shutil.copyfile(files / "frl.txt", files / "again.txt")
    with (files / "again.txt").open("ab") as stream:
        # A blank line makes another file of it.
        stream.write(b"\r\n")


def measure(name: str, kind: str, url: str, files: Path, manage: Manage) -> Iterator[Row]:
    """Import a list into an empty office, and, of TXT, the same file and another one that says the same."""
    path = files / f"frl.{kind.lower()}"
    alone = reading_alone(path)
    seconds, memory = manage(url, "import_frl", str(path), "--period", "2026-10")
    target = 3 if name == "SQLite" else 1.5 if kind == "XML" else 2
    yield Row(
        f"FIDE list of {PLAYERS:,} players, {kind}, {name}",
        f"{seconds:.1f} s, {memory} MB",
        f"{alone:.1f} s to read it alone",
        (at_most(seconds / alone, target), at_most(memory, MEMORY, "MB")),
    )
    if kind == "TXT":
        seconds, memory = manage(url, "import_frl", str(path), "--period", "2026-10")
        yield Row(
            f"the very same file once more, {name}",
            f"{seconds:.1f} s, {memory} MB",
            f"{alone:.1f} s to read it alone",
            (at_most(seconds / alone, 1.5), at_most(memory, MEMORY, "MB")),
        )
        seconds, memory = manage(url, "import_frl", str(files / "again.txt"), "--period", "2026-11")
        yield Row(
            f"the same list in another file a month later, {name}",
            f"{seconds:.1f} s, {memory} MB",
            f"{alone:.1f} s to read it alone",
            (
                at_most(seconds / alone, 4),
                at_most(memory, MEMORY, "MB"),
                at_most(written(url), 0, "rows written"),
            ),
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
