"""kill -9 in the middle of a publication: each list is there as a whole or not at all, and the job fails."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from django.utils import timezone
from django_tasks import task

from ratings import tasks
from ratings.office import jobs
from ratings.rules.time_controls import Category
from ratings.services.lists.publishing import publish
from tests.arena import game, opening, rated
from tests.commands import MANAGE, environment, manage


@task(takes_context=True)
def stop_half_way(context, marker):
    """Publish as the office does, and hang when the second list is written and not yet committed."""

    def hang(**options):
        result = publish(**options)
        if options["category"] is Category.BLITZ:
            Path(marker).touch()
            signal.pause()
        return result

    tasks.publish = hang
    tasks.publish_lists.func(context, month="2026-04", categories=[1, 2, 3], revise=False)


def ask(marker):
    """In a process of its own: an arena, and two jobs for its worker, of which the first will hang."""
    anna, bob = rated(1600), rated(1700)
    for category in (Category.RAPID, Category.BULLET):
        opening(anna, 1500, category)
    game(anna, bob)
    jobs.enqueue(stop_half_way, title="Stops half way", by=None, marker=marker)
    jobs.enqueue(
        tasks.publish_lists, title="Again", by=None, month="2026-04", categories=[1, 2, 3], revise=False
    )


def read(office, sql):
    with closing(sqlite3.connect(office)) as database:
        return database.execute(sql).fetchall()


LISTS = """
SELECT category, members, (SELECT COUNT(*) FROM ratings_ratinglistentry WHERE rating_list_id = list.id)
FROM ratings_ratinglist AS list ORDER BY category
"""
JOBS = "SELECT title, state, error <> '' FROM ratings_job ORDER BY id"
WORKER = ("run_jobs", "--batch", "--no-startup-delay")


def test_a_killed_publication_leaves_whole_lists_or_none_and_its_job_fails_at_the_next_start(
    office, tmp_path
):
    marker = tmp_path / "half-way"
    asked = manage(office, "shell", "-c", f"from {__name__} import ask; ask({str(marker)!r})")
    assert asked.code == 0, asked.err
    worker = subprocess.Popen([sys.executable, MANAGE, *WORKER], env=environment(office))
    try:
        while not marker.exists():
            assert worker.poll() is None
            time.sleep(0.05)
    finally:
        worker.kill()
    assert worker.wait() == -signal.SIGKILL
    assert read(office, LISTS) == [(1, 1, 1)]
    assert read(office, JOBS) == [("Stops half way", "running", 0), ("Again", "waiting", 0)]

    # Half a minute later the note of the killed worker is gone.
    shutil.rmtree(f"{office}-progress")
    with closing(sqlite3.connect(office)) as database, database:
        earlier = datetime.fromtimestamp(timezone.now().timestamp() - 40, UTC).strftime("%Y-%m-%d %H:%M:%S")
        database.execute(
            "UPDATE django_tasks_database_dbtaskresult SET started_at = ? WHERE status = 'RUNNING'", [earlier]
        )
    assert manage(office, *WORKER).code == 0
    assert read(office, JOBS) == [("Stops half way", "failed", 1), ("Again", "done", 0)]
    assert read(office, LISTS) == [(1, 1, 1), (2, 2, 2), (3, 1, 1)]
