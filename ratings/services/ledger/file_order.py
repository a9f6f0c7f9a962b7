"""RBB 3.11: the order of games of one file that end at the same moment.

A PGN file has an order of its own: rounds of numbers, where games without an address say theirs, then the
order of the file. Games of other sources are ordered by their external ids, however their rows are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper

from ratings.models.games import Game
from ratings.office.bulk import Moment, Row

_GAME: Final = Game._meta.db_table

_IDENTITY: Final = "pgn:"
_DIGITS: Final = 33
"""Characters behind the round in an id such as ``pgn:0003.0012-…``: a hyphen and the digits."""


class FileOrder:
    """The order of a file's games in their ids, by which equal moments are ordered.

    Rows are sorted before they are written, some thousand at a time. Games of equal moments that were written
    at different times exchange their ids at the end; nothing refers to them yet. Memory doesn't grow with
    the file, apart from two moments for each part.
    """

    def __init__(
        self,
        connection: BaseDatabaseWrapper,
        batch: int,
        *,
        keeps_order: bool,
        external_id: int,
        ended_at: int,
    ) -> None:
        """``keeps_order``: of a PGN file. ``external_id``, ``ended_at``: where these stand in a row."""
        self.connection = connection
        self.batch = batch
        self.keeps_order = keeps_order
        self.external_id, self.ended_at = external_id, ended_at
        self.parts: list[tuple[Any, Any]] = []
        self.parts_in_progress = 0

    def sorted(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows in the order in which to write them."""
        ended = sorted(
            (row for row in rows if row[self.ended_at] is not None),
            key=lambda row: (row[self.ended_at], self._place(row)),
        )
        in_progress = sorted((row for row in rows if row[self.ended_at] is None), key=self._place)
        if ended:
            self.parts.append((ended[0][self.ended_at], ended[-1][self.ended_at]))
        self.parts_in_progress += bool(in_progress)
        return ended + in_progress

    def _place(self, row: Row) -> str:
        """Return by what games of a moment are sorted. Those with the same keep the order of their rows."""
        external_id = str(row[self.external_id])
        if not self.keeps_order:
            return external_id
        return external_id[:-_DIGITS] if external_id.startswith(_IDENTITY) else ""

    def settle(self) -> None:
        """Let games exchange ids whose parts have a moment in common."""
        for first, last in self._common():
            self._exchange("ended_at", "ended_at BETWEEN %s AND %s", first, last)
        if self.parts_in_progress > 1:
            self._exchange("batch_id", "ended_at IS NULL")

    def _common(self) -> Iterator[tuple[Moment, Moment]]:
        """Yield the stretches of time in which parts overlap, in order."""
        stretch: tuple[Any, Any] | None = None
        until: Any = None
        for first, last in sorted(self.parts):
            if until is not None and first <= until:
                common = first, min(last, until)
                if stretch is not None and common[0] <= stretch[1]:
                    stretch = stretch[0], max(stretch[1], common[1])
                else:
                    if stretch is not None:
                        yield stretch
                    stretch = common
            until = last if until is None else max(until, last)
        if stretch is not None:
            yield stretch

    def _exchange(self, moment: str, condition: str, *parameters: Moment) -> None:
        """Give the ids that the games of a moment have to the same games, in their order."""
        # As in _place; games of the same place were written in the order of the file.
        place = "external_id"
        if self.keeps_order:
            round_ = f"substr(external_id, 1, length(external_id) - {_DIGITS})"
            is_identity = f"substr(external_id, 1, {len(_IDENTITY)}) = '{_IDENTITY}'"
            place = f"CASE WHEN {is_identity} THEN {round_} ELSE '' END"
        by_code_points = ' COLLATE "C"' if self.connection.vendor == "postgresql" else ""
        with self.connection.cursor() as cursor:
            # Who is in another's place has their own place taken: these alone exchange ids.
            cursor.execute(
                f"""CREATE TEMPORARY TABLE misplaced AS SELECT * FROM (
                    SELECT id, {moment} AS moment,
                        row_number() OVER (PARTITION BY {moment} ORDER BY id) AS place,
                        row_number() OVER (
                            PARTITION BY {moment} ORDER BY ({place}){by_code_points}, id
                        ) AS due
                    FROM {_GAME} WHERE batch_id = %s AND {condition}
                ) AS placed WHERE place <> due""",  # noqa: S608  names, not values
                [self.batch, *parameters],
            )
            cursor.execute("CREATE UNIQUE INDEX misplaced_id ON misplaced (id)")
            cursor.execute("CREATE UNIQUE INDEX misplaced_place ON misplaced (moment, place)")
            # In two steps: an id is taken until its game has given it away.
            cursor.execute(
                f"""UPDATE {_GAME} SET id = -(
                    SELECT other.id FROM misplaced one
                    JOIN misplaced other ON other.moment = one.moment AND other.place = one.due
                    WHERE one.id = {_GAME}.id
                ) WHERE id IN (SELECT id FROM misplaced)"""  # noqa: S608
            )
            cursor.execute(f"UPDATE {_GAME} SET id = -id WHERE id < 0")  # noqa: S608
            cursor.execute("DROP TABLE misplaced")
