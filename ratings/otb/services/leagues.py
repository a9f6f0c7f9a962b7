"""B.02 4.11, 4.13: a league that is rated period by period.

Each part is a tournament of its own, whose report is an extract of the league's: periods,
pages and later corrections treat parts as they treat tournaments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext

from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.otb.citations import cited
from ratings.otb.models import OtbList, Tournament, TournamentReport
from ratings.otb.services import publishing
from ratings.otb.services.judging import end_refusal
from ratings.otb.services.rating import read
from ratings.otb.services.rows import store
from ratings.otb.services.stages import open_list
from ratings.otb.services.standings import edition_on
from ratings.rules.b02.editions.b02_2009 import Edition, LeaguePart
from ratings.rules.b02.types import Topic

_OF_THE_LEAGUE: Final = (
    "city",
    "federation",
    "kind",
    "chapter",
    "time_control",
    "registered_on",
    "official",
    "league",
    "national_championship",
    "women_only",
    "other_laws",
    "team_championship",
)
"""Fields that a part takes over from its league."""


class PartReceived(NamedTuple):
    """A part whose report came with its league's. ``before``, ``after``: SHA-256 of the extracts.

    ``part``: None for one that was removed because no round belongs to it any more.
    """

    part: Tournament | None
    name: str
    before: str
    after: str


def check_days(report: trf.Tournament, edition: Edition) -> None:
    """Raise FileRefused unless the day of each round is known (2009: 4.13; 2024: 7.1.1)."""
    days, played = report.round_dates, trf.played_rounds(report)
    missing = [str(number) for number in played if number > len(days) or days[number - 1] is None]
    if missing:
        told = gettext(
            "Each round of this tournament is rated with the ratings in force on its day%(article)s. "
            "Record 132 has no date for these rounds: %(rounds)s."
        )
        raise FileRefused(
            told % {"rounds": ", ".join(missing), "article": cited(edition, Topic.LIST_IN_FORCE)}
        )


def receive_parts(
    league: Tournament,
    report: trf.Tournament,
    source: str,
    *,
    at: datetime,
    by: Any = None,
) -> tuple[list[PartReceived], list[OtbList]]:
    """Split the report of a league. Return the parts that changed, and the revised lists.

    Parts that are rated stay so: their periods, and every later one, are rated again. In the transaction of
    the caller, which holds the lock.
    """
    found: dict[tuple[date, date], Tournament] = {}
    stored = league.parts.select_related("report").order_by("pk")
    # Two are one part now if the office has other lists since, or the league is official.
    gone = [part for part in stored if found.setdefault(_key(part), part) is not part]
    received: list[PartReceived] = []
    replaced: list[Tournament] = []
    days: list[date] = []
    for one in _parts(league, report):
        part = found.pop((one.in_force, one.rated_on), None) or Tournament(part_of=league)
        name, content = _extract(league, report, one)
        before, sha256 = _sha256(part), hashlib.sha256(content).hexdigest()
        if not _follow(part, league) and before == sha256:
            continue
        part.name, part.first_day, part.last_day = name, one.first_day, one.last_day
        part.save()
        part.report = TournamentReport.objects.create(
            tournament=part,
            source=source,
            content=content,
            sha256=sha256,
            players=len(report.players),
            received_at=at,
            received_by=by,
        )
        # As they are read from the extract, whose lines have numbers of their own.
        store(part, read(part.report))
        if part.rated_for is None:
            part.status = Tournament.Status.RECEIVED
            end_refusal(part, at.date())
        else:
            days.append(part.rated_for)
            replaced.append(part)
        part.save()
        received.append(PartReceived(part, name, before, sha256))
    for part in [*gone, *found.values()]:
        received.append(PartReceived(None, part.name, _sha256(part), ""))
        days += [] if part.rated_for is None else [part.rated_for]
        _delete(part)
    entering: list[Tournament] = []
    for change in received:
        if change.part is not None and change.part.rated_for is None:
            # B.02 7.13: a part of an official league may still enter the list that is closed.
            open_day, event = open_list(change.part, at.date())
            days += [] if open_day is None else [open_day]
            entering += event
    revised = []
    if days:
        revised = publishing.rerate_from(
            min(days), league.chapter, at=at, by=by, replaced=replaced, entering=entering
        )
    for part in (*replaced, *(change.part for change in received if change.part is not None)):
        part.refresh_from_db()
    return received, revised


def follow(league: Tournament) -> None:
    """Copy what was entered for a league to its parts, none of which is rated."""
    for part in league.parts.all():
        if _follow(part, league):
            part.save()


def parts_differ(league: Tournament) -> bool:
    """Return True if the stored parts aren't those that the report gives. Raises FileRefused."""
    if league.report is None:
        return False
    report = read(league.report)
    parts = league.parts.select_related("report")
    stored = {_key(part): _sha256(part) for part in parts}
    return stored != {
        (one.in_force, one.rated_on): hashlib.sha256(_extract(league, report, one)[1]).hexdigest()
        for one in _parts(league, report)
    }


def _sha256(part: Tournament) -> str:
    """Return the SHA-256 of the report that counts; empty without one."""
    return "" if part.report is None else hashlib.sha256(bytes(part.report.content)).hexdigest()


def _extract(league: Tournament, report: trf.Tournament, part: LeaguePart) -> tuple[str, bytes]:
    """Return the name of a part, and its report."""
    name = _name(league, part.rounds)
    found = trf.extract(report, part.rounds, name, part.first_day, part.last_day)
    return name, b"".join(trf.trf_lines(found))


def _delete(part: Tournament) -> None:
    """Delete a part with its reports, of which the last one is protected while it counts."""
    part.status, part.report, part.rated_for = Tournament.Status.REGISTERED, None, None
    part.save(update_fields=["status", "report", "rated_for"])
    part.delete()


def _follow(part: Tournament, league: Tournament) -> bool:
    """Copy the league's fields to a part, and return True if any differed."""
    differs = [name for name in _OF_THE_LEAGUE if getattr(part, name) != getattr(league, name)]
    for name in differs:
        setattr(part, name, getattr(league, name))
    return bool(differs)


def _parts(league: Tournament, report: trf.Tournament) -> Iterable[LeaguePart]:
    days = report.round_dates
    round_days = {
        number: day for number in trf.played_rounds(report) if (day := days[number - 1]) is not None
    }
    return edition_on(league.first_day, league.chapter).parts_of(round_days, league.official)


def _key(part: Tournament) -> tuple[date, date]:
    """Return the key of a part: the list in force on its days, and the first that can rate it."""
    edition = edition_on((part.part_of or part).first_day, part.chapter)
    return edition.list_in_force(part.first_day), edition.rated_on(part.last_day, part.official)


def _name(league: Tournament, rounds: tuple[int, ...]) -> str:
    """Return the league's name with the rounds."""
    suffix = f", {'round' if len(rounds) == 1 else 'rounds'} {', '.join(map(str, rounds))}"
    most: int = getattr(Tournament._meta.get_field("name"), "max_length", 0)
    return league.name[: most - len(suffix)] + suffix
