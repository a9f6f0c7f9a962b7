"""JSON answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder


class _Exact(JSONEncoder):
    def default(self, obj: Any) -> Any:
        """Encode an exact rating as a string with two decimals, which a number would lose."""
        return str(obj) if isinstance(obj, Decimal) else super().default(obj)


class ExactJSONRenderer(JSONRenderer):
    """JSON in the same form as on the pages."""

    encoder_class = _Exact
