"""What the guard against guessed passwords (django-axes) keeps of an attempt to log in."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest

_LONGEST: Final = 255
"""Characters of axes’ column: PostgreSQL refuses more, and Django’s form lets any number pass."""


def attempted_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """The name that was tried, as far as it can be stored. Empty for a passkey, which nobody guesses."""
    name: str = (credentials or request.POST).get("username") or ""
    return name[:_LONGEST]
