"""A database as all migrations leave it, and one as those of 0.4.1 did: made once, kept, and copied by tests.

To run the migrations takes as long as hundreds of tests. What is kept goes by all that they depend on, so a
change of any of them makes it anew; ``make clean`` takes it away.

``python -m tests.migrated``: run those of 0.4.1 on the database of DATABASE_URL.
"""

from __future__ import annotations

import fcntl
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_KEPT = ROOT / ".pytest_cache" / "migrated"
VERSION_0_4_1 = "version_0_4_1"
"""The name of a database as the migrations of that version left it."""

_LEFT = ROOT / "tests" / f"{VERSION_0_4_1}.json.xz"
_IMPORT = re.compile(r"^\s*(?:from|import) ((?:foa|members|ratings)(?:\.\w+)*)", re.M)


def what_0_4_1_left() -> dict[str, Any]:
    """What version 0.4.1 had and said, as upgrade_fixture.py wrote it down."""
    found: dict[str, Any] = json.loads(lzma.decompress(_LEFT.read_bytes()))
    return found


def _sources() -> set[Path]:
    """The migrations, the modules that they import, the settings, the pinned packages, and what is here."""
    found = {ROOT / "requirements.txt", ROOT / "foa" / "settings.py", Path(__file__), _LEFT}
    for app in ("foa", "members", "ratings"):
        for migration in (ROOT / app).glob("**/migrations/*.py"):
            found.add(migration)
            for module in _IMPORT.findall(migration.read_text()):
                path = ROOT.joinpath(*module.split("."))
                found.update(
                    file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()
                )
    return found


def kept(name: str, make: Callable[[Path], None], more: str = "") -> Path:
    """What ``make(path)`` writes, under this name; ``more`` says what else it depends on.

    Whoever comes while another makes it waits. What was kept for other migrations or not finished is removed.
    """
    mark = blake2b(f"{sys.version}{more}".encode(), digest_size=16)
    for source in sorted(_sources()):
        mark.update(f"{source.relative_to(ROOT)}\0".encode() + source.read_bytes())
    path = _KEPT / f"{name}-{mark.hexdigest()}"
    _KEPT.mkdir(parents=True, exist_ok=True)
    with (_KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            for old in _KEPT.glob(f"{name}-*"):
                shutil.rmtree(old)
            making = Path(mkdtemp(prefix=f"{name}-", dir=_KEPT))
            make(making)
            making.rename(path)
    return path


def _run(url: str, *command: str | Path) -> None:
    """Run Python in another process. Raise CalledProcessError if it fails; what it says is shown."""
    subprocess.run([sys.executable, *command], env={**os.environ, "DATABASE_URL": url}, cwd=ROOT, check=True)


def migrate_to_0_4_1(url: str) -> None:
    """Run the migrations of version 0.4.1 on an empty database."""
    _run(url, "-m", "tests.migrated")


def migrate(url: str) -> None:
    """Run all migrations that the database doesn't have yet."""
    _run(url, "manage.py", "migrate", "--run-syncdb", "--verbosity=0")


def _sqlite_files(directory: Path) -> None:
    """Make both files, one on the way to the other."""
    url = f"sqlite:///{directory / 'migrated.sqlite3'}"
    migrate_to_0_4_1(url)
    shutil.copy(directory / "migrated.sqlite3", directory / f"{VERSION_0_4_1}.sqlite3")
    migrate(url)


def sqlite(name: str = "migrated") -> Path:
    """An SQLite file, to be copied; or the one named VERSION_0_4_1."""
    return kept("sqlite", _sqlite_files) / f"{name}.sqlite3"


def main() -> None:
    """Run the migrations of version 0.4.1."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
    django.setup()
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    MigrationExecutor(connection).migrate(list(what_0_4_1_left()["migrations"].items()))


if __name__ == "__main__":
    main()
