"""A run of the radar from the games to its findings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import numpy as np
from django.db import transaction
from django.db.models import Case, F, Value, When

from ratings.lab.arrays import Array, Data, columns_of, inputs, one_moment
from ratings.lab.marks import mark_of_office
from ratings.lab.models import Finding, Sweep
from ratings.lab.radar import search
from ratings.rbb.models.games import Game
from ratings.rules.rbb.terminations import Termination

_GONE: Final = {Termination.WHITE_GONE: 1, Termination.BLACK_GONE: 2}


def sweep_games(
    sweep: Sweep, reading: Callable[[int], object], searching: Callable[[int, int], object]
) -> None:
    """Search all games and keep the findings, all together at the end: a stopped run leaves none."""
    with one_moment():
        data = inputs(reading)
        gone = _disconnections(data)
    found = search(data, sweep.limits, gone, searching)
    with transaction.atomic():
        for one in found.found:
            category, place = divmod(np.array(one.rows), len(data.members))
            who, *others = data.members[place].tolist()
            finding = Finding.objects.create(
                sweep=sweep,
                kind=one.kind,
                category=int(category[0]) + 1,
                member_id=who,
                chance=one.chance,
                false=one.false,
                figures=one.figures,
                games=data.ids[one.games].tolist(),
            )
            finding.others.set(others)
        sweep.result = {
            "games": data.games,
            "members": len(np.unique(np.stack([data.white, data.black]) % len(data.members))),
            "tests": found.tests,
            "honest": found.honest,
        }
        sweep.data_checksum, sweep.program, sweep.mark = data.checksum, data.program, data.mark
        sweep.data_read_at = datetime.fromisoformat(data.read_at)
        sweep.changed_meanwhile = mark_of_office() != data.mark
        sweep.save()


def _disconnections(data: Data) -> Array:
    """Return for each game 1 if White's disconnection ended it, 2 if Black's did."""
    gone = np.zeros(data.games, np.int8)
    games = Game.objects.counting().filter(termination__in=_GONE, time_control__category__isnull=False)
    who = Case(*(When(termination=one, then=Value(number)) for one, number in _GONE.items()))
    order = np.argsort(data.ids)
    for ids, number in columns_of(games.order_by(), [F("pk"), who]):
        gone[order[np.searchsorted(data.ids, ids, sorter=order)]] = number
    return gone
