"""The running version of the office."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import metadata

from django.conf import settings


@cache
def version() -> str:
    """Return the version, such as 0.10.0, of the checkout or of the installed package."""
    try:
        project = (settings.BASE_DIR / "pyproject.toml").read_text()
    except FileNotFoundError:
        return metadata.version("foa-rating-office")
    return str(tomllib.loads(project)["project"]["version"])
