"""A rating period over the board: a thousand Swiss tournaments of a hundred players, nine rounds each.

Usage: ``python -m tests.benchmarks.periods NAME`` on an empty migrated database.
"""

from __future__ import annotations

import hashlib
import io
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

import django

django.setup()

from ratings.fide.services.lists import ListFile, import_frl  # noqa: E402
from ratings.formats import frl, trf  # noqa: E402
from ratings.otb.models import Tournament, TournamentReport  # noqa: E402
from ratings.otb.services.period_closing import close_period  # noqa: E402
from ratings.otb.services.rating import read  # noqa: E402
from ratings.otb.services.rows import store  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402

TOURNAMENTS = int(os.environ.get("BENCH_TOURNAMENTS", "1000"))
PLAYERS = 20_000
ROUNDS = 9
AT_A_TOURNAMENT = 100
TARGET = 6
"""Times reading the reports alone."""

_FIRST_ID = 1_000_001
_LIST = date(2026, 9, 1)
_AT = datetime.fromisoformat("2026-10-26T00:00:00+00:00")
_CODES = {2: trf.Result.WIN, 1: trf.Result.DRAW, 0: trf.Result.LOSS}


def write_list(dice: random.Random) -> dict[int, int]:
    """Import a FIDE list in which seven of ten players are rated; their ratings."""
    ratings: dict[int, int] = {}
    rows = []
    for fide_id in range(_FIRST_ID, _FIRST_ID + PLAYERS):
        if dice.random() < 0.7:
            ratings[fide_id] = max(1200, int(dice.gauss(1800, 200)))
        rating = frl.FideRating(ratings.get(fide_id), 0, 15 if fide_id in ratings else 0)
        rows.append(
            frl.PlayerRow(
                0,
                fide_id,
                f"Player, Number {fide_id}",
                "NOR",
                "M",
                "",
                "",
                "",
                "",
                rating,
                None,
                None,
                1990,
                "",
            )
        )
    what = b"".join(frl.single_txt(rows, frl.FideControl.STANDARD, _LIST.year, _LIST.month))
    import_frl(
        ListFile(
            stream=io.BytesIO(what),
            source="bench",
            sha256=hashlib.sha256(what).hexdigest(),
            period=_LIST,
            control=frl.FideControl.STANDARD,
        ),
        at=_AT,
    )
    return ratings


def swiss(number: int, first: date, ids: Sequence[int], dice: random.Random) -> bytes:
    """A report: neighbours by points meet, and the dice decide."""
    points = dict.fromkeys(range(1, len(ids) + 1), 0)
    rounds: dict[int, list[trf.Pairing]] = {rank: [] for rank in points}
    for _ in range(ROUNDS):
        order = sorted(points, key=lambda rank: (-points[rank], dice.random()))
        for white, black in zip(order[::2], order[1::2], strict=True):
            half_points = dice.choice((0, 1, 1, 2))
            points[white] += half_points
            points[black] += 2 - half_points
            rounds[white].append(trf.Pairing(black, "w", _CODES[half_points]))
            rounds[black].append(trf.Pairing(white, "b", _CODES[2 - half_points]))
    places = {rank: place for place, rank in enumerate(sorted(points, key=lambda r: (-points[r], r)), 1)}
    last = first + timedelta(days=ROUNDS - 1)
    headers = (("012", f"Open {number}"), ("042", f"{first:%Y/%m/%d}"), ("052", f"{last:%Y/%m/%d}"))
    tournament = trf.Tournament(
        tuple(trf.Record(0, tag, text) for tag, text in headers),
        tuple(
            trf.Player(
                0,
                rank,
                "m",
                "",
                f"Player, Number {fide_id}",
                None,
                "NOR",
                fide_id,
                "",
                "1990/01/01",
                5 * points[rank],
                places[rank],
                tuple(rounds[rank]),
            )
            for rank, fide_id in enumerate(ids, 1)
        ),
    )
    return b"".join(trf.trf_lines(tournament))


def receive(count: int) -> list[TournamentReport]:
    """So many registered tournaments with their reports."""
    dice = random.Random(6)
    write_list(dice)
    everybody = range(_FIRST_ID, _FIRST_ID + PLAYERS)
    reports = []
    for number in range(count):
        first = _LIST + timedelta(days=number % 15)
        what = swiss(number, first, dice.sample(everybody, AT_A_TOURNAMENT), dice)
        tournament = Tournament.objects.create(
            name=f"Open {number}",
            first_day=first,
            last_day=first + timedelta(days=ROUNDS - 1),
            time_control="40/5400+30:1800+30",
            registered_on=date(2026, 1, 1),
        )
        report = TournamentReport.objects.create(
            tournament=tournament,
            source="bench",
            content=what,
            sha256=hashlib.sha256(what).hexdigest(),
            received_at=_AT,
        )
        tournament.report, tournament.status = report, Tournament.Status.RECEIVED
        tournament.save()
        store(tournament, read(report))
        reports.append(report)
    return reports


def measure(name: str, count: int) -> Iterator[Row]:
    """Close the period, beside reading its reports alone."""
    reports = receive(count)
    begun = time.perf_counter()
    for report in reports:
        read(report)
    alone = time.perf_counter() - begun
    begun = time.perf_counter()
    closing = close_period(until=_AT.date(), at=_AT)
    seconds = time.perf_counter() - begun
    if len(closing.rated) != count:
        raise SystemExit(f"{len(closing.rated)} of {count} tournaments were rated")
    yield Row(
        f"close a period of {count:,} tournaments of {AT_A_TOURNAMENT} players, {name}",
        f"{seconds:.1f} s",
        f"{alone:.1f} s to read the reports alone",
        (at_most(seconds / alone, TARGET),),
    )


if __name__ == "__main__":
    for row in measure(sys.argv[1], TOURNAMENTS):
        row.send()
