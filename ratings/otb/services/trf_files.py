"""Tournaments as TRF16 and TRF26, from their rows, for pairing programs and other offices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ratings.formats import trf
from ratings.otb.models import Tournament
from ratings.otb.services.receiving import kind_of
from ratings.otb.services.rows import reported
from ratings.rules.b02.types import TournamentType

MEDIA_TYPE: Final = "text/plain; charset=utf-8"

_KINDS: Final = {
    TournamentType.SWISS: "Individual: Swiss-System",
    TournamentType.ROUND_ROBIN: "Individual: Round-Robin",
    TournamentType.TEAM: "Team",
    TournamentType.MATCH: "Match",
}
"""Texts of record 092 that :func:`kind_of` understands."""


def trf_lines(tournament: Tournament, version: trf.Version) -> Iterator[bytes]:
    """Yield the lines of a tournament with a report. Raises NotInRows."""
    report = reported(tournament)
    kind = TournamentType(tournament.kind)
    told, _known_by = kind_of(report)
    rounds = report.planned_rounds or report.rounds_with_results or None
    if kind is TournamentType.MATCH:
        # Its record 142 is the number of games agreed on (B.02 6.5).
        rounds = tournament.planned_games
    facts = trf.Facts(
        name=tournament.name,
        city=tournament.city,
        federation=tournament.federation,
        first_day=tournament.first_day,
        last_day=tournament.last_day,
        kind=_KINDS[kind],
        says_kind=told is kind,
        time_control=tournament.time_control,
        rounds=rounds,
    )
    return trf.trf_lines(trf.published(report, version, facts))


def file_name(tournament: Tournament, version: trf.Version) -> str:
    """Return the name of the file."""
    return f"tournament-{tournament.pk}-{version}.trf"
