"""The events of a category in order, read from the inputs, and the ledger rows that they produce.

Event order (docs/architecture.md): moment, then opening before adjustment before game, then a game's tie
rank, then id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery, Value

from members.models import Member
from ratings.office.bulk import Moment, Row, fetch_rows, stored_rows
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.fields import EventType, change_id, event_id, kind_of, rating_id
from ratings.rbb.models.games import Game, TimeControl
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.editions import Editions
from ratings.rules.rbb.rating import LedgerLine, adjust, open_rating, rate_game
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

Event = tuple[Any, ...]
"""A streamed event: moment as stored, kind, id of the input, and the values for the step."""


class GameEvent(NamedTuple):
    """The columns of a game event. Other kinds begin with the same columns, up to ``member_id``."""

    moment: Moment
    kind: int
    id: int
    member_id: int
    black_id: int
    result: str
    tie_rank: int


class LedgerRow(NamedTuple):
    """A row of the ledger as stored: its columns, with names for reading one.

    The fields from ``after`` on are those of :class:`ratings.rules.rbb.rating.LedgerLine`. Rows that are made
    or compared by the thousand stay plain tuples in this order.
    """

    id: int
    member_id: int
    category: int
    occurred_at: Moment
    game_id: int | None
    opening_id: int | None
    adjustment_id: int | None
    opponent_id: int | None
    after: Hundredths | None
    games: int
    previously_unrated: bool
    first_half_points: HalfPoints
    first_opponents: Hundredths
    peak: Hundredths | None
    before: Hundredths | None
    reason: int | None
    change: Hundredths | None
    half_points: HalfPoints | None
    opponent_rating: Hundredths | None
    difference: Points | None
    expected: Hundredths | None
    k: int | None

    @property
    def standing(self) -> LedgerLine:
        """The member's standing after this row, which is all that the next step needs."""
        return LedgerLine(
            self.after,
            self.games,
            self.previously_unrated,
            self.first_half_points,
            self.first_opponents,
            self.peak,
        )

    @property
    def rating(self) -> RatingRow:
        """The row of ratings if no further event follows."""
        return RatingRow(
            rating_id(self.member_id, Category(self.category)),
            self.member_id,
            self.category,
            self.after,
            self.games,
            self.previously_unrated,
            self.first_half_points,
            self.first_opponents,
            self.peak,
            self.occurred_at,
            self.id,
        )


class RatingRow(NamedTuple):
    """A row of ratings as stored."""

    id: int
    member_id: int
    category: int
    rating: Hundredths | None
    games: int
    previously_unrated: bool
    first_half_points: HalfPoints
    first_opponents: Hundredths
    peak: Hundredths | None
    last_event_at: Moment
    last_change_id: int

    @property
    def standing(self) -> LedgerLine:
        """The member's standing, which is all that the next step needs."""
        return LedgerLine(
            self.rating,
            self.games,
            self.previously_unrated,
            self.first_half_points,
            self.first_opponents,
            self.peak,
        )


LEDGER_COLUMNS: Final = LedgerRow._fields
WRITTEN_COLUMNS: Final = (*LEDGER_COLUMNS, "entry")
"""Columns written for a line: the result of the replay, and the key of its outbox entry."""
RATING_COLUMNS: Final = RatingRow._fields

WHITE_HALF_POINTS: Final = {"1-0": WIN, "1/2-1/2": DRAW, "0-1": LOSS}

_GAME = int(EventType.GAME)
_KIND: Final = GameEvent._fields.index("kind")
_ID: Final = GameEvent._fields.index("id")
_MEMBER: Final = GameEvent._fields.index("member_id")
_BLACK: Final = GameEvent._fields.index("black_id")
_TIE_RANK: Final = GameEvent._fields.index("tie_rank")

_COLUMNS: Final = {
    EventType.OPENING: ("member_id", "rating", "games", "previously_unrated", "outranked"),
    EventType.ADJUSTMENT: ("member_id", "change"),
    EventType.GAME: ("white_id", "black_id", "result", "tie_rank"),
}
"""Columns needed for the step over an event, as stored."""

moment_of = itemgetter(GameEvent._fields.index("moment"))
"""A function that returns an event's moment, as stored."""


def events(
    category: Category, since: datetime | None = None, *, keys: Collection[int] | None = None
) -> Iterator[Event]:
    """Yield the events of a category from this moment on (None: from the first), in order, streamed.

    ``keys``: only these events, by the keys of their first rows.
    """
    controls: list[int] = []
    if keys is None or any(kind_of(key) is EventType.GAME for key in keys):
        controls += TimeControl.objects.filter(category=category).values_list("pk", flat=True)
    openings = OpeningRating.objects.filter(category=category).with_outranked()
    adjustments = OtbAdjustment.objects.filter(category=category)
    games = Game.objects.counting().filter(time_control__in=controls)
    if since is not None:
        openings = openings.filter(effective_at__gte=since)
        adjustments = adjustments.filter(effective_at__gte=since)
        games = games.filter(ended_at__gte=since)

    def stream(kind: EventType, inputs: QuerySet[Any], *order: str) -> Iterable[Event]:
        if keys is not None:
            of_kind = [event_id(key) for key in keys if kind_of(key) is kind]
            if not of_kind:
                return ()
            inputs = inputs.filter(pk__in=of_kind)
        return stored_rows(
            inputs.order_by(*order),
            (order[0], Value(int(kind)), "id", *_COLUMNS[kind]),
            streamed=keys is None,
        )

    return merge(
        stream(EventType.OPENING, openings, "effective_at", "pk"),
        stream(EventType.ADJUSTMENT, adjustments, "effective_at", "pk"),
        stream(EventType.GAME, games, "ended_at", "tie_rank", "pk"),
        # Rows of one kind are already in order.
        key=itemgetter(slice(0, 2)),
    )


def event_of(one: Game | OpeningRating | OtbAdjustment, moment: Moment) -> Event:
    """Return the event of an input that was just stored; ``moment``: its time, as stored."""
    columns = [column for column in _COLUMNS[one.KIND] if column != "outranked"]
    fields: list[Any] = [one._meta.get_field(column) for column in columns]
    return (
        moment,
        int(one.KIND),
        one.pk,
        *(field.get_prep_value(getattr(one, field.attname)) for field in fields),
    )


def in_chunks(stream: Iterator[Event], size: int) -> Iterator[list[Event]]:
    """Yield the stream in lists of about this size, without splitting events of one moment."""
    ahead: list[Event] = []
    while chunk := ahead + list(islice(stream, size)):
        ahead = []
        for event in stream:
            if moment_of(event) != moment_of(chunk[-1]):
                ahead = [event]
                break
            chunk.append(event)
        yield chunk


def key_of(event: Event) -> int:
    """Return the key of the first row of an event."""
    tie_rank = event[_TIE_RANK] if event[_KIND] == _GAME else 0
    return change_id(event[_KIND], event[_ID], tie_rank=tie_rank)


def members_of(event: Event) -> tuple[int, ...]:
    return (event[_MEMBER], event[_BLACK]) if event[_KIND] == _GAME else (event[_MEMBER],)


def ledger_rows(
    category: Category, some: Iterable[Event], standings: dict[int, LedgerLine], editions: Editions
) -> list[Row]:
    """Step over events and update ``standings``; return their ledger rows in LEDGER_COLUMNS order.

    ``editions``: by moment as stored.
    """
    rows: list[Row] = []
    always = None if editions.since else editions.all[0]
    # Plain numbers: a database driver spends as much time on an enumeration member as on the rest of the row.
    number = int(category)
    for event in some:
        if event[_KIND] == _GAME:
            moment, _, event_id, white, black, result, tie_rank = event
            white_line, black_line = rate_game(
                category,
                standings[white],
                standings[black],
                WHITE_HALF_POINTS[result],
                always or editions.at(moment),
            )
            standings[white] = white_line
            standings[black] = black_line
            row_id = change_id(EventType.GAME, event_id, tie_rank=tie_rank)
            # Joining tuples is twice as fast as unpacking the line into a new one.
            rows.append((row_id, white, number, moment, event_id, None, None, black) + white_line)  # noqa: RUF005
            rows.append((row_id + 1, black, number, moment, event_id, None, None, white) + black_line)  # noqa: RUF005
            continue
        kind = EventType(event[_KIND])
        if kind is EventType.OPENING:
            # An event that was just stored is alone at its moment; otherwise a replay takes it.
            moment, _, event_id, member, *opening = event
            line = open_rating(standings[member], *opening)
            links = (None, event_id, None)
        else:
            moment, _, event_id, member, change = event
            line = adjust(category, standings[member], change)
            links = (None, None, event_id)
        standings[member] = line
        rows.append((change_id(kind, event_id), member, number, moment, *links, None, *line))
    return rows


def last_rows_before(category: Category, moment: datetime | None, members: Sequence[int]) -> list[LedgerRow]:
    """Return the last ledger row of each member before a moment (None: of all rows), if any."""
    earlier = RatingChange.objects.filter(member=OuterRef("pk"), category=category).order_by(
        "-occurred_at", "-id"
    )
    if moment is not None:
        earlier = earlier.filter(occurred_at__lt=moment)
    ids = (
        Member.objects.filter(pk__in=members)
        .order_by()
        .values_list(Subquery(earlier.values("pk")[:1]), flat=True)
    )
    found = [pk for pk in ids if pk is not None]
    if not found:
        return []
    return list(map(LedgerRow._make, fetch_rows(RatingChange, LEDGER_COLUMNS, found)))
