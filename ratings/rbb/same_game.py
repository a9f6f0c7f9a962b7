"""Is this game here already? By its id, by its address, or else by what was played."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Model
from django.utils.translation import gettext_noop

from members.usernames import NameFault
from ratings.formats.main_line import main_line
from ratings.formats.unseen import seen, unseen
from ratings.office import bulk
from ratings.office.bulk import as_moment, as_stored, batches
from ratings.office.locks import LOCKS, lock_names, locks_of
from ratings.rules.rbb.plausibility import is_day_alone
from ratings.rules.time_controls import Category

POSSIBLY_SAME: Final = "possibly the same game as one that is stored"
"""Reason why a game is unrated until an officer has said whether it is another one."""

TURNED_CASUAL: Final = "its server says that it wasn’t rated"
"""Reason why a game is unrated that its server first sent as rated."""

LEAST_PLIES: Final = 20
"""Minimum number of half-moves by which two reports are likely of one game."""

_A_DAY: Final = timedelta(days=1)
_OF_PAIRS: Final = LOCKS + len(Category) + 3
_AT_ONCE: Final = 400


class GameFacts(NamedTuple):
    """Facts of a game that has ended; ``key`` is its own, 0 if it isn't stored."""

    key: int
    white: int
    black: int
    control: int | None
    started_at: datetime
    ended_at: datetime
    result: str
    plies: int | None
    pgn: str

    @classmethod
    def of(cls, game: Any) -> GameFacts:
        """Return what is known of a game that has ended."""
        return cls(game.pk or 0, *(getattr(game, name) for name in _COLUMNS))


_MOMENTS: Final = ("started_at", "ended_at")
_COLUMNS: Final = ("white_id", "black_id", "time_control_id", *_MOMENTS, "result", "plies", "pgn")

COMPARED: Final = tuple(name for name in _COLUMNS if name != "plies")
"""Columns that decide whether two games are likely the same."""


def are_likely_same(one: GameFacts, other: GameFacts) -> bool:
    """Return whether two reports are likely of one game: of the same players, at the same time control.

    Both began at the same moment, and had the same end or result, unless only their day is known. Or both
    have the same result and the same moves, at least 20 half-moves, and ended within a day. Never if their
    moves differ.
    """
    if (one.white, one.black, one.control) != (other.white, other.black, other.control):
        return False
    moves, others = _moves(one.pgn), _moves(other.pgn)
    if moves and others and moves[: len(others)] != others[: len(moves)]:
        return False
    if one.started_at == other.started_at and not is_day_alone(one.started_at, one.ended_at):
        return one.ended_at == other.ended_at or one.result == other.result
    return (
        one.result == other.result
        and abs(one.ended_at - other.ended_at) <= _A_DAY
        and len(moves) >= LEAST_PLIES
        and moves == others
    )


def likely_same(model: type[Model], told: Sequence[GameFacts]) -> list[list[int]]:
    """Return for each of these games the keys of stored games that are likely the same, earliest first.

    Void games are among them: what was taken out must not come back under another id. Only one transaction at
    a time asks about games of the same players, and then stores them.
    """
    found: list[list[int]] = []
    waiting = locks_of(_OF_PAIRS, (f"{one.white} {one.black}" for one in told))
    for some in batches(told, _AT_ONCE):
        near: dict[tuple[int, int], list[GameFacts]] = defaultdict(list)
        for row in _near(model, some, waiting):
            near[row.white, row.black].append(row)
        waiting = ""
        for one in some:
            others = near[one.white, one.black]
            found.append(
                sorted(row.key for row in others if row.key != one.key and are_likely_same(row, one))
            )
    return found


def pairs_likely_same(games: Any) -> Iterator[tuple[int, int]]:
    """Yield the keys of games of a queryset, in pairs that are likely one game."""
    rows = games.order_by("white", "black", "ended_at", "pk").values_list("pk", *_COLUMNS[:-1])
    pair: list[GameFacts] = []
    for row in rows.iterator(10_000):
        told = GameFacts._make((*row, ""))
        if pair and (pair[0].white, pair[0].black) != (told.white, told.black):
            pair.clear()
        pair = [one for one in pair if told.ended_at - one.ended_at <= _A_DAY]
        close = [one for one in pair if _may_be_same(one, told)]
        if close:
            known = games.model.objects.in_bulk([told.key, *(one.key for one in close)])
            for one in close:
                if are_likely_same(GameFacts.of(known[one.key]), GameFacts.of(known[told.key])):
                    yield min(one.key, told.key), max(one.key, told.key)
        pair.append(told)


def first_of_each(told: Sequence[GameFacts]) -> dict[int, int]:
    """Return the places of games in this list that are likely one before them, each with its place."""
    of_pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, one in enumerate(told):
        of_pairs[one.white, one.black].append(place)
    found: dict[int, int] = {}
    for places in of_pairs.values():
        for first, second in combinations(places, 2):
            if first not in found and second not in found and are_likely_same(told[first], told[second]):
                found[second] = first
    return found


def _near(model: type[Model], told: Sequence[GameFacts], waiting: str) -> Iterator[GameFacts]:
    """Yield the stored games of the same players that ended within a day of one of these.

    By the index on White's games and their ends: a game that began at the same moment ended within a day,
    too. Moves are read only of games that may be the same. ``waiting``: locks to take before, in the same
    round trip.
    """
    asked = [(one.white, one.black, one.started_at - _A_DAY, one.ended_at + _A_DAY) for one in told]
    table, on_sqlite = model._meta.db_table, connection.vendor == "sqlite"
    columns = ", ".join(
        # SQLite's driver would turn a moment into one without its zone.
        f"CAST(g.{column} AS text)" if on_sqlite and column in _MOMENTS else f"g.{column}"
        for column in ("id", *_COLUMNS[:-1])
    )
    on = "g.white_id = a.white AND g.black_id = a.black AND g.ended_at BETWEEN a.since AND a.until"
    rows: set[Any] = set()
    with connection.cursor() as cursor:
        if not on_sqlite:
            cursor.execute(
                f"{waiting} SELECT {columns} FROM"  # noqa: S608  names
                " unnest(%s::bigint[], %s::bigint[], %s::timestamptz[], %s::timestamptz[])"
                f" AS a (white, black, since, until) JOIN {table} g ON {on}",
                [list(values) for values in zip(*asked, strict=True)],
            )
            if waiting:
                cursor.nextset()
        else:
            values = ", ".join(["(%s, %s, %s, %s)"] * len(asked))
            stored = [value if isinstance(value, int) else as_stored(value) for row in asked for value in row]
            cursor.execute(
                f"WITH a (white, black, since, until) AS (VALUES {values})"  # noqa: S608  names
                f" SELECT {columns} FROM a CROSS JOIN {table} g ON {on}",
                stored,
            )
        rows.update(cursor.fetchall())
    of_pairs: dict[tuple[int, int], list[GameFacts]] = defaultdict(list)
    for one in told:
        of_pairs[one.white, one.black].append(one)
    near = []
    for key, white, black, control, started_at, ended_at, result, plies in rows:
        row = GameFacts(
            key, white, black, control, as_moment(started_at), as_moment(ended_at), result, plies, ""
        )
        if any(
            row.key != one.key and _may_be_same(row, one) and (one.pgn or one.started_at == row.started_at)
            for one in of_pairs[white, black]
        ):
            near.append(row)
    if near:
        games: Any = model._default_manager.filter(pk__in=[row.key for row in near])
        moves = dict(games.order_by().values_list("pk", "pgn"))
        yield from (row._replace(pgn=moves.get(row.key, "")) for row in near)


def _may_be_same(one: GameFacts, other: GameFacts) -> bool:
    """Return whether two games of a pair may be likely the same, without looking at their moves."""
    if one.control != other.control:
        return False
    if one.started_at == other.started_at and (one.ended_at == other.ended_at or one.result == other.result):
        return True
    plies = {known for known in (one.plies, other.plies) if known is not None}
    return one.result == other.result and len(plies) < 2 and min(plies, default=LEAST_PLIES) >= LEAST_PLIES


def _moves(pgn: str) -> tuple[str, ...]:
    """Return the moves of the main line; empty if there are none or they can't be read."""
    line = main_line(pgn) if pgn else None
    return tuple(ply.san for ply in line.plies) if line else ()


_OF_IDS: Final = LOCKS + len(Category) + 2

_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def server_of_id(external_id: str) -> str:
    """Return the server whose name a game's id begins with, as in ``arena/1001``; empty for addresses."""
    server, slash, _id = external_id.partition("/")
    return server if slash and ":" not in server else ""


def id_key(external_id: str) -> str:
    """Return the same key for ids that differ only in case, width or invisible characters."""
    if external_id.isascii():
        return external_id.lower()
    return unicodedata.normalize("NFKC", seen(external_id).casefold())


def lock_ids(external_ids: Iterable[str]) -> None:
    """Lock these ids, and similar ones, against other transactions until the end of this one.

    The database itself refuses only identical ids, not those that differ in case.
    """
    lock_names(_OF_IDS, map(id_key, external_ids))


def ids_alike(model: type[Model], external_ids: Iterable[str]) -> dict[str, list[str]]:
    """Return the stored ids that equal one of these in lower case, by their keys."""
    spelled = {
        spelling.translate(_LOWER)
        for one in external_ids
        # SQLite lower-cases only ASCII.
        for spelling in ((one,) if one.isascii() else (one, one.lower(), one.upper()))
    }
    found: dict[str, list[str]] = {}
    rows = bulk.fetch_rows(model, ("external_id",), sorted(spelled), by="external_id", lower=True)
    for (stored,) in rows:
        found.setdefault(id_key(stored), []).append(stored)
    return found


def id_fault(external_id: str, alike: Collection[str]) -> NameFault | None:
    """Return why no new game can have this id, or None. ``alike``: other ids with the same key."""
    words = {"id": external_id[:80]}
    if char := unseen(external_id):
        text = gettext_noop("%(char)s in the ID “%(id)s” is invisible. Remove it.")
        return NameFault(text, {**words, "char": char})
    if (plain := unicodedata.normalize("NFKC", external_id)) != external_id:
        text = gettext_noop(
            "The id “%(id)s” has characters in an unusual width or form. Write it as “%(plain)s”."
        )
        return NameFault(text, {**words, "plain": plain[:80]})
    if alike:
        text = gettext_noop(
            "The ID “%(id)s” differs from that of a stored game only in capital letters: "
            "“%(stored)s”. Write it that way if it is the same game."
        )
        return NameFault(text, {**words, "stored": min(alike)[:80]})
    return None
