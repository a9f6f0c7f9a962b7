"""Deleting old findings of the radar. Importing this module registers it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from ratings.lab.models import Sweep
from ratings.office.upkeep import hourly

KEPT: Final = timedelta(days=365)
"""Time for which runs of the radar are kept. What is in a case stays there."""


@hourly
def forget_findings(at: datetime) -> int:
    """Delete old runs with their findings."""
    return Sweep.objects.filter(asked_at__lt=at - KEPT).delete()[0]
