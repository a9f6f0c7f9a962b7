"""Staging: a temporary table for the rows of a new rating list, and queries on it.

Statements are the same on both databases but for two words. The temporary table disappears with the
transaction, however that ends.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from django.db import IntegrityError, connection, transaction

from members.models import Member
from ratings.fide.models import DoubleRating, FideList, FidePlayer, FideRating
from ratings.formats.frl import FideControl, Part, Players
from ratings.office.bulk import without_indexes
from ratings.office.names import all_folded

PLAYERS: Final = FidePlayer._meta.db_table
STAGED: Final = "fide_staged"

_DIFFERING: Final = "fide_differing"
_DOUBLES: Final = "fide_doubles"
_HISTORY: Final = FideRating._meta.db_table
_DOUBLE_RATINGS: Final = DoubleRating._meta.db_table
_MEMBERS: Final = Member._meta.db_table
_COLUMNS: Final = tuple(field.attname for field in FidePlayer._meta.concrete_fields)
_OF_CONTROL: Final = {
    control: (f"{control}_rating", f"{control}_games", f"{control}_k") for control in FideControl
}
_INACTIVE: Final = {control: f"{control}_inactive" for control in (FideControl.RAPID, FideControl.BLITZ)}
_READ: Final = tuple(column for column in _COLUMNS if column not in _INACTIVE.values())
"""Columns that are in the file."""

_IDENTITY: Final = tuple(
    column
    for column in _READ[1:]
    if column != "flag" and not any(column in columns for columns in _OF_CONTROL.values())
)
_IS_INACTIVE: Final = "flag LIKE '%i%'"
_PAGES: Final = -8_192
_NOTHING: Final = (None, 0, 0)

Progress = Callable[[int], None]

Read = Callable[[Callable[[Part], Any]], Iterable[Players[Any]]]
"""Function that reads the players of a list from its beginning, and converts each part of a row."""


@contextmanager
def staging(alone: FideControl | None = None, known: Collection[FideControl] = ()) -> Iterator[Staged]:
    """Provide a place for the rows of a list, within the transaction of an import; see :class:`Staged`."""
    staged = Staged(alone, known)
    if staged.on_postgresql:
        # Two million rows are joined several times. The setting ends with the transaction.
        staged.execute("SET LOCAL work_mem = '128MB'")
        yield staged
        staged.drop()
        return
    # For sorting, SQLite takes as much memory again as for its pages.
    ((pages,),) = staged.fetch("PRAGMA cache_size")
    staged.execute(f"PRAGMA cache_size = {_PAGES}")
    try:
        yield staged
        staged.drop()
    finally:
        staged.execute(f"PRAGMA cache_size = {pages}")


class Double(NamedTuple):
    """A row replaced by another one with the same FIDE ID: its line, and the line of the row that is kept."""

    line: int
    fide_id: int
    name: str
    kept: int
    kept_is_rated: bool


class Differing(NamedTuple):
    """A row whose FIDE ID has another rating of this control in another row."""

    control: FideControl
    line: int
    fide_id: int
    name: str
    rating: int
    games: int
    k: int


class Staged:
    """The rows of a list in a temporary table; if there are no players yet, in the players' own table.

    ``alone``: the control of a list that has only one. ``known``: controls of which the list in force is of
    the same month, so that what it says of inactive players stays where this list doesn't say it.
    ``first``: there are no players to compare them with. ``differing``: the rows of FIDE IDs with different
    ratings in a control, of which none counts.
    """

    def __init__(self, alone: FideControl | None = None, known: Collection[FideControl] = ()) -> None:
        self.alone, self.known = alone, known
        self.on_postgresql = connection.vendor == "postgresql"
        # Both dialects' comparison in which NULL equals NULL.
        self.differs = "IS DISTINCT FROM" if self.on_postgresql else "IS NOT"
        self.differing: list[Differing] = []
        self._counts: dict[str, dict[str, int]] = {}
        self.first = not FidePlayer.objects.exists()
        # PostgreSQL stores rows while this process reads them. SQLite is faster if it can sort first.
        self.at_once = self.on_postgresql and self.first and not FideList.objects.exists()

    @property
    def table(self) -> str:
        return PLAYERS if self.at_once else STAGED

    def fill(self, read: Read, progress: Progress | None, on_double: Callable[[Double], None]) -> None:
        """Load all rows of a list; ``progress`` is called with the number so far.

        Raises IntegrityError for a repeated FIDE ID that only :meth:`stage` can handle.
        """
        if not self.at_once:
            self.stage(read, progress, on_double)
            return
        try:
            with (
                transaction.atomic(),
                without_indexes(FidePlayer, primary_key=True),
            ):
                self._copy(PLAYERS, _READ, read, progress)
        except IntegrityError:
            self.at_once = False
            raise

    def stage(self, read: Read, progress: Progress | None, on_double: Callable[[Double], None]) -> None:
        """Load all rows into a temporary table; ``on_double`` is called for each row replaced by another."""
        self.drop()
        columns = ", ".join(_READ)
        self.execute(f"CREATE TEMPORARY TABLE {STAGED} AS SELECT {columns}, 0 AS line FROM {PLAYERS} LIMIT 0")  # noqa: S608
        if self.on_postgresql:
            self._copy(STAGED, (*_READ, "line"), read, progress)
        else:
            self._insert(read, progress)
        by_id = f"CREATE UNIQUE INDEX fide_staged_by_id ON {STAGED} (fide_id)"
        try:
            with transaction.atomic():
                self.execute(by_id)
        except IntegrityError:
            for double in self._settle_doubles():
                on_double(double)
            self.execute(by_id)

    def _settle_doubles(self) -> list[Double]:
        """Keep one row for each FIDE ID: the last with a rating, or the last. Return the others by line.

        If ratings of a control differ, the kept row loses its own.
        """
        self.differing = [one for control in FideControl for one in self._take_differing(control)]
        rated = "(" + " OR ".join(f"{control}_rating IS NOT NULL" for control in FideControl) + ")"
        row = "ctid" if self.on_postgresql else "rowid"
        window = f"OVER (PARTITION BY fide_id ORDER BY NOT {rated}, line DESC, {row} DESC)"
        self.execute(
            f"CREATE TEMPORARY TABLE {_DOUBLES} AS SELECT * FROM ("  # noqa: S608
            f"SELECT {row} AS place, line, fide_id, name, first_value(line) {window} AS kept,"
            f" first_value({rated}) {window} AS kept_is_rated, row_number() {window} AS number FROM {STAGED}"
            f" WHERE fide_id IN (SELECT fide_id FROM {STAGED} GROUP BY fide_id HAVING count(*) > 1)"
            ") AS doubles WHERE number > 1"
        )
        self.execute(f"DELETE FROM {STAGED} WHERE {row} IN (SELECT place FROM {_DOUBLES})")  # noqa: S608
        found = self.fetch(
            f"SELECT line, fide_id, name, kept, kept_is_rated FROM {_DOUBLES} ORDER BY line, place"  # noqa: S608
        )
        self.execute(f"DROP TABLE {_DOUBLES}")
        return [Double._make((*values, bool(is_rated))) for *values, is_rated in found]

    def _take_differing(self, control: FideControl) -> list[Differing]:
        """Remove the ratings of a control from FIDE IDs that have several. Return those rows by line."""
        rating, games, k = _OF_CONTROL[control]
        self.execute(
            f"CREATE TEMPORARY TABLE {_DOUBLES} AS SELECT fide_id FROM {STAGED}"  # noqa: S608
            f" WHERE {rating} IS NOT NULL GROUP BY fide_id HAVING min({rating}) <> max({rating})"
        )
        those = f"fide_id IN (SELECT fide_id FROM {_DOUBLES})"  # noqa: S608
        found = self.fetch(
            f"SELECT line, fide_id, name, {rating}, {games}, {k} FROM {STAGED}"  # noqa: S608
            f" WHERE {rating} IS NOT NULL AND {those} ORDER BY line"
        )
        if found:
            self.execute(f"UPDATE {STAGED} SET {rating} = NULL, {games} = 0, {k} = 0 WHERE {those}")  # noqa: S608
        self.execute(f"DROP TABLE {_DOUBLES}")
        return [Differing(control, *values) for values in found]

    def counts(self, table: str) -> dict[str, int]:
        """Return the numbers of players and of rated players by control. Call it before any write."""
        if table not in self._counts:
            rated = ", ".join(f"count({control}_rating)" for control in FideControl)
            (row,) = self.fetch(f"SELECT count(*), {rated} FROM {table}")  # noqa: S608
            self._counts[table] = dict(zip(("players", *FideControl), row, strict=True))
        return self._counts[table]

    def compare(self, controls: Sequence[FideControl], *, identity: bool) -> None:
        """Store in a table which players differ between the staged list and the list in force, with ratings.

        Only the columns that this list is to change are compared: ratings of ``controls``, and names and
        titles with ``identity``. Both lists are joined only once, for all queries and writes that follow.
        """
        updated = self._updated(controls, identity)
        there = ", ".join(self._value(column, controls) for column in updated)
        here = ", ".join(f"p.{column}" for column in updated)
        ratings = ", ".join(
            f"s.{control}_rating AS {control}_new, p.{control}_rating AS {control}_old"
            for control in FideControl
        )
        self.execute(
            f"CREATE TEMPORARY TABLE {_DIFFERING} AS"  # noqa: S608
            f" SELECT s.fide_id AS listed, p.fide_id AS in_force, {ratings}"
            f" FROM {STAGED} s LEFT JOIN {PLAYERS} p ON p.fide_id = s.fide_id"
            f" WHERE p.fide_id IS NULL OR ({there}) {self.differs} ({here})"
        )
        still_listed = self.counts(STAGED)["players"] - self._added()
        if still_listed < self.counts(PLAYERS)["players"]:
            self.execute(
                f"INSERT INTO {_DIFFERING} (in_force) SELECT fide_id FROM {PLAYERS} p"  # noqa: S608
                f" WHERE NOT EXISTS (SELECT 1 FROM {STAGED} s WHERE s.fide_id = p.fide_id)"
            )

    def changed_ratings(self, controls: Sequence[FideControl]) -> tuple[int, int]:
        """Return how many ratings differ, and how many are in both the list in force and the new one.

        Call it after :meth:`compare`.
        """
        rated = self.counts(STAGED)
        changed = " + ".join(f"count(CASE WHEN {one}_new <> {one}_old THEN 1 END)" for one in controls)
        new = " + ".join(f"count({one}_new) - count({one}_new + {one}_old)" for one in controls)
        ((differ, not_rated_before),) = self.fetch(f"SELECT {changed}, {new} FROM {_DIFFERING}")  # noqa: S608
        return differ, sum(rated[one] for one in controls) - not_rated_before

    def put_in_force(self, controls: Sequence[FideControl], *, identity: bool) -> tuple[int, int, int]:
        """Put this list in force. Return how many players were added, changed and removed.

        Only differences are written; call it after :meth:`compare`, unless it is the ``first`` list. If only
        some of the three controls are given, only their ratings change, and names and titles only with
        ``identity``.
        """
        changed = removed = 0
        if self.at_once:
            added = self.counts(PLAYERS)["players"]
            if self.alone in _INACTIVE:
                self.execute(
                    f"UPDATE {PLAYERS} SET {_INACTIVE[self.alone]} = {_IS_INACTIVE},"  # noqa: S608
                    " flag = replace(flag, 'i', '')"
                )
        elif self.first:
            with without_indexes(FidePlayer):
                added = self._insert_all(controls)
        else:
            added = self._added()
            changed = self._upsert(controls, identity) - added
            removed = self._remove(controls)
        if added or changed or removed:
            self.execute(f"ANALYZE {PLAYERS}")
        return added, changed, removed

    def _copy(self, table: str, columns: Sequence[str], read: Read, progress: Progress | None) -> None:
        """Copy rows as text, which is faster to produce than the binary form."""
        taken = 0
        with (
            connection.cursor() as cursor,
            # The server reports errors when the COPY ends.
            connection.wrap_database_errors,
            cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
        ):
            for some in read(_as_text):
                copy.write(_copied(some, numbered="line" in columns))
                taken += len(some.lines)
                if progress:
                    progress(taken)

    def _insert(self, read: Read, progress: Progress | None) -> None:
        insertion = f"INSERT INTO {STAGED} VALUES ({', '.join(['%s'] * (len(_READ) + 1))})"  # noqa: S608
        taken = 0
        with connection.cursor() as cursor:
            for some in read(_as_values):
                cursor.executemany(insertion, _values(some))
                taken += len(some.lines)
                if progress:
                    progress(taken)

    def _updated(self, controls: Sequence[FideControl], identity: bool) -> list[str]:
        """Return the columns that a list with these controls changes."""
        found = [column for one in controls for column in _OF_CONTROL[one]]
        found += [column for one, column in _INACTIVE.items() if self._tells(one, controls)]
        if FideControl.STANDARD in controls:
            # The flag i is that of standard.
            found.append("flag")
        return found + list(_IDENTITY) * identity

    def _tells(self, control: FideControl, controls: Sequence[FideControl]) -> bool:
        """Return whether this list decides what is known of inactive players in rapid or blitz."""
        return control in controls and (self.alone is control or control not in self.known)

    def _value(self, column: str, controls: Sequence[FideControl]) -> str:
        """Return the value of a column by the staged list."""
        if column in _INACTIVE.values():
            is_said = self.alone is not None and column == _INACTIVE.get(self.alone)
            return f"s.{_IS_INACTIVE}" if is_said else "FALSE"
        if column == "flag" and FideControl.STANDARD not in controls:
            return "replace(s.flag, 'i', '')"
        return f"s.{column}"

    def _insertion(self, controls: Sequence[FideControl]) -> str:
        """Return the beginning of a statement that inserts players with ratings of these controls only."""
        left_out = {column for one in FideControl if one not in controls for column in _OF_CONTROL[one]}
        selected = ", ".join(
            self._value(column, controls)
            if column not in left_out
            else "NULL"
            if column.endswith("_rating")
            else "0"
            for column in _COLUMNS
        )
        return f"INSERT INTO {PLAYERS} ({', '.join(_COLUMNS)}) SELECT {selected} FROM {STAGED} s"  # noqa: S608

    def _insert_all(self, controls: Sequence[FideControl]) -> int:
        return self.execute(f"{self._insertion(controls)} ORDER BY s.fide_id")

    def _upsert(self, controls: Sequence[FideControl], identity: bool) -> int:
        updated = ", ".join(f"{column} = excluded.{column}" for column in self._updated(controls, identity))
        return self.execute(
            f"{self._insertion(controls)}"  # noqa: S608
            f" WHERE s.fide_id IN (SELECT listed FROM {_DIFFERING} WHERE listed IS NOT NULL)"
            f" ORDER BY s.fide_id ON CONFLICT (fide_id) DO UPDATE SET {updated}"
        )

    def _remove(self, controls: Sequence[FideControl]) -> int:
        unlisted = f"fide_id IN (SELECT in_force FROM {_DIFFERING} WHERE listed IS NULL)"  # noqa: S608
        if len(controls) == len(FideControl):
            return self.execute(f"DELETE FROM {PLAYERS} WHERE {unlisted}")  # noqa: S608
        nothing = ", ".join(
            f"{column} = {'NULL' if column.endswith('_rating') else 0}"
            for control in controls
            for column in _OF_CONTROL[control]
        )
        rated = " OR ".join(f"{control}_rating IS NOT NULL" for control in controls)
        return self.execute(f"UPDATE {PLAYERS} SET {nothing} WHERE ({rated}) AND {unlisted}")  # noqa: S608

    def _added(self) -> int:
        return int(self.fetch(f"SELECT count(*) FROM {_DIFFERING} WHERE in_force IS NULL")[0][0])  # noqa: S608

    def drop(self) -> None:
        """Remove the temporary tables."""
        for table in (STAGED, _DIFFERING):
            self.execute(f"DROP TABLE IF EXISTS {table}")

    def execute(self, statement: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            rows: int = cursor.rowcount
        return rows

    def fetch(self, statement: str) -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            rows: list[Any] = cursor.fetchall()
        return rows


def keep_history(table: str, control: FideControl, fide_list: FideList) -> None:
    """Store what a list said about every member with a FIDE ID in a control, even if it lacks them.

    ``table``: the players of that list. Rows that would stay the same aren't written, and neither are those
    of FIDE IDs to which the list gives several ratings.
    """
    differs = "IS DISTINCT FROM" if connection.vendor == "postgresql" else "IS NOT"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {_HISTORY} (fide_id, control, period, rating, games)"  # noqa: S608
            f" SELECT m.fide_id, %s, %s, p.{control}_rating, coalesce(p.{control}_games, 0)"
            f" FROM {_MEMBERS} m LEFT JOIN {table} p ON p.fide_id = m.fide_id WHERE m.fide_id IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM {_DOUBLE_RATINGS} d WHERE d.fide_id = m.fide_id"
            " AND d.fide_list_id = %s AND d.control = %s)"
            " ON CONFLICT (fide_id, control, period) DO UPDATE"
            " SET rating = excluded.rating, games = excluded.games"
            f" WHERE ({_HISTORY}.rating, {_HISTORY}.games) {differs} (excluded.rating, excluded.games)",
            [control.value, fide_list.period, fide_list.pk, control.value],
        )


def _values(some: Players[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the players in the order of the columns, then the line."""
    return [
        (fide_id, name, searched, *described, *standard, *rapid, *blitz, *end, line)
        for searched, (line, fide_id, name, described, standard, rapid, blitz, end) in zip(
            all_folded(some.names), zip(*some, strict=True), strict=True
        )
    ]


def _as_values(part: Part) -> tuple[Any, ...]:
    return _NOTHING if part is None else part


def _as_text(part: Part) -> str:
    """Format a part of a row for COPY. Nothing is escaped: only a name can need that."""
    return "\t".join(r"\N" if value is None else str(value) for value in _as_values(part))


def _copied(some: Players[str], *, numbered: bool) -> bytes:
    """Return the players as lines of a COPY."""
    lines, ids, names, *parts = some
    if "\\" in "".join(names):
        names = [name.replace("\\", r"\\") for name in names]
    columns = [map(str, ids), names, all_folded(names), *parts]
    if numbered:
        columns.append(map(str, lines))
    return "\n".join((*map("\t".join, zip(*columns, strict=True)), "")).encode()
