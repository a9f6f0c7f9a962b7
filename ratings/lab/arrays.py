"""The inputs of the ledger as flat arrays: read from the database in pieces, and kept in one file.

All games of all categories are in one order, that of the ledger (docs/architecture.md, “The order of
events”). Openings and over-the-board changes are few; each says before which game it comes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from django.db import connection
from django.db.models import BigIntegerField, Case, F, Func, QuerySet, Value, When
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from foa.version import version
from members.models import Member
from ratings.lab.marks import mark_of_office
from ratings.rbb.ledger.events import WHITE_HALF_POINTS
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.editions import RuleEdition, amendment_of
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.games import Game
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.editions import Amendment

FORMAT: Final = 2
"""Version of the file. A program refuses files of any other."""

Array = Any
"""An array of numpy, which may not be installed where types are checked."""

_AT_ONCE: Final = 50_000
_EPOCH_OF_POSTGRESQL: Final = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
_HEADER_OF_COPY: Final = 19
_FOOTER_OF_COPY: Final = 2


class DataRefused(Exception):
    """A file of inputs that can't be used: the reason, and what to do."""


class Microseconds(Func):
    """A moment in microseconds since 1970; on PostgreSQL as it is stored, since 2000."""

    output_field = BigIntegerField()
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the number from the text that SQLite stores."""
        template = (
            "(CAST(strftime('%%%%s', %(expressions)s) AS INTEGER) * 1000000"
            " + CAST(substr(%(expressions)s || '.000000', 21, 6) AS INTEGER))"
        )
        sql, params = self.as_sql(compiler, connection, template=template, **context)
        return sql, (*params, *params)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the moment itself, eight bytes in a binary COPY."""
        return self.as_sql(compiler, connection, template="%(expressions)s", **context)


@dataclass(slots=True)
class Data:
    """The inputs. ``members``: their keys, in order; ``born``: their birth years, 0 if unknown.

    ``white`` and ``black`` are rows of standings: all members in rapid first, then in blitz and bullet.
    ``extras``: as :func:`ratings.lab.engine.play` takes them; ``extra_ids``, ``extra_moments`` beside them.
    ``editions``: day and TOML of each edition in force. ``mark``: what the ledger had been told when they
    were read.
    """

    members: Array
    born: Array
    moment: Array
    ids: Array
    tie_rank: Array
    white: Array
    black: Array
    points: Array
    extras: Array
    extra_ids: Array
    extra_moments: Array
    read_at: str
    mark: str
    program: str
    editions: list[list[str]] = field(default_factory=list)

    ARRAYS = (
        "members", "born", "moment", "ids", "tie_rank", "white", "black", "points",
        "extras", "extra_ids", "extra_moments",
    )  # fmt: skip

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.moment)

    @property
    def amendments(self) -> list[Amendment]:
        """The amendments of the editions in force."""
        return [amendment_of(date.fromisoformat(since), toml) for since, toml in self.editions]

    @property
    def checksum(self) -> str:
        """SHA-256 of the arrays and of the editions, if there are any."""
        digest = sha256()
        for name in self.ARRAYS:
            digest.update(f"{name}:{getattr(self, name).dtype.str}:{getattr(self, name).shape};".encode())
            digest.update(np.ascontiguousarray(getattr(self, name)).data)
        if self.editions:
            digest.update(json.dumps(self.editions).encode())
        return digest.hexdigest()

    def first_game_from(self, moment: datetime) -> int:
        """Return the number of the first game that ended at this moment or later."""
        return int(np.searchsorted(self.moment, int(moment.timestamp() * 1_000_000)))

    def moment_of(self, game: int) -> datetime:
        """Return when a game ended."""
        return datetime.fromtimestamp(int(self.moment[game]) / 1_000_000, UTC)


def read(tell: Callable[[int], object] = lambda games: None) -> Data:
    """Read all inputs as of one moment. ``tell`` gets the number of games read so far."""
    with one_moment():
        return inputs(tell)


def inputs(tell: Callable[[int], object] = lambda games: None) -> Data:
    """Read all inputs within :func:`one_moment`."""
    mark, read_at = mark_of_office(), timezone.now().isoformat(timespec="seconds")
    people = _joined(
        columns_of(Member.objects.order_by("pk"), [F("pk"), Coalesce(F("birth_year"), Value(0))]), 2
    )
    members, born = people[0], people[1].astype(np.int32)
    columns = [
        Microseconds(F("ended_at")),
        F("pk"),
        F("tie_rank"),
        F("white"),
        F("black"),
        F("time_control__category"),
        Case(*(When(result=one, then=Value(points)) for one, points in WHITE_HALF_POINTS.items())),
    ]
    counting = Game.objects.counting().filter(time_control__category__isnull=False).order_by()
    pieces, taken = [], 0
    # Closed at once if somebody stops the job: a COPY that is under way lets no other statement through.
    with closing(columns_of(counting, columns)) as rows:
        for moment, ids, tie_rank, white, black, category, points in rows:
            before = (category - 1) * len(members)
            white_row, black_row = (np.searchsorted(members, one) + before for one in (white, black))
            numbers = (tie_rank.astype(np.uint16), white_row.astype(np.uint32), black_row.astype(np.uint32))
            pieces.append((moment, ids, *numbers, points.astype(np.uint8)))
            taken += len(ids)
            tell(taken)
    extras, extra_ids, extra_moments = _extras(members)
    games = _in_order(pieces)
    extras[:, 0] = np.searchsorted(games[0], extra_moments)
    names = ("moment", "ids", "tie_rank", "white", "black", "points")
    return Data(
        members=members,
        born=born,
        **dict(zip(names, games, strict=True)),
        extras=extras,
        extra_ids=extra_ids,
        extra_moments=extra_moments,
        editions=[
            [since.isoformat(), toml] for since, toml in RuleEdition.objects.values_list("since", "toml")
        ],
        read_at=read_at,
        mark=mark,
        program=version(),
    )


def _extras(members: Array) -> tuple[Array, Array, Array]:
    """Return openings and adjustments in order, with their ids and moments."""
    at = Microseconds(F("effective_at"))
    openings = _joined(
        columns_of(
            OpeningRating.objects.with_outranked().order_by(),
            [at, F("pk"), F("member"), F("category"), F("rating"), F("games"), *map(_truth, _TRUTHS)],
        ),
        8,
    )
    adjustments = _joined(
        columns_of(OtbAdjustment.objects.order_by(), [at, F("pk"), F("member"), F("category"), F("change")]),
        5,
    )
    nothing = np.zeros((3, len(adjustments[0])), np.int64)
    both = np.concatenate([np.stack(openings), np.concatenate([np.stack(adjustments), nothing])], axis=1)
    kind = np.repeat([EventType.OPENING, EventType.ADJUSTMENT], [len(openings[0]), len(adjustments[0])])
    moment, ids, member, category, *values = both
    rows = np.searchsorted(members, member) + (category - 1) * len(members)
    extras = np.stack([np.zeros_like(rows), rows, kind, *values], axis=1).astype(np.int64)
    order = np.lexsort((ids, kind, moment))
    return extras[order], ids[order], moment[order]


_TRUTHS: Final = ("previously_unrated", "outranked")


def _truth(name: str) -> Case:
    return Case(When(**{name: True}, then=Value(1)), default=Value(0))


def _in_order(pieces: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
    """Join pieces of games in the order of events: moment, tie rank, id."""
    if not pieces:
        kinds = (np.int64, np.int64, np.uint16, np.uint32, np.uint32, np.uint8)
        return tuple(np.empty(0, kind) for kind in kinds)
    columns = list(zip(*pieces, strict=True))
    moment = np.concatenate(columns[0])
    # Games are stored roughly in their order, which a stable sort makes use of. Then those of one moment.
    order = np.argsort(moment, kind="stable")
    moment = moment[order]
    same = np.flatnonzero(moment[1:] == moment[:-1])
    ids, tie_rank = np.concatenate(columns[1])[order], np.concatenate(columns[2])[order]
    if len(same):
        at = np.union1d(same, same + 1)
        among = at[np.lexsort((ids[at], tie_rank[at], moment[at]))]
        order[at] = order[among]
        ids[at], tie_rank[at] = ids[among], tie_rank[among]
    return moment, ids, tie_rank, *(np.concatenate(column)[order] for column in columns[3:])


@contextmanager
def one_moment() -> Iterator[None]:
    """Let every statement within see the database as of one moment, while others may write."""
    if connection.in_atomic_block:
        yield
        return
    # Django's own transactions take SQLite's only lock.
    on_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute(
            f"BEGIN {'ISOLATION LEVEL REPEATABLE READ READ ONLY' if on_postgresql else 'DEFERRED'}"
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def _joined(pieces: Iterator[list[Array]], width: int) -> list[Array]:
    columns = list(zip(*pieces, strict=True))
    return [np.concatenate(column) for column in columns] or [np.empty(0, np.int64) for _ in range(width)]


def columns_of(queryset: QuerySet[Any], columns: Sequence[Any]) -> Generator[list[Array], None, None]:
    """Yield pieces of a queryset as arrays of whole numbers, one for each column, none of them empty.

    On PostgreSQL by a binary COPY: its rows all have the same length, so they are an array already.
    """
    asked = [one if isinstance(one, Microseconds) else Cast(one, BigIntegerField()) for one in columns]
    read = queryset.values_list(*asked)
    sql, params = read.query.get_compiler(connection.alias).as_sql()
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            cursor.execute(sql, params)
            while rows := cursor.fetchmany(_AT_ONCE):
                yield list(np.array(rows, np.int64).T.copy())
            return
        moments = [isinstance(one, Microseconds) for one in columns]
        fields = [
            ("", ">i2"),
            *(field for n in range(len(columns)) for field in (("", ">i4"), (f"c{n}", ">i8"))),
        ]
        row = np.dtype([(name or f"_{n}", kind) for n, (name, kind) in enumerate(fields)])
        with cursor.copy(f"COPY ({sql}) TO STDOUT (FORMAT BINARY)", params) as copy:
            block = bytearray()
            skipped = _HEADER_OF_COPY
            # A row at a time, kept as bytes: many small objects would keep the garbage collector busy.
            for piece in chain(copy, [None]):
                if piece is not None:
                    block += piece
                    if len(block) < _AT_ONCE * row.itemsize:
                        continue
                whole = max(0, len(block) - skipped) // row.itemsize
                rows = np.frombuffer(bytes(block), row, whole, skipped)
                del block[: skipped + whole * row.itemsize]
                skipped = 0
                if whole:
                    yield [
                        rows[f"c{n}"].astype(np.int64) + (_EPOCH_OF_POSTGRESQL if is_moment else 0)
                        for n, is_moment in enumerate(moments)
                    ]
        if len(block) != _FOOTER_OF_COPY:
            raise RuntimeError("PostgreSQL’s COPY has rows of different lengths.")


def save(data: Data, stream: BinaryIO) -> None:
    """Write the inputs as one compressed file, with version, moment and checksum."""
    about = {
        "format": FORMAT,
        "program": data.program,
        "read_at": data.read_at,
        "mark": data.mark,
        "editions": data.editions,
        "checksum": data.checksum,
    }
    arrays = {name: getattr(data, name) for name in Data.ARRAYS}
    np.savez_compressed(stream, about=np.array(json.dumps(about)), **arrays)


def load(path: str | Path) -> Data:
    """Read such a file. Raises DataRefused."""
    anew = "Make a new one: manage.py lab read FILE"
    try:
        with Path(path).open("rb") as stream, np.load(stream) as stored:
            about = json.loads(str(stored["about"]))
            if about["format"] != FORMAT:
                raise DataRefused(
                    f"{path} has version {about['format']}, of program {about['program']}; this program reads"
                    f" version {FORMAT}. {anew}"
                )
            arrays = {name: stored[name] for name in Data.ARRAYS}
    except OSError as error:
        raise DataRefused(f"{path}: {error.strerror or 'it isn’t a file of the lab. ' + anew}") from error
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, json.JSONDecodeError) as error:
        raise DataRefused(f"{path} isn’t a file of the lab, or it is damaged. {anew}") from error
    data = Data(**arrays, **{name: about[name] for name in ("editions", "read_at", "mark", "program")})
    if data.checksum != about["checksum"]:
        raise DataRefused(f"{path} is damaged: its checksum differs. {anew}")
    return data
