"""The events of a category in their order, read from the inputs, and the ledger rows they make.

Event order (docs/architecture.md): moment, then opening before adjustment before game, then id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, Final

from django.db import connections
from django.db.models import (
    Func,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast

from members.models import Member
from ratings.models.games import Game, OpeningRating, OtbAdjustment, TimeControl
from ratings.models.ledger import Kind, RatingChange, change_id, rating_id
from ratings.office.bulk import Row, fetch_rows
from ratings.office.fields import hundredths
from ratings.rules.rbb.steps import STANDING, Line, adjust, open_rating, rate_game
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN

Event = tuple[Any, ...]
"""(moment as stored, kind, id of the input, …what the step needs)."""

WHITE_HALF_POINTS: Final = {"1-0": WIN, "1/2-1/2": DRAW, "0-1": LOSS}

_LINE_COLUMNS: Final = ("after", *Line._fields[1:])
_EVENT_COLUMNS: Final = ("game_id", "opening_id", "adjustment_id")
LEDGER_COLUMNS: Final = (
    "id", "member_id", "category", "occurred_at", *_EVENT_COLUMNS, "opponent_id", *_LINE_COLUMNS,
)  # fmt: skip
RATING_COLUMNS: Final = (
    "id", "member_id", "category", *Line._fields[:STANDING], "last_event_at", "last_change_id",
)  # fmt: skip
_READ_AT_ONCE = 10_000
_GAME = int(Kind.GAME)
_FIRST_GAME_ROW = change_id(Kind.GAME, 0)
_MOMENTS = {"occurred_at", "last_event_at"}


class _StoredMoment(Func):
    """A moment as the database stores it: on SQLite text, which its driver would else take for a datetime."""

    template = "%(expressions)s"
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="CAST(%(expressions)s AS text)", **context)


def stored_values(columns: Iterable[str]) -> list[Any]:
    """For values_list(): the columns as the database stores them, not as points and datetimes."""
    return [
        # A flag is a bool everywhere; wrapped as an integer it would not be written back on PostgreSQL.
        column
        if column == "previously_unrated"
        else _StoredMoment(column)
        if column in _MOMENTS
        else hundredths(column)
        for column in columns
    ]


def events(using: str, category: Category, since: datetime | None) -> Iterator[Event]:
    """The events of a category from this moment on (None: from the first), in order, streamed."""
    controls = list(TimeControl.objects.using(using).filter(category=category).values_list("pk", flat=True))
    openings = OpeningRating.objects.using(using).filter(category=category)
    adjustments = OtbAdjustment.objects.using(using).filter(category=category)
    games = Game.objects.using(using).counting().filter(time_control__in=controls)
    if since is not None:
        openings = openings.filter(effective_at__gte=since)
        adjustments = adjustments.filter(effective_at__gte=since)
        games = games.filter(ended_at__gte=since)

    on_postgresql = connections[using].vendor == "postgresql"

    def stream(kind: Kind, inputs: QuerySet[Any], moment: str, *columns: Any) -> Iterator[Event]:
        rows = (
            inputs.order_by(moment, "pk")
            .values_list(Cast(moment, TextField()), Value(int(kind)), "pk", *columns)
            .iterator(_READ_AT_ONCE)
        )
        # Text is what SQLite stores. On PostgreSQL it is read three times as quickly as by Django's loader.
        return ((datetime.fromisoformat(row[0]), *row[1:]) for row in rows) if on_postgresql else rows

    return merge(
        stream(
            Kind.OPENING, openings, "effective_at",
            *stored_values(("member_id", "rating", "games", "previously_unrated")),
        ),
        stream(Kind.ADJUSTMENT, adjustments, "effective_at", *stored_values(("member_id", "change"))),
        stream(Kind.GAME, games, "ended_at", "white_id", "black_id", "result"),
    )  # fmt: skip


def in_chunks(stream: Iterator[Event], size: int) -> Iterator[list[Event]]:
    """The stream in lists of about this size; events of one moment stay together."""
    ahead: list[Event] = []
    while chunk := ahead + list(islice(stream, size)):
        ahead = []
        for event in stream:
            if event[0] != chunk[-1][0]:
                ahead = [event]
                break
            chunk.append(event)
        yield chunk


def members_of(event: Event) -> tuple[int, ...]:
    """Whom an event concerns."""
    return event[3:5] if event[1] == Kind.GAME else event[3:4]


def ledger_rows(category: Category, some: Iterable[Event], standings: dict[int, Line]) -> list[Row]:
    """Step over events: their ledger rows, in the order of LEDGER_COLUMNS; ``standings`` moves on."""
    rows: list[Row] = []
    # Plain numbers: a member of an enumeration costs a database driver as much as the rest of the row.
    number = int(category)
    for event in some:
        if event[1] == _GAME:
            moment, _, event_id, white, black, result = event
            white_line, black_line = rate_game(
                category, standings[white], standings[black], WHITE_HALF_POINTS[result]
            )
            standings[white] = white_line
            standings[black] = black_line
            row_id = _FIRST_GAME_ROW + 2 * event_id
            # Tuples joined: twice as quick as unpacking the line into a new one.
            rows.append((row_id, white, number, moment, event_id, None, None, black) + white_line)  # noqa: RUF005
            rows.append((row_id + 1, black, number, moment, event_id, None, None, white) + black_line)  # noqa: RUF005
            continue
        if event[1] == Kind.OPENING:
            moment, _, event_id, member, rating, games, previously_unrated = event
            line = open_rating(standings[member], rating, games, previously_unrated)
            links = (None, event_id, None)
        else:
            moment, _, event_id, member, change = event
            line = adjust(category, standings[member], change)
            links = (None, None, event_id)
        standings[member] = line
        rows.append((change_id(event[1], event_id), member, number, moment, *links, None, *line))
    return rows


def rating_row(category: Category, last: Row) -> Row:
    """Where a member stands after his last ledger row, in the order of RATING_COLUMNS."""
    row_id, member, _, moment = last[:4]
    first = len(LEDGER_COLUMNS) - len(_LINE_COLUMNS)
    return (
        rating_id(member, category),
        member,
        int(category),
        *last[first : first + STANDING],
        moment,
        row_id,
    )


def line_of(row: Row) -> Line:
    """The line that stands in a ledger row."""
    return Line(*row[len(LEDGER_COLUMNS) - len(_LINE_COLUMNS) :])


def last_rows_before(using: str, category: Category, moment: datetime, members: list[int]) -> list[Row]:
    """The last ledger row of each of these members before a moment; none for a member without one."""
    earlier = (
        RatingChange.objects.using(using)
        .filter(member=OuterRef("pk"), category=category, occurred_at__lt=moment)
        .order_by("-occurred_at", "-id")
    )
    ids = (
        Member.objects.using(using)
        .filter(pk__in=members)
        .order_by()
        .values_list(Subquery(earlier.values("pk")[:1]), flat=True)
    )
    found = [pk for pk in ids if pk is not None]
    return fetch_rows(connections[using], RatingChange, LEDGER_COLUMNS, found) if found else []
