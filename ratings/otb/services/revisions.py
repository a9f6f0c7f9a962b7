"""Comparison of an over-the-board list's revisions."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Subquery

from ratings.otb.models import OtbList, OtbListEntry
from ratings.rules.units import Points


def ratings_moved(revision: OtbList) -> list[tuple[int, Points | None, Points | None]]:
    """FIDE ID, rating on the revision before and on this one, where they differ; None without a rating."""
    lists = OtbList.objects.in_chapter(revision.chapter).of(revision.list_day)
    before = lists.filter(revision__lt=revision.revision).first()
    rated = OtbListEntry.objects.order_by().exclude(rating=None)
    now, then = rated.filter(otb_list=revision), rated.filter(otb_list=before)
    was = then.filter(fide_id=OuterRef("fide_id"))
    other = now.exclude(Exists(was.filter(rating=OuterRef("rating")))).annotate(
        was=Subquery(was.values("rating"))
    )
    lost = then.exclude(Exists(now.filter(fide_id=OuterRef("fide_id"))))
    found: list[tuple[int, Any, Any]] = [*other.values_list("fide_id", "was", "rating")]
    found += [(fide_id, rating, None) for fide_id, rating in lost.values_list("fide_id", "rating")]
    return sorted(found)
