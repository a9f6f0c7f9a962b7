"""A database as all migrations leave it: made once, kept, and copied by tests.

To run the migrations takes as long as hundreds of tests. What is kept goes by all that they depend on, so a
change of any of them makes it anew; ``make clean`` takes it away.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).resolve().parent.parent
_KEPT = ROOT / ".pytest_cache" / "migrated"
_FILE = "migrated.sqlite3"
_IMPORT = re.compile(r"^\s*(?:from|import) ((?:foa|members|ratings)(?:\.\w+)*)", re.M)


def _sources() -> set[Path]:
    """The migrations, the modules that they import, the settings, the pinned packages, and what is here."""
    found = {ROOT / "requirements.txt", ROOT / "foa" / "settings.py", Path(__file__)}
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
    mark = blake2b(f"{sys.version}{os.environ.get('ROOMS')}{more}".encode(), digest_size=16)
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


def migrate(url: str) -> None:
    """Run all migrations that the database doesn’t have yet."""
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--run-syncdb", "--verbosity=0"],
        env={**os.environ, "DATABASE_URL": url},
        cwd=ROOT,
        check=True,
    )


def sqlite() -> Path:
    """Return an SQLite file, to be copied."""
    return kept("sqlite", lambda path: migrate(f"sqlite:///{path / _FILE}")) / _FILE
