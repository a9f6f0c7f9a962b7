"""Mails to members about their cases, in the language in which they opened the case."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils.translation import gettext, override

from ratings.desk.models import Case


def address_of_opener(case: Case) -> str:
    """Return the mail address of whoever opened the case, or "" if none is known."""
    user = case.opener and case.opener.user
    return user.email if user and user.is_active else ""


def mail_answer(case: Case, text: str, link: str) -> None:
    """Mail a message of the office once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d: the office has answered") % {"number": case.pk}
    _mail(case, subject, text, link)


def mail_decision(case: Case, link: str) -> None:
    """Mail the decision once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d is decided") % {"number": case.pk}
    _mail(case, subject, case.decision, link)


def mail_correction(case: Case, link: str) -> None:
    """Mail the corrected decision once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d: the decision was corrected") % {"number": case.pk}
    _mail(case, subject, case.decision, link)


def _mail(case: Case, subject: str, text: str, link: str) -> None:
    # Without an address, Django sends nothing.
    to = address_of_opener(case)
    with override(case.language):
        read = gettext("Read and answer it here: %(link)s") % {"link": link}

    def send() -> None:
        send_mail(subject, f"{text}\n\n{read}\n", settings.DEFAULT_FROM_EMAIL, [to])

    # Robust: if no mail gets out, the answer stays stored and the failure is logged.
    transaction.on_commit(send, robust=True)
