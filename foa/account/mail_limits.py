"""Limits on mails that users make the site send, counted in the database for all processes together."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from foa.models import AskedMails

WITHIN: Final = timedelta(hours=1)
"""Time from the first request after which the count starts again."""


def is_allowed(what: str, whom: str, limit: int) -> bool:
    """Count one more request, and return whether it is within the limit for the hour."""
    now = timezone.now()
    key = f"{what}:{salted_hmac(__name__, whom).hexdigest()}"
    with transaction.atomic():
        AskedMails.objects.filter(key=key, since__lte=now - WITHIN).delete()
        asked, _is_first = AskedMails.objects.update_or_create(
            key=key, defaults={"number": F("number") + 1}, create_defaults={"since": now, "number": 1}
        )
        asked.refresh_from_db()
    return asked.number <= limit
