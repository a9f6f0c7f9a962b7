"""Workers that are killed, in processes of their own over an SQLite file."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

from django.utils import timezone

from tests.commands import MANAGE, environment

WORKER = ("run_jobs", "--batch", "--no-startup-delay")


def kill_half_way(office, marker, *arguments):
    """Run a command, and kill it once it has made the file by which it tells that it is half way."""
    worker = subprocess.Popen([sys.executable, MANAGE, *arguments], env=environment(office))
    try:
        while not marker.exists():
            assert worker.poll() is None
            time.sleep(0.05)
    finally:
        worker.kill()
    assert worker.wait() == -signal.SIGKILL
    marker.unlink()


def half_a_minute_later(office):
    """The note of the killed worker is gone."""
    shutil.rmtree(f"{office}-progress")
    with closing(sqlite3.connect(office)) as database, database:
        earlier = datetime.fromtimestamp(timezone.now().timestamp() - 40, UTC).strftime("%Y-%m-%d %H:%M:%S")
        database.execute(
            "UPDATE django_tasks_database_dbtaskresult SET started_at = ? WHERE status = 'RUNNING'", [earlier]
        )


def read(office, sql):
    """The rows that a statement finds in the file."""
    with closing(sqlite3.connect(office)) as database:
        return database.execute(sql).fetchall()
