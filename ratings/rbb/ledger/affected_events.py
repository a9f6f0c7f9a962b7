"""Events as they are in the ledger, and the queries for the events of members whose standing differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from ratings.office.bulk import Moment, Row
from ratings.rbb.ledger.events import LEDGER_COLUMNS, Event
from ratings.rules.rbb.rating import STANDING, LedgerLine, Reason

LINES: Final = 48
"""Number of a member's lines read together: a shift often persists, but may not."""

FIRST_STANDING: Final = LEDGER_COLUMNS.index("after")
STANDS: Final = slice(FIRST_STANDING, FIRST_STANDING + STANDING)
"""Columns of a ledger row that contain the standing."""
LINE_COLUMNS: Final = LEDGER_COLUMNS[FIRST_STANDING:]
OWN: Final = len(LEDGER_COLUMNS)
THEIRS: Final = OWN + len(LINE_COLUMNS)
"""Index in a row of :func:`lines_ahead` from which the opponent’s line and earlier standing follow."""

Place = tuple[Moment, int]
"""The place of an event in the order of events: its moment and the key of its first row."""


@dataclass(slots=True)
class Occasion:
    """An event according to the inputs, and the ledger's lines in its place."""

    event: Event | None = None
    lines: dict[int, Row] = field(default_factory=dict)
    """The lines by member."""
    before: dict[int, LedgerLine] = field(default_factory=dict)
    """Members' standings before it in the ledger, as far as they have been read."""
    step: Step | None = None
    """The last step over it."""


@dataclass(slots=True)
class Step:
    """The step over an event: its members' standings before, its lines, and the standings after."""

    before: dict[int, LedgerLine]
    rows: list[Row]
    after: dict[int, LedgerLine]


@dataclass(slots=True)
class Reading:
    """A member's lines that have been read: those after ``begins``, up to ``until``."""

    begins: Place
    until: Place
    in_ledger: LedgerLine
    """The member's standing in the ledger after these lines."""
    more: bool = True
    """True if the ledger has more lines after these."""


def _selected(table: str, columns: Iterable[str]) -> Iterator[str]:
    """Yield these columns of a table; moments as text, in the form read by ``office.bulk``."""
    for column in columns:
        name = f"{table}.{column}"
        yield f"CAST({name} AS text)" if column == "occurred_at" else name


@cache
def lines_ahead(vendor: str) -> str:
    """Return the SQL for some members' next lines with the opponents' lines, from the ledger alone.

    It includes the opponents' earlier standings, unless their lines show them
    (``rules.rbb.rating.stood_before``).
    """
    selected = [
        *_selected("own", LEDGER_COLUMNS),
        *_selected("opponents", LINE_COLUMNS),
        *_selected("before", LEDGER_COLUMNS[STANDS]),
    ]
    following = f"""
        FROM ratings_ratingchange line
        WHERE line.member_id = asked.member_id AND line.category = %s
        AND line.occurred_at >= asked.occurred_at
        AND (line.occurred_at > asked.occurred_at OR line.id > asked.id)
        ORDER BY line.occurred_at, line.id LIMIT {LINES}
        """
    if vendor == "postgresql":
        own = f"""
            unnest(%s, %s, %s) asked (member_id, occurred_at, id)
            CROSS JOIN LATERAL (SELECT line.* {following}) own
            """
    else:
        own = f"""
            (
                SELECT
                    json_extract(value, '$[0]') AS member_id,
                    json_extract(value, '$[1]') AS occurred_at,
                    json_extract(value, '$[2]') AS id
                FROM json_each(%s)
            ) asked
            JOIN ratings_ratingchange own ON own.id IN (SELECT line.id {following})
            """  # noqa: S608  names, not values
    return f"""
        SELECT {", ".join(selected)}
        FROM {own}
        LEFT JOIN ratings_ratingchange opponents ON opponents.id = own.id + 1 - 2 * (own.id %% 2)
        LEFT JOIN ratings_ratingchange before ON before.id = CASE
            WHEN opponents.reason = {Reason.RATED:d} AND opponents.peak > opponents.after THEN NULL
            ELSE (
                SELECT earlier.id FROM ratings_ratingchange earlier
                WHERE earlier.member_id = own.opponent_id AND earlier.category = own.category
                AND earlier.occurred_at <= own.occurred_at
                AND (earlier.occurred_at < own.occurred_at OR earlier.id < own.id - own.id %% 2)
                ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
            ) END
        ORDER BY own.member_id, own.occurred_at, own.id
        """  # noqa: S608  names, not values


LAST_BEFORE_EACH: Final = """
    WITH asked (number, member_id, occurred_at, id) AS (VALUES {values})
    SELECT asked.number, (
        SELECT line.id FROM ratings_ratingchange line
        WHERE line.member_id = asked.member_id AND line.category = %s
        AND line.occurred_at <= asked.occurred_at
        AND (line.occurred_at < asked.occurred_at OR line.id < asked.id)
        ORDER BY line.occurred_at DESC, line.id DESC LIMIT 1
    ) FROM asked
    """
