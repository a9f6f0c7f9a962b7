"""The rows of the files that leave the office."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from django.db import DEFAULT_DB_ALIAS

from foa.web.spreadsheet import csv_cell
from ratings.models.ledger import Kind, RatingChange
from ratings.rules.rbb import Reason
from ratings.rules.time_controls import Category
from ratings.services.lists import ListLine

__all__ = ["CHANGE_COLUMNS", "LIST_COLUMNS", "change_rows", "list_rows", "utc_text"]

CHANGE_COLUMNS: Final = (
    "occurred_at", "category", "username", "kind", "event", "opponent", "before", "after", "change",
    "opponent_rating", "difference", "expected", "score", "k", "reason",
)  # fmt: skip

LIST_COLUMNS: Final = ("rank", "username", "fide_id", "name", "title", "federation", "rating", "games")

_READ = (
    "id", "occurred_at", "category", "member__username", "game_id", "game__external_id", "opening__source",
    "adjustment__period", "opponent__username", "before", "after", "change", "opponent_rating", "difference",
    "expected", "half_points", "k", "reason",
)  # fmt: skip
_AT_ONCE = 5_000
_SCORES = {None: "", 0: "0", 1: "0.5", 2: "1"}
"""Half points as the game's score (RBB 3.9.1)."""


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC: 2026-03-14T20:00:05Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def change_rows(
    *, category: Category | None = None, username: str | None = None, using: str = DEFAULT_DB_ALIAS
) -> Iterator[tuple[str, ...]]:
    """The ledger in event order, in CHANGE_COLUMNS, safe for spreadsheets; streamed."""
    changes = RatingChange.objects.using(using).in_order()
    if category is not None:
        changes = changes.filter(category=category)
    if username is not None:
        changes = changes.filter(member__username=username)
    rows = changes.values_list(*_READ)
    for (
        row_id, moment, of, member, game, external_id, source, period, opponent, before, after, change,
        opponent_rating, difference, expected, half_points, k, reason,
    ) in rows.iterator(_AT_ONCE):  # fmt: skip
        kind = RatingChange(id=row_id).kind
        if kind is Kind.GAME:
            event = external_id or str(game)
        else:
            event = source if kind is Kind.OPENING else f"{period:%Y-%m}"
        yield (
            utc_text(moment), of.slug, csv_cell(member), kind.name.lower(), csv_cell(event),
            csv_cell(opponent or ""), _text(before), _text(after), _text(change), _text(opponent_rating),
            _text(difference), "" if expected is None else f"{expected // 100}.{expected % 100:02}",
            _SCORES[half_points], _text(k), Reason(reason).sentence,  # type: ignore[call-arg]  # by value
        )  # fmt: skip


def list_rows(lines: Iterable[ListLine]) -> Iterator[tuple[str, ...]]:
    """A rating list in LIST_COLUMNS, safe for spreadsheets."""
    for line in lines:
        yield (
            str(line.rank), csv_cell(line.username), _text(line.fide_id), csv_cell(line.name), line.title,
            line.federation, str(line.rating), str(line.games),
        )  # fmt: skip


def _text(value: object) -> str:
    return "" if value is None else str(value)
