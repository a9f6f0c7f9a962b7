"""Webhooks: subscribing, changing, renewing the secret, and sending a test message."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from secrets import token_bytes, token_urlsafe
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from foa.locking import lock_row
from foa.text import utc_text
from ratings.arena.models import Delivery, GameServer, Webhook
from ratings.arena.services.messages import message
from ratings.office.outbox import number_entries

OVERLAP: Final = timedelta(days=1)
"""Time for which a replaced secret signs alongside the new one."""

MOST_SECRETS: Final = 10
"""Maximum number of secrets that sign at once: each adds 48 bytes to a header of every message."""

TEST: Final = "webhook.test"


def checked(server: GameServer, *, url: str, events: Sequence[str]) -> Webhook:
    """Return a new, valid webhook. It looks up the host, so call it outside transactions.

    Raises ValidationError by field: for an address to which nothing may be sent, for unknown events, or
    because the server has enough webhooks.
    """
    webhook = Webhook(server=server, url=url, events=list(dict.fromkeys(events)))
    webhook.full_clean(exclude=["server"])
    return webhook


def begin(webhook: Webhook, *, at: datetime) -> Webhook:
    """Store a checked webhook with a secret. It is notified of what is committed from now on."""
    webhook.secret, webhook.created_at, webhook.position = new_secret(), at, number_entries()
    webhook.save()
    return webhook


def change_webhook(
    webhook: Webhook,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    is_active: bool | None = None,
) -> None:
    """Store the values that aren't None. When activated, it is notified of what is committed from now on.

    Raises ValidationError by field.
    """
    # Only these are written: the worker may just have moved the position on.
    fields = []
    if url is not None:
        webhook.url = url
        fields.append("url")
    if events is not None:
        webhook.events = list(dict.fromkeys(events))
        fields.append("events")
    if is_active is not None:
        if is_active and not webhook.is_active:
            webhook.position, webhook.stopped_because = number_entries(), ""
            fields += ["position", "stopped_because"]
        webhook.is_active = is_active
        fields.append("is_active")
    webhook.clean_fields(exclude={field.name for field in Webhook._meta.fields} - set(fields))
    webhook.save(update_fields=fields)


@transaction.atomic
def rotate(webhook: Webhook, *, at: datetime) -> Webhook:
    """Give a webhook a new secret and return the updated webhook.

    Every replaced secret continues to sign for OVERLAP after its own replacement, however often this is
    called. Raises ValidationError if MOST_SECRETS already sign.
    """
    locked = lock_row(Webhook.objects, webhook.pk)
    replaced = locked.replaced_secrets(at)
    if len(replaced) + 1 >= MOST_SECRETS:
        told = _("%(most)d secrets of this webhook sign already. Ask for a new one after %(moment)s.")
        raise ValidationError(told % {"most": MOST_SECRETS, "moment": utc_text(replaced[-1][1])})
    locked.earlier_secrets = [[secret, until.isoformat()] for secret, until in replaced]
    locked.previous_secret, locked.previous_until = locked.secret, at + OVERLAP
    locked.secret = new_secret()
    locked.save(update_fields=["secret", "previous_secret", "previous_until", "earlier_secrets"])
    return locked


def send_test(webhook: Webhook, *, at: datetime) -> Delivery:
    """Leave a message without facts to the worker; raises ValidationError if the webhook isn't active."""
    if not webhook.is_active:
        raise ValidationError(_("The webhook isn't active. Make it active first."))
    return Delivery.objects.create(
        webhook=webhook,
        message_id=new_message_id(),
        event=TEST,
        body=message(TEST, at, {}),
        next_attempt_at=at,
        created_at=at,
    )


def send_again(deliveries: QuerySet[Delivery], *, at: datetime) -> int:
    """Let the worker retry deliveries that were given up, from the first attempt on; return their number."""
    dead = Delivery.objects.dead().filter(pk__in=deliveries.order_by().values("pk"))
    return dead.update(state=Delivery.State.WAITING, attempts=0, next_attempt_at=at)


def new_message_id() -> str:
    """Return an id by which a receiver recognises a repeated message."""
    return f"msg_{token_urlsafe(20)}"


def new_secret() -> str:
    """Return a secret of 32 random bytes in the form of Standard Webhooks."""
    return f"whsec_{b64encode(token_bytes(32)).decode()}"
