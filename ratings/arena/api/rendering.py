"""Answers as JSON."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder


class _Exact(JSONEncoder):
    def default(self, obj: Any) -> Any:
        """An exact rating is a string with two decimals; as a number it would lose them."""
        return str(obj) if isinstance(obj, Decimal) else super().default(obj)


class ExactJSONRenderer(JSONRenderer):
    """JSON as the pages write it."""

    encoder_class = _Exact
