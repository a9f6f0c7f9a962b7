"""Addresses of the first version of the API."""

from typing import Any

urlpatterns: list[Any] = []
