"""Rows of the change feed, as sent by the feed and webhooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from foa.addresses import address_of, around_key
from foa.text import utc_text
from ratings.arena.services.ends import EndRow
from ratings.office.bulk import as_moment
from ratings.rbb.ledger.feed import Change, Told
from ratings.rbb.models.keys import EventType, change_id, event_id
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_FIRST_GAME: Final = change_id(EventType.GAME, 0)
_SLUGS: Final = {category.value: category.slug for category in Category}
_REASONS: Final = {reason.value: reason.name.lower() for reason in Reason}

_string: Final = lru_cache(maxsize=65_536)(json.dumps)


def row_texts(changes: Iterable[Change | EndRow]) -> Iterator[str]:
    """Yield each row as a JSON object. It is built by hand, for tens of thousands of rows a second."""
    page, page_ends = around_key("ratings:change")
    game, game_ends = around_key("ratings:game")
    told, of_entry = None, ""
    for one in changes:
        if isinstance(one, EndRow):
            yield one.text
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


def _of_entry(told: Told) -> str:
    """Return the members that all rows of an entry share."""
    change_set = told.change_set
    decision = "null" if change_set is None else f'"{address_of("office:change_set", change_set)}"'
    at = "null" if told.at is None else f'"{utc_text(told.at)}"'
    return f'"cause":{{"kind":"{told.cause.value}","decision":{decision}}},"at":{at}'
