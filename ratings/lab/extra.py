"""The packages that the lab needs beyond those of the office: the optional extra ``lab``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MISSING: Final[Promise] = _(
    "The rating lab needs packages that aren’t installed. Install them with: pip install"
    " “foa-rating-office[lab]” (requirements-lab.txt)."
)


class SchedulerFailed(Exception):
    """Variants that dask workers couldn't replay: the reason, and what to do."""


def is_installed(*more: str) -> bool:
    """Return whether the lab can calculate here, and has these packages, too."""
    return all(find_spec(name) is not None for name in ("numpy", "numba", *more))
