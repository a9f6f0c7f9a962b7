"""The webhook messages for outbox entries: public facts, and where to read more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db.models import Model

from foa.text import utc_text
from members.models import Member
from ratings.arena.models import GameServer
from ratings.arena.services.change_rows import row_texts
from ratings.arena.services.ends import end_of, own_id
from ratings.office.models import ChangeSet, OutboxEntry
from ratings.office.outbox import reached
from ratings.rbb.ledger.feed import Cursor, changes_after
from ratings.rbb.models import Game, RatingList

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
        case None if entry.event == _Event.RATING_CHANGED:
            data |= _lines(entry.position or 1, epoch)
    return data


def _lines(position: int, epoch: str) -> dict[str, Any]:
    """Return the first LINES rows of an entry as in the feed, and the address of the rest."""
    before = Cursor(position - 1, None, epoch)
    found = changes_after(before, until=position, at_once=LINES + 1)
    rows = [json.loads(text) for text in row_texts(islice(found, LINES + 1))]
    return {
        "changes": rows[:LINES],
        "more": len(rows) > LINES,
        "feed": f"/api/v1/changes?after={before}",
    }
