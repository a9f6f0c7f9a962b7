"""How gunicorn serves the site: ``gunicorn --config python:foa.serving foa.wsgi``.

What its processes count is added up through files in a directory of their own. Those of a process that has
died stay, so that no counter falls; what was alive only with the process goes.
"""

from __future__ import annotations

import gc
import os
import shutil
import socket
import struct
import tempfile
from typing import Any, Final

# Seven may be held for long: by followers that wait (ratings.arena.api.changes), requests with many games
# (ratings.arena.api.bulk) and files (foa.files). Pages and probes have the rest.
threads = 32
# Addresses of calculators can be long.
limit_request_line = 8190

_PATIENCE: Final = 60
"""Seconds in which a reader takes nothing of a file, after which it is given up."""

_DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"


def on_starting(server: Any) -> None:
    """Make the directory, for the user under whom the processes will run."""
    os.environ[_DIRECTORY] = tempfile.mkdtemp(prefix="foa-metrics-")
    os.chown(os.environ[_DIRECTORY], server.cfg.uid, server.cfg.gid)


def when_ready(server: Any) -> None:
    """Give up readers who take nothing. Connections have the limits of the socket that they came through."""
    for listener in server.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _PATIENCE, 0))


def post_worker_init(_worker: Any) -> None:
    """Look for cyclic garbage seldom, and never among what is loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


def child_exit(server: Any, worker: Any) -> None:
    """Forget the requests that a process was answering when it died."""
    # Not before the directory is there: how processes count is decided when this is imported.
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    """Remove the directory."""
    shutil.rmtree(os.environ[_DIRECTORY], ignore_errors=True)
