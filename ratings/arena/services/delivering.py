"""Delivery from the outbox to the receivers, by the worker: each message at least once.

An entry becomes a delivery in the transaction that moves the webhook on, so there is exactly one for each
entry, even if the worker is killed. A delivery is lent to its sender for LEASE. If no outcome is noted by
then, it is sent again with the same id.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException
from random import uniform
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from time import monotonic
from typing import Final, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from standardwebhooks import Webhook as Signer
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError

from foa.monitoring.metrics import SENT
from ratings.arena.models import Attempt, Delivery, Webhook
from ratings.arena.services.webhooks import messages_of, new_message_id
from ratings.arena.targets import UnfitTargetError, target_of
from ratings.office.models import OutboxEntry
from ratings.office.outbox import number_entries
from ratings.office.upkeep import Lanes

WAITS: Final = tuple(
    timedelta(seconds=one) for one in (5, 30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 8 * 3600)
)
"""Waits after each failed attempt, extended by up to a tenth. After the last one the office gives up."""

LEASE: Final = timedelta(minutes=2)
"""Time for which a delivery is lent to its sender; longer than any attempt takes."""

_SECONDS: Final = 10.0
"""Maximum seconds to connect, and again to send the message and receive the answer."""

_TURN: Final = timedelta(seconds=5)
_READ: Final = 64 * 1024
_SHOWN: Final = 500
_ENTRIES: Final = 500
_FAILURES: Final = (HTTPError, HTTPException, OSError, ValueError)


class Outcome(NamedTuple):
    """The outcome of an attempt: the status and the beginning of the answer, or an error."""

    status: int | None
    error: str
    milliseconds: int
    answer: str = ""

    @property
    def is_success(self) -> bool:
        """True if the receiver accepted the message."""
        return self.status is not None and 200 <= self.status < 300


def note_deliveries(at: datetime) -> None:
    """Create the missing deliveries for each webhook, from the entries that it asked for."""
    last = number_entries()
    for key in Webhook.objects.behind(last).values_list("pk", flat=True):
        while _note_some(key, last, at):
            pass


def _note_some(key: int, last: int, at: datetime) -> bool:
    """Note the next deliveries for a webhook; return whether there may be more."""
    webhook = Webhook.objects.behind(last).select_related("server").filter(pk=key).first()
    if webhook is None:
        return False
    entries = list(OutboxEntry.objects.after(webhook.position).filter(position__lte=last)[:_ENTRIES])
    wanted = [entry for entry in entries if entry.event in webhook.events]
    reached = last if len(entries) < _ENTRIES else entries[-1].position or last
    # Built before the transaction, which holds SQLite's only lock.
    deliveries = [
        Delivery(
            webhook=webhook,
            entry=entry,
            message_id=new_message_id(),
            event=entry.event,
            body=body,
            next_attempt_at=at,
            created_at=at,
        )
        for entry, body in messages_of(wanted, webhook.server)
    ]
    with transaction.atomic():
        # Whoever moves the position notes the deliveries. Another worker waits here and finds it moved.
        unmoved = Webhook.objects.filter(pk=key, position=webhook.position)
        if unmoved.update(position=reached):
            Delivery.objects.bulk_create(deliveries)
    return reached < last


def deliver(webhook: int, now: Callable[[], datetime] = timezone.now) -> None:
    """Send what is due for a webhook, message by message, until one fails or the turn is over.

    After a failure the rest wait for the next turn, so a receiver that is down isn't contacted many times at
    once.
    """
    ends = now() + _TURN
    while now() < ends and (delivery := claim(webhook, now())) is not None:
        outcome = attempt(delivery, now())
        note(delivery, outcome, now())
        if not outcome.is_success:
            return


def claim(webhook: int, at: datetime) -> Delivery | None:
    """Lend the caller the webhook's longest due delivery for LEASE; return None if none is due."""
    if not Delivery.objects.due(at).filter(webhook=webhook).exists():
        return None
    with transaction.atomic():
        waiting = Delivery.objects.waiting(at).filter(webhook=webhook)
        delivery = waiting.select_for_update(skip_locked=True).first()
        if delivery is not None:
            delivery.next_attempt_at = at + LEASE
            delivery.save(update_fields=["next_attempt_at"])
    return delivery


def attempt(delivery: Delivery, at: datetime) -> Outcome:
    """Send a message, signed at this moment, outside any transaction. Redirects aren't followed."""
    began = monotonic()
    status, error, answer = None, "", b""
    try:
        target = target_of(delivery.webhook.url)
        headers = {
            "Host": target.named,
            "Content-Type": "application/json",
            "User-Agent": "rating-office",
            **_signed(delivery, at),
        }
        status, answer = _post(target.connect(_SECONDS), target.path, delivery.body.encode(), headers)
    except UnfitTargetError as unfit:
        error = str(unfit)
    except _FAILURES as failure:
        error = f"{type(failure).__name__}: {failure}"
    milliseconds = round((monotonic() - began) * 1000)
    # PostgreSQL can't store NUL.
    shown = answer.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return Outcome(status, error[:200], milliseconds, shown[:_SHOWN])


def _signed(delivery: Delivery, at: datetime) -> dict[str, str]:
    """Return the headers of Standard Webhooks."""
    signatures = [
        Signer(secret).sign(delivery.message_id, at, delivery.body) for secret in delivery.webhook.secrets(at)
    ]
    return {
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _post(connection: HTTPConnection, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """Return the status and what came of the answer in time; raises one of _FAILURES without a status."""
    try:
        connection.connect()
        # The socket's timeout applies to each byte; this also cuts off a receiver that sends one now and
        # then.
        over = Event()
        cut_off = Timer(_SECONDS, _shut, [connection.sock, over])
        cut_off.start()
        try:
            connection.request("POST", path, body, headers, preload_content=False, decode_content=False)
            response = connection.getresponse()
            if over.is_set():
                # Half a status line looks like a whole one.
                raise TimeoutError(
                    _("no complete response within %(seconds)s seconds") % {"seconds": f"{_SECONDS:g}"}
                )
            answer = b""
            with suppress(*_FAILURES):
                answer = response.read(_READ)
            return response.status, answer
        finally:
            cut_off.cancel()
    finally:
        connection.close()


def _shut(sock: socket, over: Event) -> None:
    over.set()
    with suppress(OSError):
        sock.shutdown(SHUT_RDWR)


@transaction.atomic
def note(delivery: Delivery, outcome: Outcome, at: datetime) -> None:
    """Record an attempt and its consequence: delivered, another attempt, or given up."""
    # It may have been deleted, or delivered by another worker if this took longer than the lease.
    current = Delivery.objects.select_for_update().filter(pk=delivery.pk).first()
    if current is None:
        return
    Attempt.objects.create(delivery=current, at=at, **outcome._asdict())
    current.attempts += 1
    if outcome.is_success:
        current.state, current.next_attempt_at, current.last_error = Delivery.State.DELIVERED, None, ""
    elif current.state == Delivery.State.WAITING:
        current.last_error = outcome.error or _("Status %(status)s") % {"status": outcome.status}
        if outcome.status == HTTPStatus.GONE or current.attempts > len(WAITS):
            current.state, current.next_attempt_at = Delivery.State.DEAD, None
        else:
            current.next_attempt_at = at + WAITS[current.attempts - 1] * uniform(1, 1.1)  # noqa: S311
        if outcome.status == HTTPStatus.GONE:
            why = _("The receiver answered 410 Gone.")
            Webhook.objects.filter(pk=current.webhook_id).update(is_active=False, stopped_because=why)
    current.save(update_fields=["attempts", "state", "next_attempt_at", "last_error"])
    became = "failed" if current.state == Delivery.State.WAITING else current.state
    transaction.on_commit(SENT.labels(became).inc)


def start_sending(lanes: Lanes, at: datetime) -> None:
    """Start sending whatever is due, without waiting for it."""
    for webhook in Delivery.objects.due(at).order_by().values_list("webhook", flat=True).distinct():
        lanes.start(webhook, deliver, webhook)
