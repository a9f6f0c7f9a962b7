"""Sending digests by mail, from the worker. Each is sent once, unless nobody knows if it was sent.

A digest is leased to whoever sends it, for LEASE. If the outcome isn't noted by then, because the worker was
killed, it is sent again with the same notices and the same Message-ID, so that mail programs recognize it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from foa.account.language import language_of
from foa.mails import mail
from members.models import Member
from ratings.notices.models import Digest, Notice
from ratings.notices.services.choosing import unsubscribe_token
from ratings.notices.services.telling import items
from ratings.office.upkeep import Lanes

LEASE: Final = timedelta(minutes=5)
"""Time for which a digest is leased: longer than sending a mail takes (EMAIL_TIMEOUT)."""

WAITS: Final = tuple(timedelta(minutes=one) for one in (5, 30, 120, 480))
"""Waits between failed attempts. After the last one the office gives up."""

MOST: Final = 100
"""Maximum number of notices in a mail; the page has all of them."""

_TURN: Final = timedelta(seconds=20)

_REST: Final = 60.0
"""Seconds for which a failing mail server is left alone."""

Clock = Callable[[], datetime]


def send_due(now: Clock = timezone.now) -> None:
    """Send due digests over one connection, one by one, until the server fails or the turn is over."""
    ends = now() + _TURN
    with get_connection() as connection:
        while now() < ends and (digest := claim(now())) is not None:
            try:
                send(digest, connection)
            except SMTPRecipientsRefused:
                note_failure(digest, now())
                continue
            except (OSError, SMTPException):
                note_failure(digest, now())
                raise
            note_sent(digest)


def claim(at: datetime) -> Digest | None:
    """Lease the digest that is longest due to the caller, for LEASE. Return None if none is due.

    The first claim decides which notices it has.
    """
    if not Digest.objects.due(at).exists():
        return None
    with transaction.atomic():
        digest = Digest.objects.due(at).select_for_update(skip_locked=True).first()
        if digest is not None:
            if digest.state == Digest.State.WAITING:
                open_ones = Notice.objects.filter(member=digest.member_id, mail=True, digest=None)
                open_ones.update(digest=digest)
            digest.state, digest.next_attempt_at = Digest.State.CLAIMED, at + LEASE
            digest.save(update_fields=["state", "next_attempt_at"])
    return digest


def send(digest: Digest, connection: Any) -> None:
    """Mail a digest in the language of the member's login. Without a mail address, nothing is sent."""
    member = Member.objects.select_related("user").filter(pk=digest.member_id).first()
    told = list(Notice.objects.filter(digest=digest).order_by("-pk")[: MOST + 1])
    user = member and member.user
    if not (told and member and user and user.is_active and user.email):
        return
    path = reverse("notices:unsubscribe", args=[unsubscribe_token(member)])
    language = language_of(user)
    mail(
        "notices/mails/digest",
        user.email,
        language=language,
        connection=connection,
        headers={
            "Message-ID": f"<digest-{digest.pk}@{urlsplit(settings.SITE_URL).hostname}>",
            "List-Unsubscribe": f"<{settings.SITE_URL}{path}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
        member=member,
        items=items(told[:MOST], language),
        is_more=len(told) > MOST,
        unsubscribe=path,
    )


def note_sent(digest: Digest) -> None:
    """Mark a digest as sent, so that nobody sends it again."""
    Digest.objects.filter(pk=digest.pk).update(state=Digest.State.SENT)


def note_failure(digest: Digest, at: datetime) -> None:
    """Schedule the next attempt after the mail server failed, or give up after the last one."""
    if digest.attempts < len(WAITS):
        digest.next_attempt_at = at + WAITS[digest.attempts]
    else:
        digest.state = Digest.State.FAILED
    digest.attempts += 1
    digest.save(update_fields=["state", "next_attempt_at", "attempts"])


class Sender:
    """Sender with a thread of its own, so that a slow mail server delays nothing else."""

    def __init__(self) -> None:
        self._lanes = Lanes("digests", 1)
        self._rests_until = 0.0

    def start(self, at: datetime) -> None:
        """Start sending whatever is due, without waiting for it. After a failure, pause for a while."""
        if monotonic() >= self._rests_until and Digest.objects.due(at).exists():
            self._lanes.start("digests", self._send)

    def _send(self) -> None:
        self._rests_until = monotonic() + _REST
        send_due()
        self._rests_until = 0.0
