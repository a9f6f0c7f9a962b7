"""Importing a FIDE rating list: checks for doubtful lists first, then everything or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, BinaryIO, Final, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.text import month_text
from ratings.fide.models import FideList
from ratings.fide.services.doubles import keep_doubles
from ratings.fide.services.kept_files import keep_list
from ratings.fide.services.locks import lock_fide_lists
from ratings.fide.services.looking_up import latest_for, note_history, unknown_to
from ratings.fide.services.staging import PLAYERS, Double, Progress, Staged, keep_history, staging
from ratings.formats.frl import FIRST_LIST_YEAR, FideControl, Players, RatingListFile, open_frl
from ratings.formats.frl.writing import MONTHS
from ratings.formats.problems import FileRefused, Problem, Remark, readable
from ratings.rbb.lists.publishing import next_month

T = TypeVar("T")

LEAST_PLAYERS: Final = 90
"""Minimum percentage of the players in force, and of those rated in each control.

Lists grow by some thousands a month. One that is a tenth smaller has lost something on its way.
"""

MOST_CHANGED: Final = 30
"""Maximum percentage of the ratings in both lists that may differ from one month to the next.

In a month a few per cent do, in three months of 2001 to 2009 up to 37. FIDE itself changed more only in March
2024, when it raised all ratings below 2000.
"""

_MOST_EVER_CHANGED: Final = 90
"""Maximum percentage that may differ after any time: a shifted column changes nearly all."""

MOST_REFUSED: Final = 1
"""Maximum number of refused rows in a thousand. Some dozens of FIDE's two million are too long."""

MOST_TWICE: Final = 1
"""Maximum number of rows in a thousand that repeat a FIDE ID. Up to ten rows always may."""

_HANDFUL: Final = 10

_AGES: Final = 70
"""Limit of two-digit years: below it, they are of this century, as in every list since 2001."""


class ListDoubtful(FileRefused):
    """A readable list that may still be the wrong one. The message has the figures.

    With ``force`` it is imported nevertheless.
    """


@dataclass(slots=True)
class ListImported:
    """The result of an import.

    ``put_in_force``: the controls whose ratings in force it replaced. ``twice``: number of rows left out
    because another row has the same FIDE ID; they are among the refused. ``history_added``: number of FIDE
    IDs looked up in a list that had been imported before they were known.
    """

    fide_list: FideList
    is_new: bool
    put_in_force: tuple[FideControl, ...] = ()
    twice: int = 0
    history_added: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFile:
    """A file to import. ``period``: the first day of its month; ``control``: the one of its list, or None."""

    stream: BinaryIO
    source: str
    sha256: str
    period: date
    control: FideControl | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Functions called with refused rows, with remarks about values left blank, and with the progress."""

    refused: Callable[[Problem], None] = lambda problem: None
    remark: Callable[[Remark], None] = lambda remark: None
    progress: Progress | None = None


@transaction.atomic
def import_frl(
    file: ListFile, *, at: datetime, by: Any = None, force: bool = False, told: Listeners | None = None
) -> ListImported:
    """Read a list and put it in force, for each control unless a newer list is in force.

    The file is kept, so that members whose FIDE IDs become known later can be looked up in it. An older list
    only adds to the history of members. A file that was imported isn't read again, unless members have FIDE
    IDs that weren't known then: what it says about those is added to the history, and nothing else changes.

    If several rows have the same FIDE ID, the last one with a rating is kept. If their ratings differ, none
    counts until somebody chooses one, or a later list has one of them. Raises FileRefused for a list that
    can't be imported, :class:`ListDoubtful` for one that ``force`` would accept. Uses one transaction.
    """
    told = told or Listeners()
    lock_fide_lists()
    if (known := _imported_before(file, force)) is not None:
        keep_list(file.stream, file.sha256)
        file.stream.seek(0)
        added = _complete_history(known, file.stream, told.progress)
        return ListImported(known, is_new=False, history_added=added)
    if file.period > next_month(at.astimezone(UTC).date()):
        month = month_text(file.period)
        raise FileRefused(f"{month} is in the future: FIDE has not published that month yet")
    opened = open_frl(file.stream, file.control)
    if not force:
        _check_month(opened, file.period)
    fide_list = FideList(
        period=file.period,
        control=file.control or "",
        source=readable(file.source)[-255:],
        sha256=file.sha256,
        imported_at=at,
        imported_by=by,
    )
    were = in_force()
    newer = {one: listed is None or listed.period <= file.period for one, listed in were.items()}
    controls = tuple(one for one in opened.controls if newer[one])
    of_this_month = [
        one for one, listed in were.items() if listed is not None and listed.period == file.period
    ]
    with staging(file.control, of_this_month) as staged:
        doubles = _stage(staged, file, opened, fide_list, told)
        identity = all(newer.values())
        if controls and not staged.first:
            staged.compare(controls, identity=identity)
        months = max((_months(were[one], file.period) for one in controls), default=0)
        _check(staged, fide_list, controls, doubles, months, force)
        fide_list.refused += doubles
        # Include members who were registered since the lists in force were imported.
        keep_history_in_force()
        fide_list.save()
        keep_doubles(fide_list, staged.differing)
        if controls:
            fide_list.added, fide_list.changed, fide_list.removed = staged.put_in_force(
                controls, identity=identity
            )
            fide_list.save()
        for one in opened.controls:
            keep_history(staged.table, one, fide_list)
    keep_list(file.stream, file.sha256)
    return ListImported(fide_list, is_new=True, put_in_force=controls, twice=doubles)


def _imported_before(file: ListFile, force: bool) -> FideList | None:
    """Return the list imported from this very file. Raises ListDoubtful if its month or control differs."""
    for same in FideList.objects.filter(sha256=file.sha256):
        if (same.period, same.control) == (file.period, file.control or ""):
            return same
        if not force:
            raise ListDoubtful(f"this file was already imported as the {same}")
    return None


def _stage(
    staged: Staged, file: ListFile, opened: RatingListFile, fide_list: FideList, told: Listeners
) -> int:
    """Fill the temporary table. Return the number of rows whose FIDE ID is kept from another row."""
    doubles: list[Double] = []
    try:
        staged.fill(
            lambda made: _taken(opened.players(made), fide_list, told.refused, told.remark),
            told.progress,
            doubles.append,
        )
    except IntegrityError:
        # Read again, into a table that allows repeated FIDE IDs. Everything else was reported already.
        file.stream.seek(0)
        again = open_frl(file.stream, file.control)
        staged.stage(
            lambda made: _taken(again.players(made), fide_list, _unheard, _unheard),
            told.progress,
            doubles.append,
        )
    _tell_twice(doubles, staged, told.refused)
    return len(doubles)


def _complete_history(fide_list: FideList, stream: BinaryIO, progress: Progress | None) -> int:
    """Add to the history what an imported list says about members whose FIDE IDs came later.

    Return the number of FIDE IDs. A control is left out if another file of its month was imported later.
    """
    controls = latest_for(fide_list)
    if not unknown_to(fide_list, controls):
        return 0
    keep_history_in_force()
    unknown = unknown_to(fide_list, controls)
    if unknown:
        note_history(fide_list, stream, unknown, progress)
    return len(unknown)


def in_force() -> dict[FideControl, FideList | None]:
    """Return the list in force for each control."""
    return {control: FideList.objects.in_force(control) for control in FideControl}


def keep_history_in_force() -> None:
    """Store what the lists in force say about every member with a FIDE ID, before others replace them."""
    for control, fide_list in in_force().items():
        if fide_list is not None:
            keep_history(PLAYERS, control, fide_list)


def month_of(text: str) -> date:
    """Read a month such as 2026-03. Raises ValidationError if no FIDE list can be of that month."""
    try:
        month = datetime.strptime(text.strip(), "%Y-%m").date()
    except ValueError:
        raise ValidationError(_("Write the month like this: 2026-03.")) from None
    if month.year < FIRST_LIST_YEAR or month > next_month(timezone.now().date()):
        raise ValidationError(_("FIDE has not published that month yet."))
    return month


def month_named(text: str) -> date | None:
    """Read the month in the header of a list, such as OCT26 or sept05. Return None if it isn't one."""
    name, year = text[:3].upper(), int(text[-2:] or 0)
    if name not in MONTHS:
        return None
    return date(year + (2000 if year < _AGES else 1900), MONTHS.index(name) + 1, 1)


def _check_month(opened: RatingListFile, period: date) -> None:
    named = month_named(opened.month)
    if named is not None and named != period:
        raise ListDoubtful(
            f"its header names {opened.month}, which is {month_text(named)} and not {month_text(period)}"
        )


def _taken(
    found: Iterable[Players[T] | Remark | Problem],
    fide_list: FideList,
    on_refused: Callable[[Problem], None],
    on_remark: Callable[[Remark], None],
) -> Iterator[Players[T]]:
    """Yield the players of a list. Count and report refused rows, and report remarks."""
    fide_list.rows = fide_list.refused = 0
    taken = 0
    for some in found:
        if isinstance(some, Players):
            taken += len(some.lines)
            yield some
        elif isinstance(some, Remark):
            on_remark(some)
        else:
            fide_list.refused += 1
            on_refused(some)
    fide_list.rows = taken + fide_list.refused


def _unheard(said: object) -> None:
    """Ignore a message that was reported in the first reading."""


def _tell_twice(doubles: Iterable[Double], staged: Staged, on_refused: Callable[[Problem], None]) -> None:
    ratings: dict[int, dict[str, None]] = {}
    for one in staged.differing:
        ratings.setdefault(one.fide_id, {})[f"{one.control} {one.rating} on line {one.line}"] = None
    for line, fide_id, name, kept, kept_is_rated in doubles:
        why = "has a rating" if kept_is_rated and kept < line else "comes later"
        reason = f"FIDE ID {fide_id} is also on line {kept}; that row is kept, because it {why}"
        if fide_id in ratings:
            told = ", ".join(ratings[fide_id])
            reason = (
                f"FIDE ID {fide_id} is also on line {kept}, with another rating ({told}); "
                "none of them counts until somebody chooses one, or a later list has one of them"
            )
        on_refused(Problem(line, reason, {"fide_id": str(fide_id), "name": name}))


def _months(listed: FideList | None, period: date) -> int:
    """Return how many months a list is later than the one in force."""
    if listed is None:
        return 0
    return 12 * (period.year - listed.period.year) + period.month - listed.period.month


def most_changed(months: int) -> int:
    """Return the maximum percentage of ratings that may differ after some months: 30, 51, 65 …, up to 90."""
    months = max(1, months)
    share = Fraction(MOST_CHANGED, 100)
    return min(_MOST_EVER_CHANGED, int(100 * (1 - (1 - share) ** months)))


def _check(
    staged: Staged,
    fide_list: FideList,
    controls: tuple[FideControl, ...],
    twice: int,
    months: int,
    force: bool,
) -> None:
    """Raise FileRefused for a list without players, or ListDoubtful, unless forced, if it differs too much.

    ``months``: months since the list in force.
    """
    counts = staged.counts(staged.table)
    if not counts["players"]:
        raise FileRefused(f"none of its {fide_list.rows:,} rows is a player")
    if force:
        return
    doubts = []
    read, refused = fide_list.rows, fide_list.refused
    if refused * 1000 > read * MOST_REFUSED:
        doubts.append(f"{refused:,} of its {read:,} rows are refused, more than {MOST_REFUSED} in 1,000")
    if twice > _HANDFUL and twice * 1000 > read * MOST_TWICE:
        doubts.append(
            f"{twice:,} of its {read:,} rows have the FIDE ID of another row, more than {MOST_TWICE} in 1,000"
        )
    if controls and not staged.first:
        were = staged.counts(PLAYERS)
        for what in ("players", *controls) if len(controls) == len(FideControl) else controls:
            has, had = counts[what], were[what]
            if has * 100 < had * LEAST_PLAYERS:
                named = "player" if has == 1 else "players"
                if what != "players":
                    named += f" rated in {what}"
                doubts.append(f"it has {has:,} {named}, less than {LEAST_PLAYERS}% of the {had:,} in force")
        changed, both = staged.changed_ratings(controls)
        most = most_changed(months)
        if changed * 100 > both * most:
            since = f" after {months} months" if months > 1 else ""
            doubts.append(
                f"{changed:,} of {both:,} ratings differ from those in force, more than {most}%{since}"
            )
    if doubts:
        raise ListDoubtful("; ".join(doubts))
