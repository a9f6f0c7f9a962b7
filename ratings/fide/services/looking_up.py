"""Looking members up in FIDE lists that were imported before their FIDE IDs became known."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef

from members.models import Member
from ratings.fide.models import DoubleRating, FideList, FideRating
from ratings.fide.services.doubles import keep_doubles
from ratings.fide.services.entitlements import MissingList, missing_lists, of_the_lists
from ratings.fide.services.kept_files import forget_list, open_kept
from ratings.fide.services.locks import lock_fide_lists
from ratings.fide.services.staging import Differing
from ratings.formats.frl import FideControl, Part, Players, open_frl
from ratings.formats.problems import FileRefused

_AT_ONCE: Final = 1_000

_logger: Final = logging.getLogger(__name__)


def look_up_kept_lists() -> int:
    """Look members up in kept lists imported before their FIDE IDs were known. Return the number of lists.

    Only lists that may decide one of their ratings are read (RBB 3.4, 3.15). A damaged file is deleted, so
    that the office is asked to upload it.
    """
    wanted: dict[MissingList, set[int]] = defaultdict(set)
    for member, one in missing_lists(of_the_lists()):
        wanted[one].add(member.fide_id)
    kept = [one for one in sorted(wanted) if one.is_kept]
    for one in kept:
        fide_list = FideList.objects.get(sha256=one.sha256, period=one.period, control=one.control)
        try:
            with open_kept(one.sha256) as stream:
                note_history(fide_list, stream, wanted[one])
        except FileRefused as refusal:
            _logger.warning("the kept file of the %s is deleted: %s", fide_list, refusal)
            forget_list(one.sha256)
    return len(kept)


def note_history(
    fide_list: FideList,
    stream: BinaryIO,
    fide_ids: Collection[int],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Read an imported list again and store what it says about these FIDE IDs, even if it lacks them.

    A control is left out if another file of its month was imported meanwhile. Raises FileRefused if the file
    can't be read to its end. The list is read outside the transaction.
    """
    opened = open_frl(stream, FideControl(fide_list.control) if fide_list.control else None)
    rows: dict[int, list[_Row]] = {}
    read = 0
    for some in opened.players(_rating_games_and_k):
        if not isinstance(some, Players):
            # Everything else was reported when it was imported.
            continue
        for place, fide_id in enumerate(some.fide_ids):
            if fide_id in fide_ids:
                parts = some.standard[place], some.rapid[place], some.blitz[place]
                row = _Row(some.lines[place], some.names[place], dict(zip(FideControl, parts, strict=True)))
                rows.setdefault(fide_id, []).append(row)
        read += len(some.lines)
        if progress:
            progress(read)
    differing = [one for fide_id, some in rows.items() for one in _differing(fide_id, some)]
    without = {(one.fide_id, one.control) for one in differing}
    with transaction.atomic():
        lock_fide_lists()
        keep_doubles(fide_list, differing)
        controls = latest_for(fide_list)
        FideRating.objects.bulk_create(
            (
                FideRating(
                    fide_id=fide_id,
                    control=control.value,
                    period=fide_list.period,
                    rating=rating,
                    games=games,
                )
                for fide_id in fide_ids
                for control, (rating, games, _k) in _counting(rows.get(fide_id, ())).items()
                if control in controls and (fide_id, control) not in without
            ),
            update_conflicts=True,
            unique_fields=["fide_id", "control", "period"],
            update_fields=["rating", "games"],
            batch_size=_AT_ONCE,
        )


def latest_for(fide_list: FideList) -> list[FideControl]:
    """Return the controls for which no other file of the month was imported later."""
    same_month = FideList.objects.filter(period=fide_list.period)
    return [one for one in fide_list.controls if same_month.of(one).latest("pk") == fide_list]


def unknown_to(fide_list: FideList, controls: Sequence[FideControl]) -> set[int]:
    """Return the members' FIDE IDs for which it isn't known what a list says."""
    known = FideRating.objects.filter(
        fide_id=OuterRef("fide_id"), period=fide_list.period, control__in=controls
    )
    several = DoubleRating.objects.filter(fide_id=OuterRef("fide_id"), fide_list=fide_list)
    members = Member.objects.filter(~Exists(known), ~Exists(several), fide_id__isnull=False)
    return {one for one in members.values_list("fide_id", flat=True) if one} if controls else set()


_NOTHING: Final[tuple[Any, Any, Any]] = (None, 0, 0)


class _Row(NamedTuple):
    """A row of one FIDE ID, with rating, games and K of each control."""

    line: int
    name: str
    parts: Mapping[FideControl, tuple[Any, Any, Any]]

    @property
    def is_rated(self) -> bool:
        return any(rating for rating, _games, _k in self.parts.values())


def _counting(rows: Sequence[_Row]) -> Mapping[FideControl, tuple[Any, Any, Any]]:
    """Return the parts of the row that counts among several with one FIDE ID: the last with a rating."""
    if not rows:
        return dict.fromkeys(FideControl, _NOTHING)
    return ([row for row in rows if row.is_rated] or rows)[-1].parts


def _differing(fide_id: int, rows: Sequence[_Row]) -> Iterator[Differing]:
    """Yield the rated rows of each control in which ratings differ; none of them counts."""
    for control in FideControl:
        rated = [(row.line, row.name, *row.parts[control]) for row in rows if row.parts[control][0]]
        if len({rating for _line, _name, rating, *_more in rated}) > 1:
            yield from (Differing(control, line, fide_id, *more) for line, *more in rated)


def _rating_games_and_k(part: Part) -> tuple[Any, ...]:
    """Return rating, games and K. The reader calls this for all parts, but only those of ratings are used."""
    return part or _NOTHING
