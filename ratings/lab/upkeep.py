"""Deleting old findings of the radar. Importing this module registers it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from ratings.lab.models import Finding, Sweep
from ratings.lab.subjects import FindingSubject
from ratings.office.subjects import keys_of_cases
from ratings.office.upkeep import hourly

KEPT: Final = timedelta(days=365)
"""Time for which runs of the radar are kept. Findings with a case stay: they tell whom it is about."""


@hourly
def forget_findings(at: datetime) -> int:
    """Delete old findings without a case, and old runs without findings."""
    old = Sweep.objects.filter(asked_at__lt=at - KEPT)
    findings = Finding.objects.filter(sweep__in=old).exclude(pk__in=keys_of_cases(FindingSubject.name))
    return findings.delete()[0] + old.filter(findings=None).delete()[0]
