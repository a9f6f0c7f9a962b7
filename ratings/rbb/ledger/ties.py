"""RBB 3.11: the order of a server's games that ended at the same moment, independent of their arrival."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from ratings.office import bulk
from ratings.rbb.models.game_ids import server_of_id
from ratings.rbb.models.games import Game
from ratings.rbb.models.keys import EventType, event_id, kind_of
from ratings.rbb.models.pending_replay import Pending
from ratings.rules.time_controls import Category


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
