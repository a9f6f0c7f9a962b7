"""The rows of the office's export files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from django.db.models import QuerySet

from foa.spreadsheet import Cell
from foa.text import utc_text
from ratings.office.fields import hundredths
from ratings.rbb.lists.lines import exact_rating, in_list_order
from ratings.rbb.models.games import Game
from ratings.rbb.models.keys import EventType, kind_of
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import LAYOUT, RatingList, RatingListEntry
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import displayed, from_hundredths
from ratings.rules.time_controls import Control, category_of

CHANGE_COLUMNS: Final = (
    "occurred_at",
    "category",
    "username",
    "kind",
    "event",
    "opponent",
    "before",
    "after",
    "change",
    "opponent_rating",
    "difference",
    "expected",
    "score",
    "k",
    "reason",
)

GAME_COLUMNS: Final = (
    "id",
    "external_id",
    "white",
    "black",
    "time_control",
    "category",
    "rated",
    "result",
    "termination",
    "started_at",
    "ended_at",
    "voided_at",
    "not_counted_because",
    "event_id",
    "round",
    "arena_url",
    "variant",
)

LIST_COLUMNS: Final = ("rank", "username", "fide_id", "name", "title", "federation", "rating", "games")
ARCHIVE_COLUMNS: Final = (
    "month",
    "category",
    "revision",
    "published_at",
    "members",
    "games",
    "games_against_unrated",
    "mean",
    "median",
    "checksum",
    "late_games",
    "withdrawn_games",
)
_PARTS: Final = ("games_change", "adjustments_change", "openings_change", "earlier_change")
"""Columns that add up to the exact change of a line."""
_FIRST_LAYOUT: Final = (*LIST_COLUMNS, "previous", "change", "period_games", "k")
_SECOND_LAYOUT: Final = (*_FIRST_LAYOUT, "late_games", "withdrawn_games", "exact_change", *_PARTS)
PUBLISHED_COLUMNS: Final = (*_SECOND_LAYOUT, "exact_rating")
"""New columns come last, so that programs for the older columns keep working."""
_LAYOUTS: Final = {1: _FIRST_LAYOUT, 2: _SECOND_LAYOUT, LAYOUT: PUBLISHED_COLUMNS}

_READ = (
    "id",
    "occurred_at",
    "category",
    "member__username",
    "game_id",
    "game__external_id",
    "opening__source",
    "adjustment__period",
    "opponent__username",
    "before",
    "after",
    "change",
    "opponent_rating",
    "difference",
    "expected",
    "half_points",
    "k",
    "reason",
)
_READ_OF_GAMES = (
    "id",
    "external_id",
    "white__username",
    "black__username",
    "time_control__initial",
    "time_control__increment",
    "time_control__written",
    "rated",
    "result",
    "termination",
    "started_at",
    "ended_at",
    "voided_at",
    "void_reason",
    "unrated_reason",
    "event__external_id",
    "round",
    "url",
    "variant",
)
_AT_ONCE = 5_000
_SCORES = {None: None, 0: Decimal("0"), 1: Decimal("0.5"), 2: Decimal("1")}
"""Half points as the game's score (RBB 3.9.1)."""


def change_rows(changes: QuerySet[RatingChange]) -> Iterator[Sequence[Cell]]:
    """Yield lines of the ledger in CHANGE_COLUMNS, streamed."""
    rows = changes.select_related(None).values_list(*_READ, named=True)
    for row in rows.iterator(_AT_ONCE):
        kind = kind_of(row.id)
        if kind is EventType.GAME:
            event = row.game__external_id or str(row.game_id)
        elif kind is EventType.OPENING:
            event = row.opening__source
        else:
            event = f"{row.adjustment__period:%Y-%m}"
        yield (
            utc_text(row.occurred_at),
            row.category.slug,
            row.member__username,
            kind.slug,
            event,
            row.opponent__username,
            row.before,
            row.after,
            row.change,
            row.opponent_rating,
            row.difference,
            None if row.expected is None else from_hundredths(row.expected),
            _SCORES[row.half_points],
            row.k,
            Reason(row.reason).sentence,  # type: ignore[call-arg]  # by value
        )


def game_rows(games: QuerySet[Game]) -> Iterator[Sequence[Cell]]:
    """Yield games in GAME_COLUMNS, streamed. The control is in PGN notation, 180+2, or as written."""
    rows = games.select_related(None).values_list(*_READ_OF_GAMES, named=True)
    for row in rows.iterator(_AT_ONCE):
        control = Control(row.time_control__initial, row.time_control__increment, row.time_control__written)
        category = category_of(control)
        yield (
            row.id,
            row.external_id,
            row.white__username,
            row.black__username,
            control.notation,
            None if category is None else category.slug,
            row.rated,
            row.result or None,
            None if row.ended_at is None else row.termination,
            utc_text(row.started_at),
            None if row.ended_at is None else utc_text(row.ended_at),
            None if row.voided_at is None else utc_text(row.voided_at),
            row.void_reason or row.unrated_reason,
            row.event__external_id,
            row.round or None,
            row.url or None,
            row.variant or "standard",
        )


def archive_rows(lists: QuerySet[RatingList]) -> Iterator[Sequence[Cell]]:
    """Yield published lists in ARCHIVE_COLUMNS."""
    for one in lists:
        yield (
            f"{one.month:%Y-%m}",
            one.category.slug,
            one.revision,
            utc_text(one.published_at),
            one.members,
            one.period_games,
            one.unrated_games,
            one.mean,
            one.median,
            one.checksum,
            one.late_games,
            one.withdrawn_games,
        )


def list_rows(rows: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
    """Yield rows of ``Rating`` or of the ledger as a list in LIST_COLUMNS, streamed.

    Ranks follow displayed ratings: members with equal displayed ratings share a rank.
    """
    read = in_list_order(rows).values_list(
        "member__username",
        "member__fide_id",
        "member__name",
        "member__title",
        "member__federation",
        exact_rating(rows),
        "games",
    )
    rank, last = 0, None
    for position, (*who, points, games) in enumerate(read.iterator(_AT_ONCE), 1):
        rating = displayed(points)
        if rating != last:
            rank, last = position, rating
        yield (rank, *who, rating, games)


def published_columns(published: RatingList) -> tuple[str, ...]:
    """Return the columns with which a list was published, because its checksum covers them."""
    return _LAYOUTS[published.layout]


def published_rows(entries: QuerySet[RatingListEntry], columns: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Yield lines of a published list in its columns, as they were frozen; streamed.

    The change is that of the displayed ratings; the exact one is the sum of the columns after it.
    """
    exact, before = hundredths("rating"), hundredths("previous")
    read = entries.values_list(
        "rank",
        "username",
        "fide_id",
        "name",
        "title",
        "federation",
        exact,
        "games",
        before,
        "period_games",
        "k",
        "late_games",
        "withdrawn_games",
        *_PARTS,
    )
    width = len(columns)
    for line in read.iterator(_AT_ONCE):
        *who, points, games, points_before, period_games, k, late, withdrawn = line[: -len(_PARTS)]
        rating = displayed(points)
        previous = None if points_before is None else displayed(points_before)
        change = None if previous is None else rating - previous
        exact_change = None if points_before is None else from_hundredths(points - points_before)
        row = (*who, rating, games, previous, change, period_games, k, late, withdrawn, exact_change)
        row += (*line[-len(_PARTS) :], from_hundredths(points))
        yield row[:width]
