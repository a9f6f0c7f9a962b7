"""The log: to standard error, as text or as JSON, each record with the request it belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from logging import LogRecord
from typing import Any, Final

from pythonjsonlogger.core import RESERVED_ATTRS

request_id: Final[ContextVar[str]] = ContextVar("request_id", default="")
"""The id of the request under way, or of the one that asked for the job under way; else empty."""

REQUEST_ID: Final = "foa.request_id"
"""The same in ``request.META``."""


def add_request_id(record: LogRecord) -> bool:
    """A filter that lets everything through: the record names the request.

    Django notes a refusal once the answer has left all middleware, where no request is under way any more.
    """
    meta = getattr(getattr(record, "request", None), "META", {})
    record.request_id = request_id.get() or meta.get(REQUEST_ID) or "-"
    return True


def keep_refusals_short(record: LogRecord) -> bool:
    """A filter that lets everything through: a refusal is one line.

    Django adds a traceback to answers 400 and 403. It would only say which check did its work.
    """
    if getattr(record, "status_code", 500) < 500:
        record.exc_info = None
    return True


def logging_settings(*, as_json: bool) -> dict[str, Any]:
    """Django's LOGGING."""
    text: dict[str, Any] = {"format": "%(levelname)s %(name)s %(request_id)s: %(message)s"}
    json: dict[str, Any] = {
        "()": "pythonjsonlogger.json.JsonFormatter",
        "format": "%(levelname)s %(name)s %(message)s %(request_id)s",
        "rename_fields": {"levelname": "level", "name": "logger"},
        "timestamp": True,
        # Django's records have the request, whose address may be one that sets a password.
        "reserved_attrs": [*RESERVED_ATTRS, "request"],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "request_id": {"()": lambda: add_request_id},
            "refusals": {"()": lambda: keep_refusals_short},
        },
        "formatters": {"line": json if as_json else text},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["request_id", "refusals"],
            }
        },
        # Faults go to standard error, with their traceback: Django's own setting mails them to nobody.
        "root": {"handlers": ["console"], "level": "WARNING"},
    }
