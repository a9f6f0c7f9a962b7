"""Webhooks: subscribing, changing, renewing the secret, and sending a test message."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from secrets import token_bytes, token_urlsafe
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from foa.addresses import address_of, around_key
from foa.locking import lock_row
from foa.text import utc_text
from members.models import Member
from ratings.arena.models import Delivery, GameServer, Webhook
from ratings.arena.services.ends_by_office import EndRow, end_of, own_id
from ratings.office.bulk import as_moment
from ratings.office.models import ChangeSet, OutboxEntry
from ratings.office.outbox import number_entries, reached
from ratings.rbb.ledger.feed import Change, Cursor, FeedEntry, changes_after
from ratings.rbb.models import Game, RatingList
from ratings.rbb.models.fields import EventType, change_id, event_id
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

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
        told = _("%(most)d secrets of this webhook are already in use. Ask for a new one after %(moment)s.")
        raise ValidationError(told % {"most": MOST_SECRETS, "moment": utc_text(replaced[-1][1])})
    locked.earlier_secrets = [[secret, until.isoformat()] for secret, until in replaced]
    locked.previous_secret, locked.previous_until = locked.secret, at + OVERLAP
    locked.secret = new_secret()
    locked.save(update_fields=["secret", "previous_secret", "previous_until", "earlier_secrets"])
    return locked


def send_test(webhook: Webhook, *, at: datetime) -> Delivery:
    """Leave a message without facts to the worker; raises ValidationError if the webhook isn't active."""
    if not webhook.is_active:
        raise ValidationError(_("The webhook isn’t active. Activate it first."))
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


_Event = OutboxEntry.Event
LINES: Final = 100
"""Maximum number of changed lines in a message; importing a file can change a million."""

_ABOUT: Final[dict[str, type[Model]]] = {
    _Event.LIST_PUBLISHED: RatingList,
    _Event.LIST_REVISED: RatingList,
    _Event.GAME_VOIDED: Game,
    _Event.GAME_ENDED: Game,
    _Event.MEMBER_CHANGED: Member,
}


def messages_of(entries: Sequence[OutboxEntry], server: GameServer) -> Iterator[tuple[OutboxEntry, str]]:
    """Yield each entry with the text of its message: one JSON object with type, timestamp and data."""
    found = {
        model: model._base_manager.in_bulk([one.about for one in entries if _ABOUT.get(one.event) is model])
        for model in set(_ABOUT.values())
    }
    decisions = ChangeSet.objects.public().in_bulk(
        [one.change_set_id for one in entries if one.change_set_id]
    )
    epoch = reached().epoch
    for entry in entries:
        about = found[_ABOUT[entry.event]].get(entry.about) if entry.event in _ABOUT else None
        data = _data(entry, about, server, epoch)
        if decision := decisions.get(entry.change_set_id):
            data["decision"] = decision.get_absolute_url()
        yield entry, message(entry.event, entry.at, data)


def message(event: str, at: datetime, data: dict[str, Any]) -> str:
    """Return the text that is signed and sent."""
    told = {"type": event, "timestamp": utc_text(at), "data": data}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _data(entry: OutboxEntry, about: Model | None, server: GameServer, epoch: str) -> dict[str, Any]:
    """Return the facts of an entry, without those of objects deleted since."""
    data: dict[str, Any] = {"position": entry.position, "epoch": epoch}
    match about:
        case RatingList(month=month) if month is not None:
            data |= {
                "category": about.category.slug,
                "month": f"{month:%Y-%m}",
                "revision": about.revision,
                "url": about.get_absolute_url(),
            }
        case Game() if entry.event == _Event.GAME_ENDED:
            data |= end_of(about, server)
        case Game():
            data |= {
                "external_id": own_id(about, server),
                "url": about.get_absolute_url(),
                "reason": str(about.why_void),
            }
        case Member():
            data |= {"username": about.username, "url": about.get_absolute_url()}
        case None if entry.event in (_Event.PERIOD_CLOSED, _Event.TOURNAMENT_RATED):
            # Told by rooms of which this one knows nothing.
            data |= entry.data
        case None if entry.event == _Event.RATING_CHANGED:
            data |= _lines(entry.position or 1, epoch, server)
    return data


def _lines(position: int, epoch: str, server: GameServer) -> dict[str, Any]:
    """Return the first LINES rows of an entry as in the feed, and the address of the rest."""
    before = Cursor(position - 1, None, epoch)
    found = changes_after(before, until=position, at_once=LINES + 1)
    rows = [json.loads(text) for text in row_texts(islice(found, LINES + 1), server)]
    return {
        "changes": rows[:LINES],
        "more": len(rows) > LINES,
        "feed": f"/api/v1/changes?after={before}",
    }


_FIRST_GAME: Final = change_id(EventType.GAME, 0)
_SLUGS: Final = {category.value: category.slug for category in Category}
_REASONS: Final = {reason.value: reason.slug for reason in Reason}

_string: Final = lru_cache(maxsize=65_536)(json.dumps)


def row_texts(changes: Iterable[Change | EndRow], server: GameServer) -> Iterator[str]:
    """Yield each row as a JSON object for a server. It is built by hand, for tens of thousands a second."""
    page, page_ends = around_key("ratings:change")
    game, game_ends = around_key("ratings:game")
    told, of_entry = None, ""
    for one in changes:
        if isinstance(one, EndRow):
            yield one.text(server)
            continue
        line = one.line
        if one.told is not told:
            told, of_entry = one.told, _of_entry(one.told)
        played = f'"{game}{event_id(line)}{game_ends}"' if line >= _FIRST_GAME else "null"
        yield (
            f'{{"cursor":"{one.cursor}","line":{line},"url":"{page}{line}{page_ends}"'
            f',"member":{{"id":{one.member_id},"username":{_string(one.member)}}}'
            f',"opponent":{_string(one.opponent)},"category":"{_SLUGS[one.category]}"'
            f',"occurred_at":"{utc_text(as_moment(one.occurred_at))}","game":{played}'
            f',"before":{_points(one.before)},"after":{_points(one.after)}'
            f',"change":{_points(one.change)},"reason":"{_REASONS[one.reason]}"'
            f',{of_entry},"gone":{"true" if one.gone else "false"}}}'
        )


@lru_cache(maxsize=65_536)
def _points(value: Hundredths | None) -> str:
    return "null" if value is None else f'"{from_hundredths(value)}"'


def _of_entry(told: FeedEntry) -> str:
    """Return the members that all rows of an entry share."""
    change_set = told.change_set
    decision = "null" if change_set is None else f'"{address_of("office:change_set", change_set)}"'
    at = "null" if told.at is None else f'"{utc_text(told.at)}"'
    return f'"cause":{{"kind":"{told.cause.value}","decision":{decision}}},"at":{at}'
