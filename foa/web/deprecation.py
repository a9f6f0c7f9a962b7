"""Answers that will go: since when that is announced, until when they stay, and what is instead."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import NamedTuple

from django.http import HttpResponseBase
from django.urls import NoReverseMatch, reverse
from django.utils.http import http_date

ANNOUNCED = "arena:api"
"""Page that says what changes in the API."""


class Deprecation(NamedTuple):
    """A deprecation: its first day, the first day without the answer, and the name of what is instead."""

    since: date
    gone_on: date
    instead: str

    def tell(self, response: HttpResponseBase) -> None:
        """Add the headers of RFC 9745 and RFC 8594. An office without what is instead keeps the answer."""
        try:
            links = {reverse(self.instead): "successor-version", reverse(ANNOUNCED): "deprecation"}
        except NoReverseMatch:
            return
        response["Deprecation"] = f"@{_seconds(self.since)}"
        response["Sunset"] = http_date(_seconds(self.gone_on))
        response["Link"] = ", ".join(f'<{address}>; rel="{what}"' for address, what in links.items())


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
