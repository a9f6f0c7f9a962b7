"""Different ratings that one list gives a FIDE ID: storing them, and choosing one."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from foa.locking import lock_rows
from ratings.fide.models import DoubleRating, FideList, FidePlayer
from ratings.fide.services.locks import lock_fide_lists
from ratings.fide.services.staging import Differing
from ratings.formats.frl import FideControl


def keep_doubles(fide_list: FideList, differing: Iterable[Differing]) -> None:
    """Store the different ratings that the list gives FIDE IDs, unless they are stored already."""
    known = set(DoubleRating.objects.filter(fide_list=fide_list).values_list("fide_id", "control", "line"))
    DoubleRating.objects.bulk_create(
        DoubleRating(
            fide_list=fide_list,
            fide_id=one.fide_id,
            control=one.control.value,
            line=one.line,
            name=one.name,
            rating=one.rating,
            games=one.games,
            k=one.k,
        )
        for one in differing
        if (one.fide_id, one.control.value, one.line) not in known
    )


def choose(row: DoubleRating | None, beside: DoubleRating) -> None:
    """Choose one of the rows ``beside`` it, or none. If its list is in force, so is the rating.

    What follows for members is left to the first-rating check.
    """
    control = FideControl(beside.control)
    with transaction.atomic():
        lock_fide_lists()
        rows = DoubleRating.objects.beside(beside)
        lock_rows(DoubleRating.objects, list(rows.values_list("pk", flat=True)))
        rows.filter(is_chosen=True).update(is_chosen=False)
        if row is not None:
            rows.filter(pk=row.pk).update(is_chosen=True)
        if FideList.objects.in_force(control) == beside.fide_list:
            FidePlayer.objects.filter(pk=beside.fide_id).update(
                **{
                    f"{control}_rating": None if row is None else row.rating,
                    f"{control}_games": 0 if row is None else row.games,
                    f"{control}_k": 0 if row is None else row.k,
                }
            )
