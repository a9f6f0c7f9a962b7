"""Gunicorn's configuration: ``gunicorn --config python:foa.serving foa.wsgi``.

The processes share their metrics through files in a directory. Counters of a process that has died stay, so
that no total falls; its live gauges are removed.
"""

from __future__ import annotations

import gc
import logging
import os
import shutil
import socket
import struct
import tempfile
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from gunicorn.glogging import Logger

from foa.environment import Environment
from foa.monitoring.logs import add_request_id, json_formatter

# Seven may be busy for long: with followers that wait (ratings.arena.api.changes), requests with many lines
# (ratings.arena.api.lines) and files (foa.files). Pages and probes have the rest.
threads = 32
# Addresses of calculators can be long.
limit_request_line = 8190
# Its socket would be in the home directory, which may be read-only. systemd and containers do what it offers.
control_socket_disable = True

_PATIENCE: Final = 60
"""Seconds after which a connection is closed whose reader takes nothing."""

_HALF_SENT: Final = 10
"""Seconds after which a connection is closed whose request isn't complete and goes on with nothing."""

_DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"


class logger_class(Logger):  # type: ignore[misc]  # noqa: N801  # gunicorn's name for the setting
    """Gunicorn's own lines, as JSON where LOG_JSON is set in the environment."""

    def setup(self, cfg: Any) -> None:
        """Add gunicorn's handlers, and give them our formatter."""
        super().setup(cfg)
        # Any other value is text here: the site refuses a wrong one.
        if os.environ.get("LOG_JSON", "").strip().lower() in Environment.BOOLEAN_TRUE_STRINGS:
            for handler in self.error_log.handlers:
                handler.setFormatter(json_formatter())
                handler.addFilter(add_request_id)


def on_starting(server: Any) -> None:
    """Create the metrics directory, owned by the user of the worker processes."""
    os.environ[_DIRECTORY] = tempfile.mkdtemp(prefix="foa-metrics-")
    os.chown(os.environ[_DIRECTORY], server.cfg.uid, server.cfg.gid)
    server.log.error_log.addFilter(_is_a_fault)


def _is_a_fault(record: logging.LogRecord) -> bool:
    """Refuse tracebacks of timeouts, and of a wrong setting: gunicorn prints its sentence."""
    return not record.exc_info or not isinstance(record.exc_info[1], BlockingIOError | ImproperlyConfigured)


def when_ready(server: Any) -> None:
    """Set both timeouts on the listening sockets; connections inherit them."""
    for listener in server.LISTENERS:
        for option, seconds in ((socket.SO_SNDTIMEO, _PATIENCE), (socket.SO_RCVTIMEO, _HALF_SENT)):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", seconds, 0))


def post_worker_init(_worker: Any) -> None:
    """Collect cyclic garbage rarely, and never among loaded modules."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


def child_exit(server: Any, worker: Any) -> None:
    """Remove the live gauges of a process that died, such as its requests in progress."""
    # Imported after the directory exists: the library chooses its storage on import.
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    """Remove the metrics directory."""
    shutil.rmtree(os.environ[_DIRECTORY], ignore_errors=True)
