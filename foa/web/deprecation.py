"""Answers that will go: since when that is announced, until when they stay, and what is instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from django.http import HttpResponseBase
from django.urls import NoReverseMatch, reverse
from django.utils.http import http_date

ANNOUNCED = "arena:api"
"""Page that says what changes in the API."""


JSON_GOES = (date(2026, 12, 1), date(2027, 6, 1))
"""Since when the JSON of pages that the API has is deprecated, and the first day without it."""


class Deprecation(NamedTuple):
    """A deprecation: its first day, the first day without the answer, and what is instead.

    ``instead``: the name of an address; ``place``: what it takes; ``also``: the same of others that have the
    rest.
    """

    since: date
    gone_on: date
    instead: str
    place: Mapping[str, Any] = MappingProxyType({})
    also: Sequence[tuple[str, Mapping[str, Any]]] = ()

    def tell(self, response: HttpResponseBase) -> None:
        """Add the headers of RFC 9745 and RFC 8594. An office without what is instead keeps the answer."""
        try:
            instead = [
                reverse(name, kwargs=dict(place)) for name, place in ((self.instead, self.place), *self.also)
            ]
            links = dict.fromkeys(instead, "successor-version") | {reverse(ANNOUNCED): "deprecation"}
        except NoReverseMatch:
            return
        response["Deprecation"] = f"@{_seconds(self.since)}"
        response["Sunset"] = http_date(_seconds(self.gone_on))
        response["Link"] = ", ".join(f'<{address}>; rel="{what}"' for address, what in links.items())


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
