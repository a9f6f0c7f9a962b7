"""Ends of games decided by the office, as sent by webhooks and the change feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from django.db.models import Q

from foa.addresses import address_of
from foa.text import utc_text
from ratings.arena.models import GameServer
from ratings.office.models import OutboxEntry
from ratings.rbb.ledger.feed import Cursor
from ratings.rbb.models import Game
from ratings.rules.time_controls import Category

_AT_ONCE: Final = 1_000


class EndRow(NamedTuple):
    """A row of the feed: the office decided how a game ends."""

    cursor: Cursor
    entry: OutboxEntry
    game: Game

    def text(self, server: GameServer) -> str:
        """Return it as JSON, with the server’s own id of the game."""
        decision = self.entry.change_set_id
        row = {
            "cursor": str(self.cursor),
            "event": self.entry.event,
            **end_of(self.game, server),
            "decision": None if decision is None else address_of("office:change_set", decision),
            "at": utc_text(self.entry.at),
        }
        return json.dumps(row)


def own_id(game: Game, server: GameServer) -> str | None:
    """Return a server's own id for a game; None for another server's game."""
    known_as, prefix = game.external_id or "", server.external_id("")
    return known_as.removeprefix(prefix) if known_as.startswith(prefix) else None


def end_of(game: Game, server: GameServer) -> dict[str, Any]:
    """Return how a game ends according to the office; without a result if it goes on."""
    return {
        "external_id": own_id(game, server),
        "url": game.get_absolute_url(),
        "rated": game.rated,
        "result": game.result or None,
        "termination": game.how_it_ended,
        "ended_at": game.ended_at and utc_text(game.ended_at),
    }


def ends_after(
    after: Cursor, *, until: int, member: int | None = None, category: Category | None = None
) -> Iterator[EndRow]:
    """Yield a row for each end after a cursor, up to this position of the outbox, in order.

    A game that has since been deleted has none.
    """
    games = Game.objects.select_related("time_control")
    if member is not None:
        games = games.filter(Q(white=member) | Q(black=member))
    if category is not None:
        games = games.filter(time_control__category=category)
    entries = OutboxEntry.objects.filter(event=OutboxEntry.Event.GAME_ENDED, position__lte=until)
    position = after.position
    while some := list(entries.after(position)[:_AT_ONCE]):
        found = games.in_bulk([entry.about for entry in some])
        for entry in some:
            position = entry.position or 0
            if game := found.get(entry.about):
                yield EndRow(Cursor(position, None, after.epoch), entry, game)
