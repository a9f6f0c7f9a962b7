"""The version of the office that runs."""

from __future__ import annotations

import tomllib
from importlib import metadata

from django.conf import settings


def version() -> str:
    """Such as 0.10.0: of the checkout, or of the package that is installed."""
    try:
        project = (settings.BASE_DIR / "pyproject.toml").read_text()
    except FileNotFoundError:
        return metadata.version("foa-rating-office")
    return str(tomllib.loads(project)["project"]["version"])
