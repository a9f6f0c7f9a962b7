"""Variants handed to dask workers, on this machine or others.

A worker needs this version of the program with the packages of the lab, and no database: it gets the games
once, and then one variant after the other.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import django
from distributed import CancelledError, Client, KilledWorker, Worker, WorkerPlugin
from django.utils.translation import gettext

from foa.version import version
from ratings.lab.extra import SchedulerFailed

if TYPE_CHECKING:
    from ratings.formats.variants import Variant

# Dask's own account of a lost connection; ours is enough.
logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

_SECONDS: Final = 10
"""Seconds in which a scheduler must answer, and must have a worker."""


class Office(WorkerPlugin):
    """The office's program on each worker, set up before anything that belongs to it arrives."""

    name = "foa"

    def __init__(self) -> None:
        self.version = version()

    def setup(self, worker: Worker) -> None:
        """Set up Django; raise RuntimeError in another version of the program."""
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
        django.setup()
        if version() != self.version:
            raise RuntimeError(f"it has version {version()}, and this is {self.version}")


def of_variant(report: Any, toml: str, name: str) -> dict[str, Any]:
    """Return the figures of a variant. Called on a worker; in texts, because the scheduler reads them."""
    from ratings.formats.variants import read_variant

    return report.of_variant(read_variant(toml, name), lambda: None)


@contextmanager
def at_scheduler(address: str, report: Any) -> Iterator[Callable[[Variant], Future[dict[str, Any]]]]:
    """Give a function that hands over a variant. Raises SchedulerFailed.

    What is under way when the block ends is cancelled.
    """
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SchedulerFailed(
            gettext("No dask scheduler answers at %(address)s.") % {"address": address}
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS)
        except TimeoutError as error:
            raise SchedulerFailed(
                gettext("The dask scheduler at %(address)s has no workers.") % {"address": address}
            ) from error
        try:
            client.register_plugin(Office())
        except Exception as error:  # whatever is wrong on another machine
            raise SchedulerFailed(
                gettext("A dask worker can’t run the lab: %(reason)s") % {"reason": error}
            ) from error
        try:
            # Through the scheduler, it takes several times as long.
            games = client.scatter(report, broadcast=True, hash=False, direct=True)
            with client.get_executor(pure=False) as pool:
                try:
                    yield lambda one: pool.submit(of_variant, games, one.toml, one.name)
                finally:
                    pool.shutdown(wait=False)
        except (CancelledError, KilledWorker, OSError) as error:
            raise SchedulerFailed(
                gettext(
                    "The dask scheduler at %(address)s or its workers stopped early, perhaps because they "
                    "ran out of memory. Nothing was saved. Check their logs, then try again."
                )
                % {"address": address}
            ) from error
