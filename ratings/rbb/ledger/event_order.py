"""RBB 3.11: the order of games that ended at the same moment, independent of their arrival."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from django.db.models import Q

from ratings.office import bulk
from ratings.office.bulk import Moment, Row, as_moment
from ratings.rbb.models.fields import EventType, event_id, kind_of
from ratings.rbb.models.games import Game
from ratings.rbb.models.pending_replay import Pending
from ratings.rbb.same_game import server_of_id
from ratings.rules.time_controls import Category

_IDENTITY: Final = "pgn:"
_DIGITS: Final = 33
"""Number of characters after the round in an id such as ``pgn:0003.0012-…``: a hyphen and the digits."""


class FileOrder:
    """The order of a file's games, kept in their keys and, where necessary, their tie ranks.

    Rows are sorted before they are written, some thousand at a time. Games of one moment that were written at
    different times get tie ranks at the end. Memory doesn't grow with the file, apart from two moments for
    each part.
    """

    def __init__(self, batch: int, *, keeps_order: bool, external_id: int, ended_at: int) -> None:
        """Begin a file. ``keeps_order``: it is PGN. ``external_id``, ``ended_at``: their indexes in a row."""
        self.batch = batch
        self.keeps_order = keeps_order
        self.external_id, self.ended_at = external_id, ended_at
        self.parts: list[tuple[Moment, Moment]] = []
        self.parts_in_progress = 0

    def sorted(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows in the order in which to write them."""
        ended = sorted(
            (row for row in rows if row[self.ended_at] is not None),
            key=lambda row: (row[self.ended_at], self._place(row[self.external_id])),
        )
        in_progress = [row for row in rows if row[self.ended_at] is None]
        self.parts_in_progress += bool(in_progress)
        if ended:
            self.parts.append((ended[0][self.ended_at], ended[-1][self.ended_at]))
        return [*ended, *sorted(in_progress, key=lambda row: self._place(row[self.external_id]))]

    def _place(self, external_id: object) -> str:
        """Return the sort key for games of a moment. Those with equal keys keep the order of their rows."""
        text = str(external_id)
        if not self.keeps_order:
            return text
        return text[:-_DIGITS] if text.startswith(_IDENTITY) else ""

    def settle(self) -> None:
        """Give tie ranks to games of one moment whose parts were written in a different order."""
        games = Game.objects
        mixed = [Q(ended_at__range=stretch) for stretch in self._common()]
        if self.parts_in_progress > 1:
            mixed.append(Q(ended_at=None))
        for where in mixed:
            late = games.filter(where, batch=self.batch).order_by("ended_at", "pk")
            ranked: defaultdict[int, list[int]] = defaultdict(list)
            for pk, rank in self._ranked(late.values_list("pk", "ended_at", "external_id").iterator()):
                ranked[rank].append(pk)
            for rank, keys in ranked.items():
                for some in bulk.batches(keys):
                    # Nothing refers to them yet, and the file's replay follows.
                    games.filter(pk__in=some).update(tie_rank=rank)

    def _ranked(self, rows: Iterator[tuple[int, datetime | None, str | None]]) -> Iterator[tuple[int, int]]:
        """Yield key and rank of games that need one: how often so far a key is lower than the last."""
        for _moment, alike in groupby(rows, key=itemgetter(1)):
            rank = last = 0
            for pk, _ended_at, _id in sorted(alike, key=lambda row: self._place(row[2])):
                rank += pk < last
                last = pk
                if rank:
                    yield pk, rank

    def _common(self) -> Iterator[tuple[datetime, datetime]]:
        """Yield the stretches of time in which parts overlap, in order."""
        stretch: tuple[Any, Any] | None = None
        until: Any = None
        for first, last in sorted((as_moment(first), as_moment(last)) for first, last in self.parts):
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


def order_equal_moments(touched: Pending) -> None:
    """Order a server's games that ended at the same moment as a touched one by their ids there.

    Games that move are touched, too. Games keep their keys. The tie rank of a game is the number of times, up
    to it, that a key in this order is lower than the previous one. Call it while holding the lock of replays,
    so that nobody else orders the same games.
    """
    keys = [key for one in touched.values() for key in one.keys or () if kind_of(key) is EventType.GAME]
    of_servers = Game.objects.order_by().counting().filter(external_id__contains="/")
    for some in bulk.batches(keys):
        moments = of_servers.filter(pk__in=map(event_id, some)).values("ended_at")
        alike = of_servers.filter(ended_at__in=moments, time_control__category__in=touched)
        games = sorted(
            filter(_server_of, alike.select_related("time_control").defer("pgn")),
            key=lambda game: (*_tie(game), game.external_id),
        )
        for _one_tie, tied in groupby(games, key=_tie):
            rank = last = 0
            for game in tied:
                rank += game.pk < last
                last = game.pk
                if rank != game.tie_rank:
                    _touch(game, touched)
                    game.tie_rank = rank
                    _touch(game, touched)
                    Game.objects.filter(pk=game.pk).update(tie_rank=rank)


def _touch(game: Game, touched: Pending) -> None:
    if place := game.place:
        touched.add(*place)


def _server_of(game: Game) -> str:
    return server_of_id(game.external_id or "")


def _tie(game: Game) -> tuple[Category | None, datetime | None, str]:
    return game.category, game.ended_at, _server_of(game)
