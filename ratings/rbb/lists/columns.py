"""The rows of the office's lists, as files and the API have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.db.models import ExpressionWrapper, F, QuerySet

from foa.list_rows import Column, ListRows, exact, moment, month, text, whole, yes_or_no
from foa.spreadsheet import Cell
from members.models import TITLES
from ratings.office.fields import HundredthsField, displayed_in
from ratings.rbb.event_standings import with_spans
from ratings.rbb.lists.as_of import in_list_order
from ratings.rbb.models.fields import EventType, kind_of
from ratings.rbb.models.games import Game
from ratings.rbb.models.lists import LAYOUT, RatingList, RatingListEntry
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category, Control, category_of

CATEGORIES: Final = [category.slug for category in Category]
_CONTROL: Final = ("time_control__initial", "time_control__increment", "time_control__written")
_SCORES = {0: Decimal("0"), 1: Decimal("0.5"), 2: Decimal("1")}
"""Half points as the game's score (RBB 3.9.1)."""


def _slug(category: Category) -> str:
    return category.slug


def _category(*control: Any) -> str | None:
    found = category_of(Control(*control))
    return None if found is None else found.slug


def _event(line: int, game: int | None, external_id: str | None, source: str, period: date) -> str:
    """Return a game's external id or else its number, an opening's source, or an adjustment's month."""
    kind = kind_of(line)
    if kind is EventType.GAME:
        return external_id or str(game)
    return source if kind is EventType.OPENING else f"{period:%Y-%m}"


GAMES: Final = ListRows(
    "A game.",
    id=whole(help="Our number for the game."),
    external_id=text(null=True),
    white=text("white__username", help="A username."),
    black=text("black__username", help="A username."),
    time_control=text(*_CONTROL, value=lambda *control: Control(*control).notation),
    category=text(*_CONTROL, value=_category, choices=CATEGORIES, null=True),
    rated=yes_or_no(),
    result=text(
        value=lambda result: result or None,
        choices=Game.Result.values,
        null=True,
        help="null without a result.",
    ),
    termination=text(
        "ended_at",
        "termination",
        value=lambda ended_at, termination: None if ended_at is None else termination,
        null=True,
        help="null while the game is in progress.",
    ),
    started_at=moment(),
    ended_at=moment(null=True),
    voided_at=moment(null=True),
    not_counted_because=text(
        "void_reason", "unrated_reason", value=lambda void, unrated: void or unrated, blank=True
    ),
    event_id=text("event__external_id", null=True, help="The id of the event, as used in `event`."),
    round=text(value=lambda number: number or None, null=True),
    arena_url=text(
        "url", value=lambda url: url or None, null=True, help="The page of the game in the arena."
    ),
    variant=text(
        value=lambda variant: variant or "standard",
        help="standard, or the name of a variant, which isn’t rated.",
    ),
)

CHANGES: Final = ListRows(
    "The effect of one event on the member.",
    occurred_at=moment(),
    category=text(value=_slug, choices=CATEGORIES),
    username=text("member__username"),
    kind=text("id", value=lambda line: kind_of(line).slug, choices=[kind.slug for kind in EventType]),
    event=text(
        *("id", "game_id", "game__external_id", "opening__source", "adjustment__period"),
        value=_event,
        help="A game’s external id, or its number if it has none; a starting rating’s source; an "
        "adjustment’s month.",
    ),
    opponent=text("opponent__username", null=True),
    before=exact(null=True),
    after=exact(null=True),
    change=exact(null=True),
    opponent_rating=exact(null=True),
    difference=whole(null=True),
    expected=exact(value=from_hundredths, null=True),
    score=text("half_points", value=_SCORES.get, null=True),
    k=whole(null=True),
    reason=text(value=lambda reason: Reason(reason).sentence),  # type: ignore[call-arg]  # by value
)


EVENTS: Final = ListRows(
    "An event of an arena.",
    with_spans,
    id=whole(),
    event_id=text("external_id"),
    name=text(),
    arena_url=text("url", value=lambda url: url or None, null=True),
    games=whole("number"),
    started_at=moment(null=True),
    ended_at=moment(null=True),
)


def who(prefix: str = "") -> dict[str, Column]:
    """Return the columns that say who somebody is. ``prefix``: path to the member."""
    return {
        "username": text(f"{prefix}username"),
        "fide_id": whole(f"{prefix}fide_id", null=True),
        "name": text(f"{prefix}name", blank=True),
        "title": text(f"{prefix}title", choices=TITLES, blank=True),
        "federation": text(f"{prefix}federation", blank=True),
    }


_STANDINGS: Final = ListRows(
    "A member on a list, now or at a moment.",
    in_list_order,
    **who("member__"),
    rating=whole("displayed_rating"),
    games=whole(),
)
LIST_COLUMNS: Final = ("rank", *_STANDINGS.names)


def _standing(rating: str, at: str, line: str) -> ListRows:
    """Return the rows of a list now or at a moment: where the rating, its moment and its line are."""
    return ListRows(
        "A member on the live list.",
        **who("member__"),
        rating=whole(displayed_in(rating), help="As displayed (RBB 3.12)."),
        games=whole(help="All rated games in the category."),
        exact=exact(rating),
        last_event_at=moment(at),
        last_change=whole(line, help="The line of the ledger that explains it."),
    )


LIVE: Final = _standing("rating", "last_event_at", "last_change_id")
AS_OF: Final = _standing("after", "occurred_at", "id")

ARCHIVE: Final = ListRows(
    "A published list. A list that has been replaced stays as it was.",
    month=month(),
    category=text(value=_slug, choices=CATEGORIES),
    revision=whole(),
    published_at=moment(),
    members=whole(),
    games=whole("period_games", null=True),
    games_against_unrated=whole("unrated_games", null=True),
    mean=exact(null=True),
    median=exact(null=True),
    checksum=text(help="SHA-256 of the whole list as CSV."),
    late_games=whole(null=True),
    withdrawn_games=whole(null=True),
)

PUBLISHED: Final = ListRows(
    "A line of a published list.\n\nLists published by version 0.5.0 or earlier end with ``k``, those by "
    "0.14.0 or earlier with ``earlier_change``.",
    rank=whole(),
    **who(),
    rating=whole(displayed_in("rating")),
    games=whole(),
    previous=whole(displayed_in("previous"), null=True),
    change=whole(displayed_in("rating") - displayed_in("previous"), null=True),
    period_games=whole(help="Rated games that count on this list and didn’t count on the previous one."),
    k=whole(null=True),
    late_games=whole(
        null=True,
        added_later=True,
        help="Of these, games that ended before the previous list: entered late, reinstated, or rated since.",
    ),
    withdrawn_games=whole(
        null=True,
        added_later=True,
        help="Games that counted on the previous list and don’t count on this one.",
    ),
    exact_change=exact(
        ExpressionWrapper(F("rating") - F("previous"), HundredthsField()),
        null=True,
        added_later=True,
        help="Change of the exact rating; null if the member wasn’t on the previous list. The next four "
        "fields add up to it, or to the rating itself. A rating that was lost or not yet reached "
        "counts as 0.",
    ),
    games_change=exact(null=True, added_later=True, help="From games between the two lists."),
    adjustments_change=exact(
        null=True, added_later=True, help="From over-the-board changes between them (RBB 3.15)."
    ),
    openings_change=exact(
        null=True, added_later=True, help="From existing ratings carried over between them (RBB 3.4)."
    ),
    earlier_change=exact(
        null=True,
        added_later=True,
        help="From corrections to the time before the previous list: games entered late or withdrawn, "
        "and their effect on later games.",
    ),
    exact_rating=exact("rating", added_later=True, help="Unrounded; `rating` is rounded (RBB 3.12)."),
)
"""The change is that of the displayed ratings; the exact one is the sum of the columns after it. New columns
come last, so that programs for the older columns keep working."""

COMPARED_LINES: Final = ListRows(
    "A line of two compared lists.",
    **who(),
    before=exact(null=True),
    after=exact(null=True),
    change=exact("moved", null=True),
)

_LAST_COLUMN: Final = {1: "k", 2: "earlier_change", LAYOUT: "exact_rating"}


def list_rows(rows: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
    """Yield rows of ``Rating`` or of the ledger as a list in LIST_COLUMNS, streamed.

    Ranks follow displayed ratings: members with equal displayed ratings share a rank.
    """
    rank, last = 0, None
    at = _STANDINGS.names.index("rating")
    for position, row in enumerate(_STANDINGS.of(rows), 1):
        if row[at] != last:
            rank, last = position, row[at]
        yield (rank, *row)


def published_columns(published: RatingList) -> tuple[str, ...]:
    """Return the columns with which a list was published, because its checksum covers them."""
    return PUBLISHED.names[: PUBLISHED.names.index(_LAST_COLUMN[published.layout]) + 1]


def published_rows(entries: QuerySet[RatingListEntry], columns: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Yield lines of a published list in its columns, as they were frozen; streamed."""
    width = len(columns)
    return (row[:width] for row in PUBLISHED.of(entries))
