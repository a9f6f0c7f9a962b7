"""Tournaments over the board for the tests: a report from a line a game, stored as received."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from ratings.fide.models import Tournament, TournamentReport
from ratings.formats import trf

__all__ = ["ID", "received", "replaced", "report_of"]

ID = 4_100_000
"""To which the short numbers of players are added: a FIDE ID has at least six digits."""

_POINTS = {"1": 10, "=": 5, "0": 0, "+": 10, "-": 0}
_OTHER = {"1": "0", "=": "=", "0": "1", "+": "-", "-": "+"}


def report_of(
    name: str,
    first_day: date,
    last_day: date,
    players: Sequence[int | None],
    rounds: Iterable[Iterable[tuple[int, int, str]]],
) -> bytes:
    """A report. Of each round the games: start number of white, of black, white's result (1 = 0 + -).

    ``players``: their FIDE IDs less ID, None for one without.
    """
    pairings: dict[int, list[trf.Pairing]] = {number: [] for number in range(1, len(players) + 1)}
    points = dict.fromkeys(pairings, 0)
    for games in rounds:
        of_round = dict.fromkeys(pairings, trf.NO_PAIRING)
        for white, black, result in games:
            of_round[white] = trf.Pairing(black, "w", trf.Result(result))
            of_round[black] = trf.Pairing(white, "b", trf.Result(_OTHER[result]))
            points[white] += _POINTS[result]
            points[black] += _POINTS[_OTHER[result]]
        for number, pairing in of_round.items():
            pairings[number].append(pairing)
    headers = (("012", name), ("042", f"{first_day:%Y/%m/%d}"), ("052", f"{last_day:%Y/%m/%d}"))
    places = {number: place for place, number in enumerate(sorted(points, key=lambda n: -points[n]), 1)}
    tournament = trf.Tournament(
        tuple(trf.Record(0, tag, text) for tag, text in headers),
        tuple(
            trf.Player(
                0, number, "m", "", f"Player, Number {player}", None, "NOR", player and ID + player, "",
                "1990/01/01", points[number], places[number], tuple(pairings[number]),
            )
            for number, player in enumerate(players, 1)
        ),
    )  # fmt: skip
    return b"".join(trf.trf_lines(tournament))


def received(
    players: Sequence[int | None],
    rounds: Iterable[Iterable[tuple[int, int, str]]],
    first_day: date,
    name: str = "Open",
    **fields: Any,
) -> Tournament:
    """A registered tournament of two days whose report was received; with nothing in it to refuse."""
    last_day = fields.pop("last_day", first_day + timedelta(days=1))
    tournament = Tournament.objects.create(
        name=name, first_day=first_day, last_day=last_day, time_control="40/5400+30:1800+30",
        registered_on=fields.pop("registered_on", first_day - timedelta(days=90)), **fields,
    )  # fmt: skip
    replaced(tournament, report_of(name, first_day, last_day, players, rounds))
    return tournament


def replaced(tournament: Tournament, what: bytes) -> None:
    """A report is received, or takes the place of the one that was there."""
    tournament.refresh_from_db()
    if tournament.status == Tournament.Status.REGISTERED:
        tournament.status = Tournament.Status.RECEIVED
    tournament.report = TournamentReport.objects.create(
        tournament=tournament, source="open.trf", content=what, sha256=hashlib.sha256(what).hexdigest(),
        received_at=timezone.now(),
    )  # fmt: skip
    tournament.save()
