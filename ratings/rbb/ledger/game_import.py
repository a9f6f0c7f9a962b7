"""The import of games from files and game servers: stored, finished or refused, and rated together.

The conditions and the outcome are those of a single save, with one replay at the end, whose cost depends on
what the games move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from foa.history import give_reason
from foa.monitoring.metrics import GAMES
from members.former import keep_arrivals
from members.usernames import composed
from ratings.formats.game_address import address_key, key_of_game
from ratings.formats.game_details import NONE, EventOfGame
from ratings.formats.games import UNFINISHED, EndBy, GameRow
from ratings.formats.problems import Fault, Problem, readable, shown
from ratings.office import bulk
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_events
from ratings.rbb.labels import unmet_text
from ratings.rbb.ledger.details import DetailsError, check_variant, columns_of, keep_event, take_details
from ratings.rbb.ledger.event_order import FileOrder
from ratings.rbb.ledger.known_games import also_known_as, stored_elsewhere
from ratings.rbb.ledger.late_facts import origin_of_batch
from ratings.rbb.ledger.locks import lock_imports, share_accounts
from ratings.rbb.ledger.plausibility import Examples
from ratings.rbb.ledger.players import Known, Players
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import Cause, Progress, ReplaySummary
from ratings.rbb.ledger.versions import STORED_VERSION, Version, with_end
from ratings.rbb.models.games import UNMET, Game, ImportBatch, TimeControl
from ratings.rbb.models.pending_replay import MANY, Pending
from ratings.rbb.same_game import (
    POSSIBLY_SAME,
    GameFacts,
    first_of_each,
    id_fault,
    id_key,
    ids_alike,
    likely_same,
    lock_ids,
)
from ratings.rules.rbb.conditions import closures_over, why_not_rated
from ratings.rules.rbb.plausibility import lasts_too_long
from ratings.rules.time_controls import Category, Control, category_of

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
    "voided_at",
    "void_reason",
    "void_note",
    "event_id",
    "round",
    "url",
    "variant",
    "address",
)


class Taken(Enum):
    """The outcome of a game that wasn't refused."""

    STORED = "stored"
    ALREADY_THERE = "already there"
    FINISHED = "finished"
    """A game that was in progress in the office."""
    MARKED = "marked"
    """A game that was unrated because no source had said, and is rated now."""
    UPDATED = "updated"
    """A stored game to which missing details were added."""


class Words(NamedTuple):
    """A source's terms, for messages about its games."""

    here: str = "this file"
    unknown: str = "import the member first, or use --create-members"
    """Advice about a player who isn't a member."""


OF_COMMANDS: Final = Words()

_WHY: Final = {
    Taken.MARKED: "rated as %s says",
    Taken.FINISHED: "finished in %s",
    Taken.UPDATED: "moves from %s",
}
"""Reasons in the histories of games that a file changes."""

_LINES_AT_MOST: Final = 200_000
"""Maximum number of games whose lines are kept, to say which line had an id first; some 30 MB."""


@dataclass(slots=True)
class GamesImported:
    """Result of importing a file of games. ``batch``: the key of its import, deleted if none was stored."""

    batch: int
    read: int = 0
    stored: int = 0
    rated: int = 0
    unrated: Counter[str] = field(default_factory=Counter)
    assumed: Counter[str] = field(default_factory=Counter)
    """Facts missing from the file that the importing user supplied for its games."""
    ends: Counter[EndBy] = field(default_factory=Counter)
    """Ways in which the ends of a PGN file's new and finished games were determined."""
    finished: int = 0
    """Number of games that were in progress here and have ended."""
    void: Counter[str] = field(default_factory=Counter)
    """Games that a closed account makes void, by the closure's reason."""
    possibly_same: Examples = field(default_factory=Examples)
    """Games that are likely stored already under another id: unrated until an officer has looked at them."""
    marked: int = 0
    """Number of games that were unrated here because a file didn't say, and are now rated."""
    already_there: int = 0
    refused: int = 0
    new_members: list[int] = field(default_factory=list)
    """The keys of newly registered members."""
    misleading: Examples = field(default_factory=Examples)
    """Usernames of registered members that mix letters of several alphabets."""
    too_long: Examples = field(default_factory=Examples)
    overlapping: Examples = field(default_factory=Examples)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)

    @property
    def members_created(self) -> int:
        """The number of registered members."""
        return len(self.new_members)


@contextmanager
def intake(
    *,
    source: str,
    sha256: str,
    at: datetime,
    ahead: timedelta = timedelta(),
    keeps_order: bool = False,
    create_members: bool = False,
    on_taken: Callable[[GameRow, Taken], None] = lambda row, taken: None,
    on_refused: Callable[[Problem], None] = lambda problem: None,
    again: Callable[[Sequence[Arrived]], int] | None = None,
    words: Words = OF_COMMANDS,
    progress: Progress | None = None,
) -> Iterator[Intake]:
    """Take games in as an import batch of this source; they are rated at the end of the block.

    ``at``: the moment of the import (UTC). No game may start or end after it by more than ``ahead``, the
    allowance for the source's clock. ``keeps_order``: order equal moments as the rows are, not by external
    id. ``on_taken`` and ``on_refused`` are called with the outcome of each row, which is final only when the
    transaction ends. ``again``: takes the rows whose games are stored instead, and returns the number of
    games that it has rated or finished. One transaction, and one intake at a time.
    """
    with transaction.atomic():
        lock_imports()
        share_accounts()
        with deferred(progress=progress, cause=Cause.IMPORT) as work:
            batch = ImportBatch.objects.create(source=readable(source)[-255:], sha256=sha256, imported_at=at)
            players = Players(create_members, words.unknown)
            games = Intake(
                batch, players, words, on_taken, on_refused, again, work.touched, at + ahead, keeps_order
            )
            yield games
            games.close()
            taken = games.result.rated + games.result.finished + games.result.marked
            work.origin |= origin_of_batch(batch, taken)
        games.result.replayed = work.summary
        transaction.on_commit(partial(GAMES.inc, games.result.stored))


class Arrived(NamedTuple):
    """A row whose game is stored: the game's key, and the id under which the row came."""

    row: GameRow
    game: int
    sent_as: str


class _Stored(NamedTuple):
    """A stored game, or one of this import, to compare with a row."""

    pk: int
    batch_id: int | None
    external_id: str
    event_id: int | None
    round: str
    url: str
    variant: str
    plies: int | None
    has_no_moves: bool
    version: Version

    @property
    def rated(self) -> bool:
        return self.version.rated


@dataclass
class Intake:
    """The import of one source's games. ``latest``: no game may start or end after this moment."""

    batch: ImportBatch
    players: Players
    words: Words
    on_taken: Callable[[GameRow, Taken], None]
    on_refused: Callable[[Problem], None]
    again: Callable[[Sequence[Arrived]], int] | None
    touched: Pending
    latest: datetime
    keeps_order: InitVar[bool]

    def __post_init__(self, keeps_order: bool) -> None:
        self.result = GamesImported(self.batch.pk)
        self.refused: list[Problem] = []
        self.lines: dict[str, int] = {}
        self.events: dict[EventOfGame | None, int | None] = {}
        self.met: list[Arrived] = []
        self.sent_as: dict[int, str] = {}
        self.controls = {control.control: control.pk for control in TimeControl.objects.all()}
        self.first: dict[Category, datetime] = {}
        self.since: datetime | None = None
        self.until: datetime | None = None
        self.order = FileOrder(
            self.batch.pk,
            keeps_order=keeps_order,
            external_id=_COLUMNS.index("external_id"),
            ended_at=_COLUMNS.index("ended_at"),
        )

    def take(self, some: Sequence[GameRow | Problem]) -> None:
        """Refuse, skip or store some thousand rows. Refusals are reported in the order of their lines."""
        self.result.read += len(some)
        rows: list[GameRow] = []
        for row in some:
            if isinstance(row, Problem):
                self.refused.append(row)
            else:
                rows.append(row)
        new = list(self._not_there_yet(rows))
        if self.again is not None and self.met:
            # Rows of games are locked before pairs of players, as in a single save.
            self.result.finished += self.again(self.met)
            self.met.clear()
        members = self.players.of(new)
        same = self._likely_stored(new, members)
        stored, accepted = [], []
        doubles: dict[str, int | str] = {}
        taken: set[str] = set()
        for row in new:
            other = same.get(row.external_id)
            # Another row of these may have been refused.
            is_double = isinstance(other, int) or other in taken
            if (values := self._values(row, members, is_double=is_double)) is not None:
                stored.append(values)
                accepted.append(row)
                taken.add(row.external_id)
                self.on_taken(row, Taken.STORED)
                if other is not None and is_double:
                    doubles[row.external_id] = other
        bulk.insert_rows(Game, _COLUMNS, self.order.sorted(stored))
        self._keep_accounts(accepted)
        self._note_doubles(doubles)
        self.result.stored += len(stored)
        self.result.refused += len(self.refused)
        for problem in sorted(self.refused, key=lambda problem: problem.line):
            if sent_as := self.sent_as.get(problem.line):
                problem = replace(problem, fields={**problem.fields, "external_id": sent_as})
            self.on_refused(problem)
        self.sent_as.clear()
        self.refused.clear()

    def _keep_accounts(self, rows: list[GameRow]) -> None:
        """Store which of the new games came under the name of a merged account."""
        accounts = self.players.accounts
        for colour in ("white", "black") if accounts else ():
            came = {
                row.external_id: account
                for row in rows
                if (account := accounts.get(composed(getattr(row, colour)))) is not None
            }
            games = Game.objects.filter(external_id__in=came).order_by("pk")
            stored = games.values_list("pk", "external_id")
            keep_arrivals(f"ratings.Game.{colour}", {key: came[str(name)] for key, name in stored})

    def close(self) -> None:
        """Order equal moments and write the figures into the batch, or delete a batch that stored nothing."""
        self.result.new_members = self.players.created
        self.result.misleading = self.players.misleading
        self.order.settle()
        self._touch()
        if not self.result.stored:
            self.batch.delete()
            return
        self.batch.stored = self.result.stored
        self.batch.already_there = self.result.already_there
        self.batch.refused = self.result.refused
        self.batch.save()

    def _touch(self) -> None:
        """Report void games, and note what to replay: each game by its final key, or the start of many."""
        if self.result.void:
            void = Game.objects.filter(batch=self.batch, voided_at__isnull=False)
            keys = void.order_by("pk").values_list("pk", flat=True)
            record_events(OutboxEntry.Event.GAME_VOIDED, keys)
        if self.result.rated <= MANY:
            for place in Game.objects.filter(batch=self.batch).places():
                self.touched.add(*place)
        else:
            for category, moment in self.first.items():
                self.touched.add(category, moment)

    def _not_there_yet(self, rows: list[GameRow]) -> Iterator[GameRow]:
        """Yield new games. Skip identical stored ones, finish those in progress, refuse the others."""
        stored = self._stored([row.external_id for row in rows])
        rows = self._by_their_stored_ids(rows, stored)
        new = [row.external_id for row in rows if row.external_id not in stored]
        lock_ids(new)
        alike = ids_alike(Game, new)
        for sent in rows:
            known = stored.get(sent.external_id)
            if known is not None and known.batch_id != self.batch.pk and self.again is not None:
                self.met.append(Arrived(sent, known.pk, self.sent_as.get(sent.line, sent.external_id)))
                continue
            row = with_end(sent, known and known.version, at=self.batch.imported_at)
            here = Version.of(row)
            if known is None:
                others = alike.setdefault(id_key(row.external_id), [])
                # The same game may have arrived meanwhile. Storing it will detect that and begin again.
                if fault := id_fault(row.external_id, {*others} - {row.external_id}):
                    self.refused.append(_problem(row, Fault("external_id", str(fault))))
                    continue
                others.append(row.external_id)
                stored[row.external_id] = _Stored(
                    0, self.batch.pk, row.external_id, None, "", "", "", None, False, here
                )
                if len(self.lines) < _LINES_AT_MOST:
                    self.lines[row.external_id] = row.line
                yield row
                continue
            there = known.version
            here = here.as_called_now(there)
            if known.batch_id == self.batch.pk:
                line = self.lines.get(row.external_id)
                where = f"line {line} of {self.words.here}" if line else self.words.here
                # A PGN file doesn't show the id of a game without an address (``pgn.identity``).
                is_unseen = row.external_id.startswith("pgn:")
                twice = f"{where} already has {'this game' if is_unseen else shown(row.external_id)}"
                self.refused.append(_problem(row, Fault("external_id", twice)))
            elif other := _fault_of_details(known, row):
                self.refused.append(_problem(row, other))
            elif (news := self._news(known, row, here)) is None:
                names = there.differing(here)
                differing = (
                    f"a game with this external_id is already stored and differs in {names}; "
                    f"stored: {there}; in {self.words.here}: {here}"
                )
                self.refused.append(_problem(row, Fault(names.partition(",")[0], differing)))
            elif self._take_again(known, row, *news) and news[0] in (Taken.MARKED, Taken.FINISHED):
                stored[row.external_id] = known._replace(version=here)

    def _by_their_stored_ids(self, rows: list[GameRow], stored: dict[str, _Stored]) -> list[GameRow]:
        """Return the rows, those of a game that is known by another id with that; find these games, too."""
        unknown = {row.external_id: row for row in rows if row.external_id not in stored}
        elsewhere = stored_elsewhere(unknown.values())
        first: dict[str, str] = {}
        for external_id in unknown.keys() - elsewhere.keys():
            if key := address_key(external_id):
                first.setdefault(key, external_id)
        for row in rows:
            if (key := address_key(row.external_id)) in first and row.external_id in unknown:
                elsewhere.setdefault(row.external_id, first[key])
        elsewhere = {one: other for one, other in elsewhere.items() if one != other}
        if not elsewhere:
            return rows
        stored |= self._stored([*elsewhere.values()])
        for row in rows:
            if row.external_id in elsewhere:
                self.sent_as[row.line] = row.external_id
        return [replace(row, external_id=elsewhere.get(row.external_id, row.external_id)) for row in rows]

    def _likely_stored(self, rows: Sequence[GameRow], members: Known) -> dict[str, int | str]:
        """Return the ids of new rows that are likely a game here under another id, with its key or its id."""
        counting, told = [], []
        for row in rows:
            white, black = (members.known.get(composed(name)) for name in (row.white, row.black))
            if white and black and row.rated and row.ended_at is not None:
                counting.append(row)
                told.append(
                    GameFacts(
                        0,
                        white.member,
                        black.member,
                        self.controls.get(row.control),
                        row.started_at,
                        row.ended_at,
                        row.result,
                        row.plies,
                        row.pgn,
                    )
                )
        found: dict[str, int | str] = {
            counting[place].external_id: counting[first].external_id
            for place, first in first_of_each(told).items()
        }
        for row, keys in zip(counting, likely_same(Game, told), strict=True):
            if keys:
                found[row.external_id] = keys[0]
        return found

    def _note_doubles(self, doubles: dict[str, int | str]) -> None:
        """Say of each game that was just stored of which other it is likely a report."""
        for external_id, same in doubles.items():
            if isinstance(same, str):
                same = Game.objects.values_list("pk", flat=True).filter(external_id=same).first() or 0
            Game.objects.filter(external_id=external_id).update(possibly_same=same or None)
            self.result.possibly_same.add(f"{external_id} (game {same})")

    def _stored(self, external_ids: list[str]) -> dict[str, _Stored]:
        """Return the stored games with these ids."""
        # Most files are new. The stored games are found without building a query of ten thousand values.
        there = external_ids and bulk.fetch_rows(Game, ("external_id",), external_ids, by="external_id")
        if not there:
            return {}
        columns = _Stored._fields[:-1]
        rows = Game.objects.filter(external_id__in=[one for (one,) in there]).order_by()
        rows = rows.annotate(has_no_moves=Q(pgn=""))
        stored: dict[str, _Stored] = {}
        for row in rows.values_list(*columns, *STORED_VERSION):
            known, (white, black, *values) = row[: len(columns)], row[len(columns) :]
            version = Version(composed(white), composed(black), *values)
            stored[str(row[2])] = _Stored._make((*known, version))
        return stored

    def _news(self, known: _Stored, row: GameRow, here: Version) -> tuple[Taken, dict[str, Any]] | None:
        """Return what a row makes of a stored game, and what changes; None if it contradicts the game."""
        there = known.version
        moves: dict[str, Any] = {"pgn": row.pgn} if row.pgn and known.has_no_moves else {}
        if known.plies is None and row.plies is not None:
            moves["plies"] = row.plies
        if here.marks(there):
            control = self._control(row.control)
            return Taken.MARKED, {"rated": True, "unrated_reason": "", "time_control_id": control, **moves}
        if there.finishes(here):
            return Taken.ALREADY_THERE, {}
        if there.same_as(here):
            return (Taken.UPDATED, moves) if moves else (Taken.ALREADY_THERE, {})
        if not here.finishes(there):
            return None
        end: dict[str, Any] = {"result": row.result, "ended_at": row.ended_at}
        end |= {"termination": row.termination, "termination_word": row.word}
        moves = {"plies": row.plies} if row.plies is not None else {}
        moves |= {"pgn": row.pgn} if row.pgn else {}
        if there.rated or there.unrated_reason == UNFINISHED:
            end |= {"rated": row.rated, "unrated_reason": row.unrated_reason}
        return Taken.FINISHED, {**end, **moves}

    def _take_again(self, known: _Stored, row: GameRow, what: Taken, values: dict[str, Any]) -> bool:
        """Change a stored game as a single save does, and add the row's details; return False if refused."""
        faults = self._future(row) if what is Taken.FINISHED else []
        if values and not faults:
            game = Game.objects.get(pk=known.pk)
            for name, value in values.items():
                setattr(game, name, value)
            give_reason(game, _WHY[what] % self.batch.source)
            try:
                game.save()
            except ValidationError as error:
                faults = _whole_faults(game, error)
        if faults:
            self.refused.append(_problem(row, *faults))
            return False
        if values and game.counts and what is not Taken.UPDATED:
            self._note_length(row)
        self.result.marked += what is Taken.MARKED
        self.result.finished += what is Taken.FINISHED
        self.result.already_there += what in (Taken.ALREADY_THERE, Taken.UPDATED)
        if what is Taken.FINISHED:
            self._note_end(row)
        if what is Taken.MARKED:
            self.result.assumed.update(row.assumed)
        is_news = row.details != NONE and take_details(known, row.details, self._event(row))
        if sent_as := self.sent_as.get(row.line):
            also_known_as(Game.objects.get(pk=known.pk), sent_as)
        self.on_taken(row, Taken.UPDATED if is_news and what is Taken.ALREADY_THERE else what)
        return True

    def _event(self, row: GameRow) -> int | None:
        """Store the event of a game and return its key. The rows of a file mostly share one event."""
        event = row.details.event
        if event not in self.events:
            self.events[event] = keep_event(event)
        return self.events[event]

    def _values(self, row: GameRow, members: Known, *, is_double: bool) -> tuple[Any, ...] | None:
        """Return the row for the games table, or None if it was refused."""
        names = composed(row.white), composed(row.black)
        white, black = map(members.known.get, names)
        faults = [
            Fault(
                colour,
                f"{colour} {unknown.reason}",
                option="create_members" if unknown.can_be_created else "",
                about=name,
            )
            for colour, name in zip(("white", "black"), names, strict=True)
            if (unknown := members.unknown.get(name))
        ]
        if white is not None and black is not None and white.member == black.member:
            faults.append(Fault("black", f"white and black are both {shown(names[0])}"))
        faults += self._future(row)
        closure = None
        if row.rated and white is not None and black is not None:
            unmet = why_not_rated(
                row.control,
                started_at=row.started_at,
                white=white,
                black=black,
                plies=row.plies,
                result=row.result,
                termination=row.termination,
                word=row.word,
            )
            faults += (Fault(one.field, str(one), one.article) for one in unmet)
            closures = closures_over(row.started_at, white=white, black=black)
            closure = closures[0][1] if closures else None
        if faults or white is None or black is None:
            self.refused.append(_problem(row, *faults))
            return None
        self.result.assumed.update(row.assumed)
        self._note_end(row)
        is_double = is_double and closure is None
        if is_double:
            row = replace(row, rated=False, unrated_reason=POSSIBLY_SAME)
        if not row.rated:
            self.result.unrated[row.unrated_reason or gettext_noop("not marked as rated")] += 1
        elif closure is not None:
            self.result.void[closure.category] += 1
        elif row.ended_at is not None:
            self.result.rated += 1
            self._note_length(row)
            self.since = min(self.since or row.started_at, row.started_at)
            self.until = max(self.until or row.ended_at, row.ended_at)
            category = category_of(row.control)
            if category is not None:
                self.first[category] = min(self.first.get(category, row.ended_at), row.ended_at)
        return (
            row.external_id,
            white.member,
            black.member,
            self._control(row.control),
            row.rated,
            row.unrated_reason,
            row.result,
            row.termination.value,
            row.word,
            row.plies,
            bulk.as_stored(row.started_at),
            row.ended_at and bulk.as_stored(row.ended_at),
            row.pgn,
            self.batch.pk,
            closure and bulk.as_stored(closure.decided_at),
            closure.category if closure else "",
            closure.note if closure else "",
            *columns_of(row.details, self._event(row)).values(),
            key_of_game(row.details.url, row.external_id),
        )

    def _note_end(self, row: GameRow) -> None:
        if row.end_by is not None:
            self.result.ends[row.end_by] += 1

    def _future(self, row: GameRow) -> list[Fault]:
        """Return the faults of a game that ends, or if in progress starts, in the future (RBB 3.11)."""
        name, moment = ("started_at", row.started_at) if row.ended_at is None else ("ended_at", row.ended_at)
        if moment <= self.latest:
            return []
        why = "ratings follow the completed game" if row.ended_at else "send a game when it has started"
        of_day = "; the file gives only the day, so import it once that day is over in UTC"
        future = (
            f"{name} {moment:%Y-%m-%dT%H:%M:%SZ} is in the future: {why} (RBB 3.11)"
            f"{of_day if row.end_by is EndBy.DAY else ''}"
        )
        return [Fault(name, future, "RBB 3.11")]

    def _note_length(self, row: GameRow) -> None:
        """Note a game that counts but lasted longer than its control allows."""
        if row.ended_at is not None and lasts_too_long(row.started_at, row.ended_at, row.control, row.plies):
            self.result.too_long.add(str(row.line))

    def _control(self, control: Control) -> int:
        """Return the key of a control. Unrated games may have any (RBB 2.2): a new one is stored."""
        pk = self.controls.get(control)
        if pk is None:
            pk = TimeControl.objects.create(**control._asdict()).pk
            self.controls[control] = pk
        return pk


def faults_of_save(game: Game, error: ValidationError) -> list[Fault]:
    """Return why a game can't be saved: plain faults, else the unmet conditions of RBB section 2."""
    named = error.error_dict if hasattr(error, "error_dict") else {"": error.error_list}
    plain = [
        Fault(field, text, (fault.params or {}).get("article", ""))
        for field, faults in named.items()
        for fault in faults
        if fault.code != UNMET
        for text in fault.messages
    ]
    return plain or [Fault(one.field, unmet_text(one), one.article) for one in game.unmet_conditions()]


def _whole_faults(game: Game, error: ValidationError) -> list[Fault]:
    """Return the same for a file, whose reader doesn't see the game: with players, time and reason."""
    texts = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    articles = {one.field: one.article for one in faults_of_save(game, error)}
    return [Fault(field, text, articles.get(field, "")) for field, some in texts.items() for text in some]


def _fault_of_details(known: _Stored, row: GameRow) -> Fault | None:
    """Return why a row's details are impossible for the stored game, or None."""
    there = known.version
    try:
        check_variant(known.variant, row.details, counts=there.rated and there.ended_at is not None)
    except DetailsError as error:
        return error.fault
    return None


def _problem(row: GameRow, *faults: Fault) -> Problem:
    moments = (row.started_at, row.ended_at)
    started_at, ended_at = (moment.isoformat().replace("+00:00", "Z") if moment else "" for moment in moments)
    return Problem.of(
        row.line,
        faults,
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
            **row.details.columns,
        },
    )
