"""Over-the-board tournaments for the tests: reports of invented players, written and received in a line."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from ratings.formats.trf import Player
from ratings.otb.models import Tournament
from ratings.otb.services.receiving import Received, Upload, receive
from tests.fide.office import bring_players, listed
from tests.formats.reports import FIRST_DAY, Round, entrant, report, round_robin

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

AT = datetime(2026, 4, 2, 10, tzinfo=UTC)
"""When reports come in, unless a test says otherwise."""

IN_TIME = date(2026, 1, 10)
"""The day of registration, early enough for FIRST_DAY (B.02 0.4)."""


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
