"""Games from files, a million in one go: the same conditions and the same replay as a single save.

Everything happens in one transaction: afterwards either all games of the file that can be stored are stored
and rated, or none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from members.models import FullMembership, Member
from members.usernames import Usernames, composed, unseen
from ratings.formats.games import UNFINISHED, GameRow
from ratings.formats.problems import Problem, readable, shown
from ratings.models.deferral import MANY, Pending
from ratings.models.games import Game, ImportBatch, TimeControl
from ratings.models.keys import Kind, change_id
from ratings.models.ledger import Rating, RatingChange
from ratings.office import bulk
from ratings.rules.rbb.conditions import Span, why_not_rated
from ratings.rules.rbb.plausibility import longest
from ratings.rules.time_controls import Category, Control, category_of
from ratings.services.ledger.causes import Cause
from ratings.services.ledger.file_order import FileOrder
from ratings.services.ledger.locks import lock_imports
from ratings.services.ledger.plausibility import Examples, overlaps_of_batch
from ratings.services.ledger.replay import deferred
from ratings.services.ledger.summaries import Progress, ReplaySummary
from ratings.services.ledger.versions import STORED_VERSION, Version

MEMBER_SINCE_EVER: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""From when a member made by an import is a full member: before any game that a later file may bring."""

_AT_ONCE = 10_000
_PLAYERS_AT_MOST = 50_000
"""So many are known from one part of a file to the next, some 20 MB."""

_COLUMNS = (
    "external_id",
    "white_id",
    "black_id",
    "time_control_id",
    "rated",
    "unrated_reason",
    "result",
    "termination",
    "termination_word",
    "plies",
    "started_at",
    "ended_at",
    "pgn",
    "batch_id",
    "void_reason",
    "void_note",
)


class StrictImportRefused(Exception):
    """With ``strict``, a row was refused, so nothing was stored."""


@dataclass(slots=True)
class GamesImported:
    """What became of a file of games."""

    read: int = 0
    stored: int = 0
    rated: int = 0
    unrated: Counter[str] = field(default_factory=Counter)
    assumed: Counter[str] = field(default_factory=Counter)
    """What isn't in the file, and was said for its games by whoever imports it."""
    finished: int = 0
    """Games that were in progress here, and have ended since."""
    marked: int = 0
    """Games that were unrated here because a file didn't say, and are rated now."""
    already_there: int = 0
    refused: int = 0
    members_created: int = 0
    too_long: Examples = field(default_factory=Examples)
    overlapping: Examples = field(default_factory=Examples)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def import_games(
    *,
    rows: Iterable[GameRow | Problem],
    source: str,
    sha256: str,
    at: datetime,
    create_members: bool = False,
    strict: bool = False,
    on_refused: Callable[[Problem], None] = lambda problem: None,
    progress: Progress | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> GamesImported:
    """Store the games that are not there yet, finish those that were in progress, and rate them.

    ``at``: the moment of the import (UTC); no game may end after it. ``on_refused`` is told every row that
    was refused, with its line and the reason. Raises StrictImportRefused with ``strict`` once the whole
    file was read and something was refused.
    """
    with transaction.atomic(using=using):
        lock_imports(connections[using])
        with deferred(progress=progress, using=using, cause=Cause.IMPORT) as work:
            job = _Import(source, sha256, at, create_members, on_refused, work.touched, using)
            rows = iter(rows)
            some = list(islice(rows, _AT_ONCE))
            with _indexes_for(len(some), using):
                while some:
                    job.take(some)
                    some = list(islice(rows, _AT_ONCE))
            if strict and job.result.refused:
                raise StrictImportRefused
            job.close()
        job.result.replayed = work.summary
        if job.result.rated:
            _tell_planner(connections[using])
    return job.result


def _tell_planner(connection: BaseDatabaseWrapper) -> None:
    """Let PostgreSQL count what came: it may still plan for the tables as they were before."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in (Member, Game, RatingChange, Rating):
                cursor.execute(f"ANALYZE {model._meta.db_table}")


@contextmanager
def _indexes_for(rows: int, using: str) -> Iterator[None]:
    """Fill an empty table of games without its indexes, if so many rows are only the beginning of a file."""
    connection = connections[using]
    if rows < _AT_ONCE or Game.objects.using(using).order_by().exists():
        yield
        return
    with bulk.without_indexes(connection, Game):
        if connection.vendor == "postgresql":
            # Rows whose foreign keys are still to be checked keep PostgreSQL from building an index.
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        yield
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


class _Player(NamedTuple):
    """Somebody who plays in a file, with their spans of full membership."""

    id: int
    spans: list[Span]


class _Players(NamedTuple):
    """Who plays in some rows, by username, and why the others are not known."""

    known: dict[str, _Player]
    unknown: dict[str, str]


class _Import:
    """One file on its way in."""

    def __init__(
        self,
        source: str,
        sha256: str,
        at: datetime,
        create_members: bool,
        on_refused: Callable[[Problem], None],
        touched: Pending,
        using: str,
    ) -> None:
        self.using = using
        self.connection = connections[using]
        self.at = at
        self.create_members = create_members
        self.on_refused = on_refused
        self.touched = touched
        self.result = GamesImported()
        self.controls = {control.control: control.pk for control in TimeControl.objects.using(using).all()}
        self.batch = ImportBatch.objects.using(using).create(
            source=readable(source)[-255:], sha256=sha256, imported_at=at
        )
        self.known: dict[str, _Player] = {}
        self.first: dict[Category, datetime] = {}
        self.since: datetime | None = None
        self.until: datetime | None = None
        self.order = FileOrder(
            self.connection, self.batch.pk, _COLUMNS.index("external_id"), _COLUMNS.index("ended_at")
        )

    def take(self, some: list[GameRow | Problem]) -> None:
        """Refuse, skip or store some thousand rows."""
        self.result.read += len(some)
        rows: list[GameRow] = []
        for row in some:
            if isinstance(row, Problem):
                self._refuse(row)
            else:
                rows.append(row)
        new = list(self._not_there_yet(rows))
        members = self._members(new)
        stored = [values for row in new if (values := self._values(row, members)) is not None]
        bulk.insert_rows(self.connection, Game, _COLUMNS, self.order.sorted(stored))
        self.result.stored += len(stored)

    def close(self) -> None:
        """Order equal moments and write the figures into the batch; a run that stored nothing leaves none."""
        self.order.settle()
        self._touch()
        self._look_for_overlaps()
        if not self.result.stored:
            self.batch.delete()
            return
        self.batch.stored = self.result.stored
        self.batch.already_there = self.result.already_there
        self.batch.refused = self.result.refused
        self.batch.save()

    def _touch(self) -> None:
        """Say what the replay is about: each game by its final key, or where many begin."""
        if self.result.rated <= MANY:
            for category, moment, pk in Game.objects.using(self.using).filter(batch=self.batch).places():
                self.touched.add(category, moment, change_id(Kind.GAME, pk))
        else:
            for category, moment in self.first.items():
                self.touched.add(category, moment)

    def _look_for_overlaps(self) -> None:
        """Count the games of this file that were played at the same time as others of a player."""
        if self.since is None or self.until is None:
            return
        with bulk.sorting_on_disk(self.connection):
            self.result.overlapping = overlaps_of_batch(self.batch, self.since, self.until, self.using)

    def _refuse(self, problem: Problem) -> None:
        self.result.refused += 1
        self.on_refused(problem)

    def _not_there_yet(self, rows: list[GameRow]) -> Iterator[GameRow]:
        """Skip games that are stored as they are here, finish those in progress, refuse the others."""
        stored = self._stored([row.external_id for row in rows])
        for row in rows:
            here = Version.of(row)
            known = stored.get(row.external_id)
            if known is None:
                stored[row.external_id] = here, self.batch.pk
                yield row
                continue
            there, batch = known
            if batch == self.batch.pk:
                self._refuse(_problem(row, "external_id stands a second time in this file"))
            elif here.marks(there):
                if self._mark(row):
                    stored[row.external_id] = here, batch
            elif there.same_as(here) or there.finishes(here):
                self.result.already_there += 1
            elif here.finishes(there):
                if self._finish(there, row):
                    stored[row.external_id] = here, batch
            else:
                differing = (
                    f"a game of this external_id is stored already and differs in {there.differing(here)}; "
                    f"stored: {there}; in this file: {here}"
                )
                self._refuse(_problem(row, differing))

    def _stored(self, external_ids: list[str]) -> dict[str, tuple[Version, int | None]]:
        """The games of these ids that are stored, with their import."""
        # Most files are new: what is there is found without building a query of ten thousand values.
        there = external_ids and bulk.fetch_rows(
            self.connection, Game, ("external_id",), external_ids, by="external_id"
        )
        if not there:
            return {}
        stored = Game.objects.using(self.using).filter(external_id__in=[one for (one,) in there]).order_by()
        return {
            str(external_id): (Version(composed(white), composed(black), *values), batch)
            for external_id, batch, white, black, *values in stored.values_list(
                "external_id", "batch_id", *STORED_VERSION
            )
        }

    def _finish(self, there: Version, row: GameRow) -> bool:
        """Finish a game that was in progress, as one that is saved; False if it was refused."""
        game = Game.objects.using(self.using).get(external_id=row.external_id)
        game.result, game.ended_at = row.result, row.ended_at
        game.termination, game.termination_word = row.termination, row.word
        game.plies = game.plies if row.plies is None else row.plies
        game.pgn = row.pgn or game.pgn
        if there.rated or there.unrated_reason == UNFINISHED:
            game.rated, game.unrated_reason = row.rated, row.unrated_reason
        vars(game)["_change_reason"] = f"finished in {self.batch.source}"[:255]
        try:
            game.save()
        except ValidationError as error:
            self._refuse(_problem(row, "; ".join(error.messages)))
            return False
        self.result.finished += 1
        return True

    def _mark(self, row: GameRow) -> bool:
        """Rate a game that was kept unrated because no file said whether it was rated; False if refused."""
        game = Game.objects.using(self.using).get(external_id=row.external_id)
        game.rated, game.unrated_reason = True, ""
        vars(game)["_change_reason"] = f"rated as {self.batch.source} says"[:255]
        try:
            game.save()
        except ValidationError as error:
            self._refuse(_problem(row, "; ".join(error.messages)))
            return False
        self.result.marked += 1
        self.result.assumed.update(row.assumed)
        return True

    def _members(self, rows: list[GameRow]) -> _Players:
        """Everybody who plays here, by username."""
        if len(self.known) > _PLAYERS_AT_MOST:
            self.known.clear()
        everybody = dict.fromkeys(composed(name) for row in rows for name in (row.white, row.black))
        names = [name for name in everybody if name not in self.known]
        members = Member.objects.using(self.using)
        found = members.of_usernames(names).order_by().values_list("username", "pk")
        players = Usernames(found)
        ids = {name: pk for name in names if (pk := players.get(name)) is not None}
        if self.create_members:
            new: dict[str, Member] = {}
            for name in names:
                if name not in ids and not players.alike(name) and not unseen(name):
                    new[name] = Member(username=name)
                    # The key comes when it is stored; until then it is known that the username is taken.
                    players.add(name, 0)
            created = members.bulk_create(new.values(), batch_size=1000)
            FullMembership.objects.using(self.using).bulk_create(
                [FullMembership(member=member, full_from=MEMBER_SINCE_EVER) for member in created],
                batch_size=1000,
            )
            ids.update((name, member.pk) for name, member in new.items())
            self.result.members_created += len(created)
        spans = FullMembership.objects.using(self.using).spans_of(ids.values())
        self.known.update((name, _Player(member, spans[member])) for name, member in ids.items())
        unknown = {name: _why_unknown(name, players) for name in names if name not in ids}
        return _Players(self.known, unknown)

    def _values(self, row: GameRow, members: _Players) -> tuple[Any, ...] | None:
        """The row of the games table, or None once it was refused."""
        names = composed(row.white), composed(row.black)
        white, black = map(members.known.get, names)
        reasons = [
            f"{colour} {members.unknown[name]}"
            for colour, name in zip(("white", "black"), names, strict=True)
            if name in members.unknown
        ]
        if white is not None and white is black:
            reasons.append(f"white and black are both {shown(names[0])}")
        if row.ended_at is not None and row.ended_at > self.at:
            reasons.append(
                f"ended_at {row.ended_at:%Y-%m-%dT%H:%M:%SZ} lies in the future: "
                "ratings follow the completed game (RBB 3.11)"
            )
        if row.rated and white is not None and black is not None:
            unmet = why_not_rated(
                row.control,
                started_at=row.started_at,
                white=white.spans,
                black=black.spans,
                plies=row.plies,
                result=row.result,
                termination=row.termination,
                word=row.word,
            )
            reasons += map(str, unmet)
        if reasons or white is None or black is None:
            self._refuse(_problem(row, "; ".join(reasons)))
            return None
        self.result.assumed.update(row.assumed)
        if not row.rated:
            self.result.unrated[row.unrated_reason or "not marked as rated"] += 1
        elif row.ended_at is not None:
            self.result.rated += 1
            if row.ended_at - row.started_at > longest(row.control, row.plies):
                self.result.too_long.add(f"line {row.line}")
            self.since = min(self.since or row.started_at, row.started_at)
            self.until = max(self.until or row.ended_at, row.ended_at)
            category = category_of(row.control)
            if category is not None:
                self.first[category] = min(self.first.get(category, row.ended_at), row.ended_at)
        return (
            row.external_id,
            white.id,
            black.id,
            self._control(row.control),
            row.rated,
            row.unrated_reason,
            row.result,
            row.termination.value,
            row.word,
            row.plies,
            bulk.as_stored(self.connection, row.started_at),
            row.ended_at and bulk.as_stored(self.connection, row.ended_at),
            row.pgn,
            self.batch.pk,
            "",
            "",
        )

    def _control(self, control: Control) -> int:
        """Unrated games freely choose their control (RBB 2.2): a new one is put on the books."""
        pk = self.controls.get(control)
        if pk is None:
            pk = TimeControl.objects.using(self.using).create(**control._asdict()).pk
            self.controls[control] = pk
        return pk


def _why_unknown(name: str, players: Usernames[int]) -> str:
    if alike := players.alike(name):
        return f"“{name[:40]}”: {alike}"
    if char := unseen(name):
        return f"{shown(name)} has {char}, which can't be seen: remove it"
    return f"“{name[:40]}” is not on the books: import the member first, or use --create-members"


def _problem(row: GameRow, reason: str) -> Problem:
    moments = (row.started_at, row.ended_at)
    started_at, ended_at = (moment.isoformat().replace("+00:00", "Z") if moment else "" for moment in moments)
    return Problem(
        row.line,
        reason,
        {
            "external_id": row.external_id,
            "white": row.white,
            "black": row.black,
            "time_control": row.control.notation,
            "rated": "1" if row.rated else "0",
            "result": row.result,
            "termination": row.word or row.termination.value,
            "started_at": started_at,
            "ended_at": ended_at,
        },
    )
