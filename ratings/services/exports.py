"""The rows of the files that leave the office."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from django.db.models import QuerySet

from foa.web.spreadsheet import csv_cell
from ratings.models.games import Game
from ratings.models.ledger import Kind, RatingChange
from ratings.models.lists import RatingList
from ratings.rules.rbb import Reason
from ratings.rules.time_controls import Control, category_of
from ratings.services.lists import ListLine, PublishedLine

__all__ = [
    "ARCHIVE_COLUMNS",
    "CHANGE_COLUMNS",
    "GAME_COLUMNS",
    "LIST_COLUMNS",
    "PUBLISHED_COLUMNS",
    "archive_rows",
    "change_rows",
    "game_rows",
    "list_rows",
    "published_rows",
    "utc_text",
]

CHANGE_COLUMNS: Final = (
    "occurred_at", "category", "username", "kind", "event", "opponent", "before", "after", "change",
    "opponent_rating", "difference", "expected", "score", "k", "reason",
)  # fmt: skip

GAME_COLUMNS: Final = (
    "id", "external_id", "white", "black", "time_control", "category", "rated", "result", "termination",
    "started_at", "ended_at", "voided_at", "not_counted_because",
)  # fmt: skip

LIST_COLUMNS: Final = ("rank", "username", "fide_id", "name", "title", "federation", "rating", "games")
ARCHIVE_COLUMNS: Final = (
    "month", "category", "revision", "published_at", "members", "games", "games_against_unrated", "mean",
    "median", "checksum",
)  # fmt: skip
PUBLISHED_COLUMNS: Final = (*LIST_COLUMNS, "previous", "change", "period_games", "k")

_READ = (
    "id", "occurred_at", "category", "member__username", "game_id", "game__external_id", "opening__source",
    "adjustment__period", "opponent__username", "before", "after", "change", "opponent_rating", "difference",
    "expected", "half_points", "k", "reason",
)  # fmt: skip
_READ_OF_GAMES = (
    "id", "external_id", "white__username", "black__username", "time_control__initial",
    "time_control__increment", "rated", "result", "termination", "started_at", "ended_at", "voided_at",
    "void_reason", "unrated_reason",
)  # fmt: skip
_AT_ONCE = 5_000
_SCORES = {None: "", 0: "0", 1: "0.5", 2: "1"}
"""Half points as the game's score (RBB 3.9.1)."""


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC: 2026-03-14T20:00:05Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def change_rows(changes: QuerySet[RatingChange]) -> Iterator[tuple[str, ...]]:
    """Lines of the ledger in CHANGE_COLUMNS, safe for spreadsheets; streamed."""
    rows = changes.select_related(None).values_list(*_READ)
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


def game_rows(games: QuerySet[Game]) -> Iterator[tuple[str, ...]]:
    """Games in GAME_COLUMNS, safe for spreadsheets; streamed. The control is in PGN notation, 180+2."""
    rows = games.select_related(None).values_list(*_READ_OF_GAMES)
    for (
        game_id, external_id, white, black, initial, increment, rated, result, termination, started_at,
        ended_at, voided_at, void_reason, unrated_reason,
    ) in rows.iterator(_AT_ONCE):  # fmt: skip
        control = Control(initial, increment)
        category = category_of(control)
        yield (
            str(game_id), csv_cell(external_id or ""), csv_cell(white), csv_cell(black), control.notation,
            "" if category is None else category.slug, "yes" if rated else "no", result,
            csv_cell(termination), utc_text(started_at), "" if ended_at is None else utc_text(ended_at),
            "" if voided_at is None else utc_text(voided_at), csv_cell(void_reason or unrated_reason),
        )  # fmt: skip


def archive_rows(lists: QuerySet[RatingList]) -> Iterator[tuple[str, ...]]:
    """Published lists in ARCHIVE_COLUMNS."""
    for one in lists:
        yield (
            f"{one.month:%Y-%m}", one.category.slug, str(one.revision), utc_text(one.published_at),
            str(one.members), str(one.period_games), str(one.unrated_games), _text(one.mean),
            _text(one.median), one.checksum,
        )  # fmt: skip


def list_rows(lines: Iterable[ListLine]) -> Iterator[tuple[str, ...]]:
    """A rating list in LIST_COLUMNS, safe for spreadsheets."""
    return map(_list_row, lines)


def published_rows(lines: Iterable[PublishedLine]) -> Iterator[tuple[str, ...]]:
    """A published list in PUBLISHED_COLUMNS: the change is that of the displayed ratings."""
    for line, previous, period_games, k in lines:
        change = "" if previous is None else str(line.rating - previous)
        yield (*_list_row(line), _text(previous), change, str(period_games), _text(k))


def _list_row(line: ListLine) -> tuple[str, ...]:
    return (
        str(line.rank), csv_cell(line.username), _text(line.fide_id), csv_cell(line.name), line.title,
        line.federation, str(line.rating), str(line.games),
    )  # fmt: skip


def _text(value: object) -> str:
    return "" if value is None else str(value)
