"""Commands of the office for the tests: in this process, or by a manage.py over a database of its own."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from django.core.management import CommandError, call_command

from ratings.formats.games import COLUMNS
from tests.arena import at

MANAGE = Path(__file__).resolve().parent.parent / "manage.py"


class Done(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


def run(name, *arguments):
    """Run a command here. Anything that it raises but a CommandError is a fault of the command."""
    out, err = io.StringIO(newline=""), io.StringIO(newline="")
    code = 0
    try:
        call_command(name, *map(str, arguments), stdout=out, stderr=err)
    except CommandError as error:
        code = error.returncode
        err.write(str(error))
    return Done(code, out.getvalue(), err.getvalue())


def refusals(done):
    """The lines of standard error that refuse a row, without their common beginning."""
    return [line.removeprefix("refused, ") for line in done.err.splitlines() if line.startswith("refused, ")]


def environment(database):
    """The environment of a manage.py over this SQLite file."""
    return {**os.environ, "DATABASE_URL": f"sqlite:///{database}", "PYTHONIOENCODING": "utf-8"}


def manage(database, *arguments):
    """Run a command as the shell does, over this SQLite file."""
    done = subprocess.run(
        [sys.executable, MANAGE, *arguments],
        env=environment(database),
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def utc(minute):
    """So many minutes after the START of the arena, as a file writes it."""
    return at(minute).strftime("%Y-%m-%dT%H:%M:%SZ")


def game_row(number, white="anna", black="bob", *, minute=None, **changes):
    """A row of a file of games: a rated blitz game that White won."""
    minute = 10 * number if minute is None else minute
    return {
        "external_id": f"g{number}",
        "white": white,
        "black": black,
        "time_control": "180+2",
        "rated": "yes",
        "result": "1-0",
        "termination": "normal" if changes.get("result") == "1/2-1/2" else "resignation",
        "started_at": utc(minute - 5),
        "ended_at": utc(minute),
        **changes,
    }


def csv_file(path, rows, columns=COLUMNS):
    """A file of these rows, which are dictionaries; what a row does not have is empty."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_csv(path):
    """The rows of a file, as dictionaries."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
