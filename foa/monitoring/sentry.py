"""Faults are reported to Sentry: where in the code, of which kind, and in which request. Nothing of whom."""

from __future__ import annotations

from typing import Any

import sentry_sdk
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.types import Event

from foa.monitoring.logs import request_id


def report_faults(dsn: str) -> None:
    """Report what is logged as an error from now on."""
    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration()],
        before_send=without_personal_data,
    )


def without_personal_data(event: Event, hint: dict[str, Any]) -> Event:
    """The event without what may name somebody, and with the id of the request.

    Addresses of pages may set a password, and texts of exceptions have values of rows. The log has them,
    under the same id.
    """
    request = event.get("request", {})
    event["request"] = {"method": request.get("method", "")}
    event["tags"] = {"request_id": request_id.get()}
    event.pop("extra", None)
    if entry := event.get("logentry"):
        event["logentry"] = {"message": entry.get("message", "")}
    for raised in event.get("exception", {}).get("values", ()):
        raised["value"] = ""
    return event
