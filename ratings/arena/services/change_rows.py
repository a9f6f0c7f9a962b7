"""A row of the change feed, as the feed and webhooks tell it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final

from foa.addresses import address_of
from foa.text import utc_text
from ratings.models.keys import Kind, change_id, event_id
from ratings.office.bulk import as_moment
from ratings.rules.rbb.steps import Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths
from ratings.services.ledger.feed import Change, Told

_FIRST_GAME: Final = change_id(Kind.GAME, 0)


def row_text(change: Change) -> str:
    """A row as JSON, written by hand: of tens of thousands a second each would take three times as long."""
    line = change.line
    game = f'"{address_of("ratings:game", event_id(line))}"' if line >= _FIRST_GAME else "null"
    return (
        f'{{"cursor":"{change.cursor}","line":{line},"url":"{address_of("ratings:change", line)}"'
        f',"member":{{"id":{change.member_id},"username":{_string(change.member)}}}'
        f',"opponent":{_string(change.opponent)},"category":"{_SLUGS[change.category]}"'
        f',"occurred_at":"{utc_text(as_moment(change.occurred_at))}","game":{game}'
        f',"before":{_points(change.before)},"after":{_points(change.after)}'
        f',"change":{_points(change.change)},"reason":"{_REASONS[change.reason]}"'
        f',{_told(change.told)},"gone":{"true" if change.gone else "false"}}}'
    )


_SLUGS: Final = {category.value: category.slug for category in Category}
_REASONS: Final = {reason.value: reason.name.lower() for reason in Reason}
_string: Final = lru_cache(maxsize=65_536)(json.dumps)


@lru_cache(maxsize=65_536)
def _points(value: Hundredths | None) -> str:
    return "null" if value is None else f'"{from_hundredths(value)}"'


@lru_cache(maxsize=1024)
def _told(told: Told) -> str:
    """The members of a row that all rows of an entry have."""
    decision = None if told.change_set is None else address_of("office:change_set", told.change_set)
    at = None if told.at is None else utc_text(told.at)
    cause = json.dumps({"kind": told.cause.value, "decision": decision}, separators=(",", ":"))
    return f'"cause":{cause},"at":{json.dumps(at)}'
