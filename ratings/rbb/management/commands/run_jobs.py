"""``run_jobs``: run the worker."""

import logging
import time
from typing import Any, Final

from django.db import Error, OperationalError, close_old_connections
from django_tasks_db.management.commands import db_worker
from django_tasks_db.utils import is_locked_database_exception

from foa.command import OfficeCommand
from foa.db_errors import passes, told
from foa.monitoring.metrics import serve_counts
from ratings.office.jobs import settle
from ratings.office.upkeep import ask_for_upkeep, working_beside

_PAUSE: Final = 1.0
"""Seconds until an unreachable database is tried again."""

_logger: Final = logging.getLogger(__name__)


class Command(OfficeCommand, db_worker.Command):
    """The worker of django-tasks-db, adapted to the office."""

    help = """Run the jobs that staff start in the admin, one after another, until you stop it.

Jobs wait while no worker is running. Several workers share the jobs. When told to stop (Ctrl-C, SIGTERM), the
worker finishes its current job; when told twice, it stops at once and stores nothing of the current step. If
a worker is killed, its job is resumed where that is safe, and otherwise marked as failed. While the database
can't be reached, the worker waits and then continues (with --batch, it ends). About once an hour it also does
what has become due, such as first ratings for new full members. It also sends webhooks and messages to
members.
"""

    def configure_logging(self, verbosity: int) -> None:
        """Log as configured in the settings: faults, with their traceback, to standard error."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker, and start again after waiting too long for SQLite's lock.

        If the database is stopped or has crashed, wait for it: the worker is needed when it is back.
        """
        serve_counts()
        with working_beside(options["worker_id"]):
            while True:
                try:
                    settle()
                    ask_for_upkeep()
                    return super().handle(*args, **options)
                except Error as error:
                    locked = isinstance(error, OperationalError) and is_locked_database_exception(error)
                    if not passes(error) or (options["batch"] and not locked):
                        raise
                    if not locked:
                        _logger.warning("The database can’t be used; trying again. %s", told(error))
                        time.sleep(_PAUSE)
                        close_old_connections()
