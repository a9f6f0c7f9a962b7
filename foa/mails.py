"""Mails from templates, in the recipient's language, and limits on those that users make the site send."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac

from foa.models import AskedMails


def mail(
    template: str,
    to: str,
    *,
    language: str,
    headers: Mapping[str, str] | None = None,
    connection: BaseEmailBackend | None = None,
    **context: Any,
) -> None:
    """Send ``template.txt`` with the subject ``template_subject.txt``; ``site`` in both is the URL."""
    with translation.override(language):
        context |= {"site": settings.SITE_URL, "arena_name": settings.ARENA_NAME}
        subject = render_to_string(f"{template}_subject.txt", context).strip()
        body = render_to_string(f"{template}.txt", context)
    EmailMessage(subject, body, to=[to], headers=dict(headers or {}), connection=connection).send()


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
