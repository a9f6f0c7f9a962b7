"""Reading a file as the office reads it, and saying what it would find. Nothing is stored."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from foa.rate_limits import count
from ratings.formats.league import BoardRow, read_rounds
from ratings.formats.problems import FileRefused, Problem
from ratings.formats.trf.reading import MAX_BYTES
from ratings.league.models import Team
from ratings.league.services.rounds import RoundsStored, store_round
from ratings.league.services.squads import RowsRefused
from ratings.otb.findings import Shown, cut_short, finding_rows
from ratings.otb.models import Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.receiving import Preview, ReportRefused, Upload, preview

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
class ReportFound:
    """Findings of the office in the report of a tournament."""

    preview: Preview

    @cached_property
    def findings(self) -> Shown:
        """Findings in words; those that keep the tournament from being rated come first."""
        return cut_short(finding_rows(self.preview.rated))

    @property
    def refusing(self) -> int:
        """Number of findings that keep the tournament from being rated."""
        return len(self.preview.rated.refusals)

    @cached_property
    def remarks(self) -> Shown:
        """Remarks on lines of the file."""
        return cut_short(self.preview.remarks)

    @property
    def stored(self) -> Tournament | None:
        """The tournament, if it is registered already."""
        return self.preview.before

    @property
    def named(self) -> tuple[str, date]:
        """Name and first day of the tournament, by the report."""
        return self.preview.tournament.name, self.preview.tournament.first_day

    @property
    def federation(self) -> str:
        """The federation in which it is played."""
        return (self.preview.before or self.preview.tournament).federation


@dataclass(frozen=True)
class RoundFound:
    """Findings of the office in matches of a league. ``read_as``: how the file was read."""

    stored_boards: RoundsStored
    read_as: str
    stored: None = None
    named: tuple[str, None] = ("", None)
    federation: str = ""


Found = ReportFound | RoundFound


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
        return _check_round(team, content)
    try:
        found = ReportFound(preview(Upload(content=content, source=source), at=at, tournament=tournament))
    except ReportRefused as refused:
        raise FileFaults(*refused.reasons) from None
    except (FileRefused, NotPossible) as refused:
        raise FileFaults(str(refused)) from None
    if not found.preview.is_new:
        raise FileFaults(_("We already have this report: the file is identical."))
    if federation:
        _check_federation(found, federation)
    return found


def _check_federation(found: ReportFound, federation: str) -> None:
    """Refuse a tournament of another federation, as it is registered or as the report says."""
    for one in filter(None, (found.stored, found.preview.tournament)):
        if one.federation != federation:
            told = _(
                "%(name)s isn’t a tournament of %(federation)s. Its federation is %(other)s (record 032)."
            )
            words = {"name": one.name, "federation": federation, "other": one.federation or _("missing")}
            raise FileFaults(told % words)


def _check_round(team: Team, content: bytes) -> RoundFound:
    """Store the matches and take them back. Players whom no squad has are taken for new ones."""
    seen: set[str] = set()
    try:
        rows = read_rounds(io.BytesIO(content))
        with transaction.atomic():
            stored = store_round(team.season, _noting_teams(rows, seen), add_unknown_as_ce=True)
            transaction.set_rollback(True)
    except RowsRefused as refused:
        raise FileFaults(*map(str, refused.problems)) from None
    except FileRefused as refused:
        raise FileFaults(str(refused)) from None
    if team.name not in seen:
        raise FileFaults(_("%(team)s has no match in this file.") % {"team": team})
    if not stored.stored:
        raise FileFaults(_("We already have all boards in this file."))
    return RoundFound(stored, rows.read_as)


def _noting_teams(rows: Iterable[BoardRow | Problem], seen: set[str]) -> Iterator[BoardRow | Problem]:
    for row in rows:
        if isinstance(row, BoardRow):
            seen |= {row.home_team, row.away_team}
        yield row
