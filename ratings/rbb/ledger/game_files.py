"""Games from files, a million at a time, under the same conditions and with the same replay as a single save.

Everything happens in one transaction: afterwards either all games of the file that can be stored are stored
and rated, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice

from django.db import connection, transaction

from members.models import Member
from ratings.formats.games import GameRow
from ratings.formats.problems import Problem
from ratings.office import bulk
from ratings.rbb.ledger.game_import import OF_COMMANDS, GamesImported, Intake, Taken, Words, intake
from ratings.rbb.ledger.plausibility import overlaps_of_batch
from ratings.rbb.ledger.summaries import Progress
from ratings.rbb.models.games import Game
from ratings.rbb.models.ledger import Rating, RatingChange

_AT_ONCE = 10_000


class StrictImportRefused(Exception):
    """An error for a refused row in ``strict`` mode; nothing was stored."""


def import_games(
    *,
    rows: Iterable[GameRow | Problem],
    source: str,
    sha256: str,
    at: datetime,
    create_members: bool = False,
    strict: bool = False,
    keeps_order: bool = False,
    words: Words = OF_COMMANDS,
    on_taken: Callable[[GameRow, Taken], None] = lambda row, taken: None,
    on_refused: Callable[[Problem], None] = lambda problem: None,
    progress: Progress | None = None,
) -> GamesImported:
    """Store the games that are new, finish those that were in progress, and rate them.

    ``at``: the moment of the import (UTC); no game may end after it. ``keeps_order``: for files such as PGN,
    whose order says which of two games of the same moment came first. ``on_taken`` and ``on_refused`` are
    called with the outcome of each row. With ``strict``, raises StrictImportRefused at the end of the file if
    a row was refused.
    """
    with transaction.atomic():
        with intake(
            source=source,
            sha256=sha256,
            at=at,
            create_members=create_members,
            keeps_order=keeps_order,
            on_taken=on_taken,
            on_refused=on_refused,
            words=words,
            progress=progress,
        ) as games:
            rows = iter(rows)
            some = list(islice(rows, _AT_ONCE))
            with _indexes_for(len(some)):
                while some:
                    games.take(some)
                    some = list(islice(rows, _AT_ONCE))
            if strict and games.result.refused:
                raise StrictImportRefused
        _look_for_overlaps(games)
        if games.result.rated:
            _tell_planner()
    return games.result


def _look_for_overlaps(games: Intake) -> None:
    """Count this file's games that overlap other games of a player."""
    if games.since is None or games.until is None:
        return
    with bulk.sorting_on_disk():
        games.result.overlapping = overlaps_of_batch(games.batch, games.since, games.until)


def _tell_planner() -> None:
    """Update PostgreSQL's statistics, since it may still plan for the tables as they were before."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in (Member, Game, RatingChange, Rating):
                cursor.execute(f"ANALYZE {model._meta.db_table}")


@contextmanager
def _indexes_for(rows: int) -> Iterator[None]:
    """Drop the indexes of an empty table of games while it is filled, if the first part has enough rows."""
    if rows < _AT_ONCE or Game.objects.order_by().exists():
        yield
        return
    with bulk.without_indexes(Game):
        if connection.vendor == "postgresql":
            # PostgreSQL can't build an index while rows' foreign keys still have to be checked.
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        yield
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
