"""The OpenAPI description of the API: what every operation has in common."""

from __future__ import annotations

from drf_spectacular.openapi import AutoSchema


class ArenaSchema(AutoSchema):
    """An operation of the API."""
