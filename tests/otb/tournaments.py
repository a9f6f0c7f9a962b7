"""Tournaments over the board for the tests: reports of invented players, written and received in a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from ratings.formats.trf import NO_PAIRING, Pairing, Player, Record, Result, trf_lines
from ratings.formats.trf import Tournament as Report
from ratings.otb.models import Tournament
from ratings.otb.services.receiving import Received, Upload, receive
from tests.fide.office import bring_players, listed

__all__ = [
    "AT",
    "FIRST_DAY",
    "Round",
    "entrant",
    "everybody_listed",
    "received",
    "report",
    "round_robin",
    "upload",
]

FIRST_DAY = date(2026, 3, 14)
AT = datetime(2026, 4, 2, 10, tzinfo=UTC)
"""When reports come in, unless a test says otherwise."""

IN_TIME = date(2026, 1, 10)
"""The day of registration, early enough for FIRST_DAY (B.02 0.4)."""

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


def everybody_listed(*ratings: int | None, period: date = date(2026, 3, 1), k: int = 15) -> list[Player]:
    """Players with these ratings on an imported FIDE list, as entrants of a report that says the same."""
    entrants = [entrant(number, rating) for number, rating in enumerate(ratings, 1)]
    rows = [listed(player.fide_id or 0, player.name, player.rating, sex="F") for player in entrants]
    bring_players(period, *(row._replace(standard=row.standard._replace(k=k)) for row in rows))
    return entrants


def upload(content: bytes, **options: Any) -> Upload:
    """A report that was sent in, of a tournament registered in time."""
    return Upload(content=content, **{"source": "open.trf", "registered_on": IN_TIME, **options})


def received(
    content: bytes, *, at: datetime = AT, tournament: Tournament | None = None, **options: Any
) -> Received:
    """A report that is stored."""
    return receive(upload(content, **options), at=at, tournament=tournament)
