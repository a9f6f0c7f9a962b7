"""OPTIONS: the Allow header lists an address's methods; everything else is in the schema."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request


class SchemaOnly(BaseMetadata):
    """A pointer to the API's schema. DRF's own description would be a second one."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, str]:
        """Return the address of the schema."""
        return {"schema": reverse("arena:schema")}
