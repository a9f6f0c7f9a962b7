"""Error reports to Sentry: the place in the code, the kind and the request id, without personal data."""

from __future__ import annotations

from typing import Any

import sentry_sdk
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.types import Event

from foa.monitoring.logs import request_id


def report_faults(dsn: str) -> None:
    """Start reporting everything that is logged as an error."""
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
    """Return the event with the request id and without anything that may identify a person.

    Addresses may have tokens that set a password, and texts of exceptions have values of rows. The log has
    them under the same id.
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
