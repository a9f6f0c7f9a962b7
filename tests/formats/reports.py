"""Reports of tournaments for the tests: of invented players, written in a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from ratings.formats.trf import NO_PAIRING, Pairing, Player, Record, Result, trf_lines
from ratings.formats.trf import Tournament as Report

FIRST_DAY = date(2026, 3, 14)

_THEIRS = {
    "1": "0",
    "0": "1",
    "=": "=",
    "+": "-",
    "-": "+",
    "W": "L",
    "L": "W",
    "D": "D",
    " ": " ",
}
_TENTHS = {
    "1": 10,
    "=": 5,
    "0": 0,
    "+": 10,
    "-": 0,
    "W": 10,
    "D": 5,
    "L": 0,
    "H": 5,
    "F": 10,
    "U": 10,
    "Z": 0,
}

Round = Mapping[tuple[int, int | None], str]
"""The results of a round for White: {(1, 2): "1", (4, 3): "=", (5, None): "U"}; a code of two characters
says both, as in "--"."""


def entrant(number: int, rating: int | None = None, fide_id: int | None = 0, **other: Any) -> Player:
    """A player of a report, Player A with the FIDE ID 1000001 for number 1; None for one without an ID."""
    name = f"Player{chr(64 + number) if number < 27 else number}, Anna"
    row = Player(0, number, "w", "", name, rating, "NOR", fide_id, "", "1990/00/00", 0, None, ())
    return row._replace(fide_id=1_000_000 + number if fide_id == 0 else fide_id)._replace(**other)


def report(
    players: Iterable[Player],
    rounds: Iterable[Round],
    *,
    name: str = "Fjord Open",
    first_day: date = FIRST_DAY,
    last_day: date | None = None,
    kind: str = "",
    control: str = "7200",
    days: Iterable[date] = (),
    more: Iterable[tuple[str, str]] = (),
) -> bytes:
    """A report of these players and rounds, with the points that they give.

    ``kind``: record 092; ``control``: record 222; ``days``: of the rounds; ``more``: other records.
    """
    rows = {player.start_rank: player for player in players}
    pairings: dict[int, list[Pairing]] = {number: [] for number in rows}
    for number, games in enumerate(rounds, 1):
        for (white, black), result in games.items():
            ours, theirs = result if len(result) == 2 else (result, _THEIRS.get(result, ""))
            pairings[white].append(Pairing(black, "w" if black else "", Result(ours)))
            if black is not None:
                pairings[black].append(Pairing(white, "b", Result(theirs)))
        for met in pairings.values():
            met += [NO_PAIRING] * (number - len(met))
    headers = {
        "012": name,
        "022": "Bergen",
        "032": "NOR",
        "042": f"{first_day:%Y/%m/%d}",
        "052": f"{last_day or first_day:%Y/%m/%d}",
        "092": kind,
        "222": control,
        "132": f"{' ' * 87}" + "  ".join(f"{day:%y/%m/%d}" for day in days) if days else "",
    }
    records = [Record(0, tag, text) for tag, text in (*headers.items(), *more) if text]
    told = [
        player._replace(
            rounds=tuple(pairings[number]),
            points=sum(_TENTHS.get(pairing.result, 0) for pairing in pairings[number]),
        )
        for number, player in rows.items()
    ]
    return b"".join(trf_lines(Report(tuple(records), tuple(told))))


def round_robin(*rows: str) -> list[Round]:
    """The rounds of a cross-table, ``round_robin("*1=", "0*1", "=0*")``. Read is what is right of the stars.

    The lower number has White. Everybody meets everybody once, by the circle.
    """
    n = len(rows) + len(rows) % 2
    order = list(range(1, n + 1))
    rounds: list[Round] = []
    for _ in range(n - 1):
        pairs = [sorted((order[at], order[n - 1 - at])) for at in range(n // 2)]
        rounds.append({(a, b): rows[a - 1][b - 1] for a, b in pairs if b <= len(rows)})
        order.insert(1, order.pop())
    return rounds
