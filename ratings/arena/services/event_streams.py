"""Followers who are sent what is new. The database is asked once for all of them.

Everything but `_look` happens on the event loop of ``foa.asgi``.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from math import inf
from typing import Any, Final, NamedTuple

from django.db import DatabaseError, InterfaceError, close_old_connections, connections
from django.db.models import F
from django.db.models.functions import Length
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from ratings.arena.models import GameServer
from ratings.arena.services.ends_by_office import EndRow, ends_after
from ratings.arena.services.webhooks import row_texts
from ratings.office.outbox import reached
from ratings.rbb.ledger.feed import Change, Cursor, changes_after
from ratings.rbb.models import Game
from ratings.rbb.models.fields import EventType, change_id, event_id
from ratings.rules.time_controls import Category

MOST: Final = 2_000
"""Maximum number of followers of a process."""

MOST_OF_ADDRESS: Final = 50
"""Maximum number of followers of a process from one address."""

BACKLOG: Final = 1_000_000
"""Maximum number of bytes that wait for a follower. One who doesn't take them is given up."""

HEARTBEAT: Final = 15
"""Seconds without news after which a follower hears that the connection is alive."""

ROWS: Final = 1_000
"""Maximum number of rows that are read at once, and sent before the next ones are read."""

_EVERY: Final = 0.5
_CHECK_TOKENS: Final = 30

Row = Change | EndRow
Topic = tuple[str, int]
EVERYTHING: Final[Topic] = ("everything", 0)

_FIRST_GAME: Final = change_id(EventType.GAME, 0)
_SHOWN: Final = [one.attname for one in Game._meta.concrete_fields if one.name != "pgn"]
_logger: Final = logging.getLogger(__name__)


def rows_after(
    after: Cursor,
    *,
    until: int,
    most: int,
    ends: bool,
    member: int | None = None,
    category: Category | None = None,
) -> Iterator[Row]:
    """Yield the rows of the feed after a cursor, up to this position of the outbox.

    ``most``: the number that is needed. ``ends``: also ends of games decided by the office.
    """
    wanted: dict[str, Any] = {"until": until, "member": member, "category": category}
    changes = changes_after(after, at_once=most, **wanted)
    return merge(changes, ends_after(after, **wanted), key=_position) if ends else changes


def as_events(rows: Iterable[Row], server: GameServer) -> bytes:
    """Return rows as server-sent events, each with its cursor as id."""
    rows = list(rows)
    texts = zip(rows, row_texts(rows, server), strict=True)
    return "".join(f"id: {row.cursor}\ndata: {text}\n\n" for row, text in texts).encode()


@dataclass(eq=False, kw_only=True)
class Follower:
    """A connection to which news is sent. ``address``: where it comes from. ``cursor``: what it has."""

    address: str
    cursor: Cursor
    waiting: list[bytes] = field(default_factory=list)
    is_over: bool = False
    task: asyncio.Task[Any] | None = None
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    token: int | None = None

    def news(self, found: Found) -> bytes:
        """Return what of this is for the follower, as events."""
        raise NotImplementedError

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield what is new, or a sign of life, until the stream is over."""
        self.task = asyncio.current_task()
        HUB.join(self)
        try:
            while not self.is_over:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        await self.woken.wait()
                except TimeoutError:
                    yield b":\n\n"
                self.woken.clear()
                if self.waiting:
                    piece = b"".join(self.waiting)
                    self.waiting.clear()
                    yield piece
        finally:
            HUB.leave(self)

    def take(self, events: bytes) -> None:
        """Leave events to be sent, or give up a follower for whom too much is waiting."""
        if sum(map(len, self.waiting)) + len(events) > BACKLOG and self.task is not None:
            _logger.info("a follower takes nothing and is given up")
            HUB.leave(self)
            self.task.cancel()
        elif events:
            self.waiting.append(events)
            self.woken.set()

    def end(self) -> None:
        """Let the stream end after what is waiting."""
        self.is_over = True
        self.woken.set()


@dataclass(eq=False, kw_only=True)
class FollowerOfChanges(Follower):
    """A follower of the change feed, with the token ``token`` of a server."""

    server: GameServer
    ends: bool
    member: int | None
    category: Category | None

    def news(self, found: Found) -> bytes:
        """Return the rows that the follower doesn't have yet, made once for all who want the same."""
        key = (self.server.pk if self.ends else None, self.member, self.category, self.cursor)
        if key not in found.texts:
            found.texts[key] = as_events(filter(self._wants, found.rows), self.server)
        self.cursor = max(self.cursor, found.end, key=_place)
        return found.texts[key]

    def _wants(self, row: Row) -> bool:
        if _place(row.cursor) <= _place(self.cursor):
            return False
        if isinstance(row, EndRow):
            if not self.ends:
                return False
            members: tuple[int, ...] = (row.game.white_id, row.game.black_id)
            category = row.game.time_control.category
        else:
            members, category = (row.member_id,), row.category
        return self.member in (None, *members) and self.category in (None, category)


@dataclass(eq=False, kw_only=True)
class FollowerOfPage(Follower):
    """A follower of what a page shows. It is told to ask again: the page knows who may see what."""

    topic: Topic

    def news(self, found: Found) -> bytes:
        """Return that the page may have changed, if it may."""
        return b"data: changed\n\n" if self.topic in found.topics else b""


class Found(NamedTuple):
    """News that one look has found: rows up to the cursor ``end``, and topics of pages that may have changed.

    ``boards``: the games in progress as they are shown. ``tokens``: those that are still good; None: not
    looked up. ``texts``: rows as events, for those who want the same.
    """

    rows: Sequence[Row]
    end: Cursor
    topics: set[Topic]
    boards: dict[int, dict[str, Any]] | None
    tokens: set[int] | None
    texts: dict[tuple[Any, ...], bytes]


class Hub:
    """All followers of this process, and the task that looks for news as long as there are any."""

    def __init__(self) -> None:
        self.followers: set[Follower] = set()
        self.of_address: Counter[str] = Counter()
        self.cursor = Cursor()
        self.boards: dict[int, dict[str, Any]] | None = None
        self.looking: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1)

    def is_full(self, address: str) -> bool:
        """Return whether no follower from this address is taken, asked by any thread."""
        return len(self.followers) >= MOST or self.of_address[address] >= MOST_OF_ADDRESS

    def join(self, follower: Follower) -> None:
        """Send a follower what comes after its cursor. What others had before may be read again for it."""
        self.followers.add(follower)
        self.of_address[follower.address] += 1
        if self.looking is None or self.looking.done():
            self.cursor, self.boards = follower.cursor, None
            self.looking = asyncio.create_task(self._look_for_news())
        else:
            self.cursor = min(self.cursor, follower.cursor, key=_place)

    def leave(self, follower: Follower) -> None:
        """Send it nothing any more."""
        if follower in self.followers:
            self.followers.remove(follower)
            self.of_address -= Counter([follower.address])

    async def _look_for_news(self) -> None:
        loop = asyncio.get_running_loop()
        check_at, is_away = loop.time() + _CHECK_TOKENS, False
        try:
            while self.followers:
                await asyncio.sleep(_EVERY)
                after, tokens = self.cursor, None
                if loop.time() >= check_at:
                    tokens = {one.token for one in self.followers if one.token is not None}
                    check_at = loop.time() + _CHECK_TOKENS
                has_pages = any(isinstance(one, FollowerOfPage) for one in self.followers)
                try:
                    found = await loop.run_in_executor(
                        self.thread, _look, after, self.boards, has_pages, tokens
                    )
                except (DatabaseError, InterfaceError):
                    if not is_away:
                        _logger.exception("followers wait for the database")
                    is_away = True
                    continue
                is_away = False
                if found is None:
                    # They come again, and are told that their cursor is gone.
                    return
                self.boards = found.boards
                # Unless somebody joined meanwhile who has less.
                if self.cursor == after:
                    self.cursor = found.end
                for follower in list(self.followers):
                    follower.take(follower.news(found))
                    if tokens is not None and follower.token in tokens - (found.tokens or set()):
                        follower.end()
        except Exception:
            _logger.exception("followers are sent away")
        finally:
            self.looking = None
            for follower in self.followers:
                follower.end()
            await loop.run_in_executor(self.thread, connections.close_all)


HUB: Final = Hub()


def _look(
    after: Cursor, boards: dict[int, dict[str, Any]] | None, has_pages: bool, tokens: set[int] | None
) -> Found | None:
    """Return what is new after a cursor; None if the database was set back since.

    ``boards``: those of the look before. ``tokens``: to be checked.
    """
    close_old_connections()
    position, epoch = reached()
    if epoch != after.epoch or position < after.position:
        return None
    end, rows = Cursor(position, None, epoch), []
    if end != after:
        rows = list(islice(rows_after(after, until=position, most=ROWS, ends=True), ROWS))
        if len(rows) == ROWS:
            end = rows[-1].cursor
    topics = {topic for row in rows for topic in _topics(row)}
    now_playing = _boards() if has_pages else None
    if boards is not None and now_playing is not None:
        for key in boards.keys() | now_playing.keys():
            if boards.get(key) != now_playing.get(key):
                topics |= _topics_of_game(now_playing.get(key) or boards[key])
    if topics or end != after:
        topics.add(EVERYTHING)
    good = None
    if tokens is not None:
        now = timezone.now()
        found = get_access_token_model().objects.filter(pk__in=tokens, expires__gt=now)
        good = set(found.filter(application__gameserver__is_active=True).values_list("pk", flat=True))
    return Found(rows, end, topics, now_playing, good, {})


def _boards() -> dict[int, dict[str, Any]]:
    games = Game.objects.in_state("playing", timezone.now()).order_by()
    clocks = ("clocks__at", "clocks__draw_offer")
    shown = games.values(*_SHOWN, *clocks, category=F("time_control__category"), moves=Length("pgn"))
    return {game["id"]: game for game in shown}


def _topics(row: Row) -> set[Topic]:
    if isinstance(row, EndRow):
        game = row.game
        about = {"id": game.pk, "white_id": game.white_id, "black_id": game.black_id}
        return _topics_of_game({**about, "category": game.time_control.category})
    topics: set[Topic] = {("member", row.member_id), ("category", row.category)}
    return topics | {("game", event_id(row.line))} if row.line >= _FIRST_GAME else topics


def _topics_of_game(game: dict[str, Any]) -> set[Topic]:
    members = {("member", game["white_id"]), ("member", game["black_id"])}
    return members | {("game", game["id"]), ("category", game["category"] or 0)}


def _position(row: Row) -> int:
    return row.cursor.position


def _place(cursor: Cursor) -> tuple[float, float]:
    """Return the place of a cursor in the order of the feed."""
    return cursor.position, inf if cursor.mark is None else cursor.mark
