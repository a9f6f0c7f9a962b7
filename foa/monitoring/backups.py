"""Time of the newest backup."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from django.conf import settings


def newest_backup() -> datetime | None:
    """Return when the newest complete backup under BACKUP_DIR was made, or None without one.

    A backup is a directory there. Its ``manifest.json``, which is written last, has the time (``made``).
    """
    manifests = Path(settings.BACKUP_DIR).glob("*/manifest.json")
    made = (json.loads(manifest.read_text())["made"] for manifest in manifests)
    return max(map(datetime.fromisoformat, made), default=None)
