"""Writing reports as TRF16 or TRF26, for others without what concerns only the office and the arbiters."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from ratings.formats.problems import readable
from ratings.formats.trf.records import player_line, team_line
from ratings.formats.trf.tournament import Player, Record, Team, Tournament, record_132


class Version(StrEnum):
    """The editions of the format that are written."""

    TRF16 = "trf16"
    TRF26 = "trf26"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that the office knows of a tournament. ``kind``: for record 092, used unless the report has one.

    ``says_kind``: whether the report's own records of the kind are right. ``rounds``: as planned; None if
    that isn't known.
    """

    name: str
    city: str
    federation: str
    first_day: date
    last_day: date
    kind: str
    says_kind: bool
    time_control: str
    rounds: int | None


_OF_TRF26: Final = ("152", "172", "202", "212", "352", "362")
"""Headers beside those that are written anew."""

_SCORING: Final = ("162", "299")
"""Records without which nobody understands the points; readers of TRF16 pass over them."""

_OF_PAIRING: Final = ("XXC", "XXS", "XXA", "XXP", "XXZ")
_OTHERS: Final = ("240", "250", "260", "300", "320", "330", "801", "802")


def published(report: Tournament, version: Version, facts: Facts) -> Tournament:
    """Return a report for other programs.

    Players, pairings, points, ranks and teams are those of the report; of a date of birth only the year.
    Comments, national lines and what isn't a record are left out. The rounds planned are XXR, and in TRF26
    142.
    """
    records = (*report.headers, *report.rest)
    tags = (*_SCORING, *_OF_PAIRING, *(_OTHERS if version is Version.TRF26 else ()))
    rest = [Record(0, record.tag, record.text) for tag in tags for record in records if record.tag == tag]
    if facts.rounds is not None:
        rest.insert(0, Record(0, "XXR", str(facts.rounds)))
    return Tournament(
        tuple(_headers(report, version, facts)),
        tuple(_player(player) for player in report.players),
        tuple(_team(team, version) for team in report.teams),
        tuple(rest),
    )


def _headers(report: Tournament, version: Version, facts: Facts) -> Iterator[Record]:
    def own(*tags: str) -> Iterator[Record]:
        for tag in tags:
            for record in report.headers:
                if record.tag == tag and record.text.strip():
                    yield Record(0, tag, record.text)

    rated = sum(player.rating is not None for player in report.players)
    kind = report.header("092") if facts.says_kind else ""
    for tag, text in (
        ("012", facts.name),
        ("022", facts.city),
        ("032", facts.federation),
        ("042", f"{facts.first_day:%Y/%m/%d}"),
        ("052", f"{facts.last_day:%Y/%m/%d}"),
        ("062", str(len(report.players))),
        ("072", str(rated)),
        ("082", str(len(report.teams))),
        ("092", kind or facts.kind),
    ):
        yield Record(0, tag, text)
    yield from own("102", "112")
    yield Record(0, "122", facts.time_control)
    days = {number: day for number, day in enumerate(report.round_dates, 1) if day}
    if days:
        yield Record(0, "132", record_132(days))
    if version is Version.TRF26:
        if facts.rounds is not None:
            yield Record(0, "142", str(facts.rounds))
        yield from own("192" if facts.says_kind else "", *_OF_TRF26)
        yield Record(0, "222", facts.time_control)


def _player(player: Player) -> Player:
    year = player.birth_year
    return player._replace(line=0, birth="" if year is None else f"{year}/00/00")


def _team(team: Team, version: Version) -> Team:
    return team._replace(line=0, number=team.number if version is Version.TRF26 else None)


def trf_lines(tournament: Tournament) -> Iterator[bytes]:
    """Yield the lines of the report in their places; new lines follow the order of the sections.

    Raises ValueError for a number that doesn't fit its columns.
    """
    lines = [
        *((record.line, _record_line(record)) for record in tournament.headers),
        *((player.line, player_line(player)) for player in tournament.players),
        *((team.line, team_line(team)) for team in tournament.teams),
        *((record.line, _record_line(record)) for record in tournament.rest),
    ]
    # Stable: new lines, which all have the number 0, keep the order of the sections.
    for _, line in sorted(lines, key=lambda numbered: numbered[0]):
        yield f"{readable(line).rstrip()}\r\n".encode()


def _record_line(record: Record) -> str:
    return f"{record.tag} {record.text}" if record.tag else record.text
