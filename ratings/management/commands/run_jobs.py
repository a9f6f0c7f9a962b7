"""``run_jobs``: the worker."""

from typing import Any

from django.db import OperationalError
from django_tasks_db.management.commands import db_worker
from django_tasks_db.utils import is_locked_database_exception

from foa.command import OfficeCommand
from foa.monitoring.metrics import serve_counts
from ratings.office.jobs import settle
from ratings.office.upkeep import ask_for_upkeep, working_beside


class Command(OfficeCommand, db_worker.Command):
    """The worker of django-tasks-db, as the office runs it."""

    help = """Do the jobs that staff ask for in the admin, one after another, until it is told to stop.

Jobs wait for as long as no worker runs. Several workers share them. Told to stop (Ctrl-C, SIGTERM), it ends
the job it has begun; told twice, it stops at once, and of the step it was at nothing is stored. A job whose
worker was killed is taken up again where that is safe, and marked as failed where it isn't. About once an
hour it also does what has become due, such as first ratings for whoever became a full member. Beside its
jobs it sends what webhooks and members are told.
"""

    def configure_logging(self, verbosity: int) -> None:
        """As the settings say: faults, with their traceback, to standard error."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, also where SQLite's lock was held for longer than anybody waits: then begin again."""
        serve_counts()
        with working_beside(options["worker_id"]):
            while True:
                try:
                    settle()
                    ask_for_upkeep()
                    return super().handle(*args, **options)
                except OperationalError as error:
                    if not is_locked_database_exception(error):
                        raise
