"""Mails from templates, in the recipient's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils import translation


def mail(
    template: str,
    to: str,
    *,
    language: str,
    headers: Mapping[str, str] | None = None,
    connection: BaseEmailBackend | None = None,
    **context: Any,
) -> None:
    """Send ``template.txt`` with the subject ``template_subject.txt``; ``site`` in both is the site's URL."""
    with translation.override(language):
        context["site"] = settings.SITE_URL
        subject = render_to_string(f"{template}_subject.txt", context).strip()
        body = render_to_string(f"{template}.txt", context)
    EmailMessage(subject, body, to=[to], headers=dict(headers or {}), connection=connection).send()
