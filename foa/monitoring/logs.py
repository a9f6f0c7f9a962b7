"""Logging to standard error, as text or JSON, with the request id in each record."""

from __future__ import annotations

from contextvars import ContextVar
from logging import LogRecord
from typing import Any, Final

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

request_id: Final[ContextVar[str]] = ContextVar("request_id", default="")
"""Id of the current request, or of the request that started the current job; else empty."""

REQUEST_ID: Final = "foa.request_id"
"""Key of the request id in ``request.META``."""


def add_request_id(record: LogRecord) -> bool:
    """Add the request id to a record. A logging filter that accepts every record.

    Django logs a refusal after the answer has left all middleware, so the id is then read from the request.
    """
    meta = getattr(getattr(record, "request", None), "META", {})
    record.request_id = request_id.get() or meta.get(REQUEST_ID) or "-"
    return True


def keep_refusals_short(record: LogRecord) -> bool:
    """Remove the traceback of a refusal. A logging filter that accepts every record.

    Django adds a traceback to answers 400 and 403. It would only show which check refused the request.
    """
    if getattr(record, "status_code", 500) < 500:
        record.exc_info = None
    return True


def json_formatter() -> JsonFormatter:
    """Return the formatter of the site, the worker and gunicorn (``foa.serving``) where LOG_JSON is set."""
    return JsonFormatter(
        "%(levelname)s %(name)s %(message)s %(request_id)s",
        rename_fields={"levelname": "level", "name": "logger"},
        timestamp=True,
        # Django's records have the request, whose address may have a token that sets a password.
        reserved_attrs=[*RESERVED_ATTRS, "request"],
    )


def logging_settings(*, as_json: bool) -> dict[str, Any]:
    """Return the value of Django's LOGGING."""
    text: dict[str, Any] = {"format": "%(levelname)s %(name)s %(request_id)s: %(message)s"}
    json: dict[str, Any] = {"()": json_formatter}
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
        # Errors go to standard error with their traceback; Django's default would mail them to an empty list.
        "root": {"handlers": ["console"], "level": "WARNING"},
    }
