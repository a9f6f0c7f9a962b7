"""Checking a file as the office would read it. Nothing is stored."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from foa.rate_limits import count
from ratings.formats.league import BoardRow, read_rounds
from ratings.formats.problems import FileRefused, Problem
from ratings.formats.trf.reading import MAX_BYTES
from ratings.league.models import Team
from ratings.league.services.rounds import RoundsStored, store_round
from ratings.league.services.squads import RowsRefused
from ratings.otb.models import Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.receiving import ReadReport, Received, ReportRefused, Upload, preview

MOST_OF_REPORT: Final = MAX_BYTES
"""Maximum bytes of a tournament report; below, of matches of a league."""
MOST_OF_ROUND: Final = 1 << 20


_CHECKED: Final = 60
"""Maximum number of files that a login checks within an hour, by page and by token together."""


def may_check(user: Any) -> bool:
    """Count a file that a login checks, and return whether it may."""
    return count(f"organizers:{user.pk}", 3600) <= _CHECKED


class FileFaults(ValueError):
    """A file that can't be sent. ``reasons``: all of them, with their lines."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True)
class RoundFound:
    """Findings of the office in matches of a league. ``read_as``: how the file was read."""

    stored_boards: RoundsStored
    read_as: str


Found = Received | RoundFound
_Report = TypeVar("_Report", bound=ReadReport)


def check(
    *,
    tournament: Tournament | None,
    federation: str,
    team: Team | None,
    content: bytes,
    source: str,
    at: datetime,
) -> Found:
    """Return what the office would find in a file. Raises FileFaults.

    ``tournament``: whose report it is; without one, any of the ``federation``, also a new one. ``team``: one
    that plays in the matches of a league.
    """
    if team is not None:
        return check_round(team, content)
    return check_report(
        preview, tournament=tournament, federation=federation, content=content, source=source, at=at
    )


def check_report(
    read: Callable[..., _Report],
    *,
    tournament: Tournament | None,
    federation: str,
    content: bytes,
    source: str,
    at: datetime,
) -> _Report:
    """Return the report of a tournament as ``read`` understands it. Raises FileFaults.

    ``read``: `preview`, or `read_report`, which rates nothing.
    """
    try:
        found = read(Upload(content=content, source=source), at=at, tournament=tournament)
    except ReportRefused as refused:
        raise FileFaults(*refused.reasons) from None
    except (FileRefused, NotPossible) as refused:
        raise FileFaults(str(refused)) from None
    if not found.is_new:
        raise FileFaults(_("We already have this report: the file is identical."))
    if federation:
        _check_federation(found, federation)
    return found


def _check_federation(found: ReadReport, federation: str) -> None:
    """Refuse a tournament of another federation, as it is registered or as the report says."""
    for one in filter(None, (found.before, found.tournament)):
        if one.federation != federation:
            told = _("%(name)s doesn’t belong to %(federation)s. Its federation is %(other)s (record 032).")
            words = {"name": one.name, "federation": federation, "other": one.federation or _("missing")}
            raise FileFaults(told % words)


def check_round(team: Team, content: bytes) -> RoundFound:
    """Store the matches and take them back. Players whom no squad has are taken for new ones."""
    seen: set[str] = set()
    try:
        rows = read_rounds(io.BytesIO(content))
        with transaction.atomic():
            stored = store_round(team.season, _noting_teams(rows, seen), add_unknown_as_ce=True)
            transaction.set_rollback(True)
    except RowsRefused as refused:
        raise FileFaults(*(one.at_line for one in refused.problems)) from None
    except FileRefused as refused:
        raise FileFaults(str(refused)) from None
    if team.name not in seen:
        raise FileFaults(_("%(team)s has no match in this file.") % {"team": team})
    if not stored.stored:
        raise FileFaults(_("We already have all the boards in this file."))
    return RoundFound(stored, rows.read_as)


def _noting_teams(rows: Iterable[BoardRow | Problem], seen: set[str]) -> Iterator[BoardRow | Problem]:
    for row in rows:
        if isinstance(row, BoardRow):
            seen |= {row.home_team, row.away_team}
        yield row
