"""Looking members up in FIDE lists that were imported before their FIDE IDs became known."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import Any, BinaryIO, Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Exists, OuterRef

from members.models import Member
from ratings.fide.models import FideList, FideRating
from ratings.fide.services.given import MissingList, missing_lists, of_the_lists
from ratings.fide.services.kept import forget_list, open_kept
from ratings.fide.services.locks import lock_fide_lists
from ratings.formats.frl import FideControl, Part, Players, open_frl
from ratings.formats.problems import FileRefused

_AT_ONCE: Final = 1_000

_logger: Final = logging.getLogger(__name__)


def look_up_kept_lists(using: str = DEFAULT_DB_ALIAS) -> int:
    """Look members up in kept lists of which it isn't known what they say of them; return how many lists.

    Only lists that may decide one of their ratings (RBB 3.4, 3.15). A file that is damaged is deleted, so
    that the office is told to bring it.
    """
    wanted: dict[MissingList, set[int]] = defaultdict(set)
    for member, one in missing_lists(of_the_lists(using), using):
        wanted[one].add(member.fide_id)
    kept = [one for one in sorted(wanted) if one.is_kept]
    for one in kept:
        fide_list = FideList.objects.using(using).get(
            sha256=one.sha256, period=one.period, control=one.control
        )
        try:
            with open_kept(one.sha256) as stream:
                note_history(fide_list, stream, wanted[one], using=using)
        except FileRefused as refusal:
            _logger.warning("the kept file of the %s is deleted: %s", fide_list, refusal)
            forget_list(one.sha256)
    return len(kept)


def note_history(
    fide_list: FideList,
    stream: BinaryIO,
    fide_ids: Collection[int],
    progress: Callable[[int], None] | None = None,
    *,
    using: str = DEFAULT_DB_ALIAS,
) -> None:
    """Read a list that was imported once more, and note what it says of these FIDE IDs, nothing included.

    Nothing is noted if another file of the month was imported meanwhile. Raises FileRefused if the file can't
    be read to its end. The list is read outside of the transaction.
    """
    opened = open_frl(stream, FideControl(fide_list.control) if fide_list.control else None)
    said: dict[int, Sequence[tuple[Any, Any]]] = {}
    read = 0
    for some in opened.players(_rating_and_games):
        if not isinstance(some, Players):
            # All else was told when it was imported.
            continue
        for place, fide_id in enumerate(some.fide_ids):
            if fide_id in fide_ids:
                parts = some.standard[place], some.rapid[place], some.blitz[place]
                # Of several rows with the same FIDE ID the last with a rating counts.
                if any(one[0] for one in parts) or not any(one[0] for one in said.get(fide_id, ())):
                    said[fide_id] = parts
        read += len(some.lines)
        if progress:
            progress(read)
    nothing = [(None, 0)] * len(FideControl)
    with transaction.atomic(using=using):
        lock_fide_lists(connections[using])
        controls = latest_for(fide_list, using)
        FideRating.objects.using(using).bulk_create(
            (
                FideRating(
                    fide_id=fide_id,
                    control=control.value,
                    period=fide_list.period,
                    rating=rating,
                    games=games,
                )
                for fide_id in fide_ids
                for control, (rating, games) in zip(FideControl, said.get(fide_id, nothing), strict=True)
                if control in controls
            ),
            update_conflicts=True,
            unique_fields=["fide_id", "control", "period"],
            update_fields=["rating", "games"],
            batch_size=_AT_ONCE,
        )


def latest_for(fide_list: FideList, using: str) -> list[FideControl]:
    """Return the controls of which no other file of its month was imported later."""
    same_month = FideList.objects.using(using).filter(period=fide_list.period)
    return [one for one in fide_list.controls if same_month.of(one).latest("pk") == fide_list]


def unknown_to(period: date, controls: Sequence[FideControl], using: str) -> set[int]:
    """Return the FIDE IDs of members of which it is not known what the list of a month says."""
    known = FideRating.objects.using(using).filter(
        fide_id=OuterRef("fide_id"), period=period, control__in=controls
    )
    members = Member.objects.using(using).filter(~Exists(known), fide_id__isnull=False)
    return {one for one in members.values_list("fide_id", flat=True) if one} if controls else set()


def _rating_and_games(part: Part) -> tuple[Any, Any]:
    return (part[0], part[1]) if part else (None, 0)
