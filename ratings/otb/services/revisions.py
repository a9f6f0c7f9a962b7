"""What the revision of an over-the-board list changed."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Exists, OuterRef

from ratings.otb.models import OtbList, OtbListEntry


def ratings_moved(revision: OtbList, using: str = DEFAULT_DB_ALIAS) -> int:
    """How many players have another rating than on the revision before, or lost theirs, or got one."""
    lists = OtbList.objects.using(using).of(revision.list_day)
    before = lists.filter(revision__lt=revision.revision).first()
    rated = OtbListEntry.objects.using(using).order_by().exclude(rating=None)
    now, then = rated.filter(otb_list=revision), rated.filter(otb_list=before)
    same = then.filter(fide_id=OuterRef("fide_id"), rating=OuterRef("rating"))
    still = now.filter(fide_id=OuterRef("fide_id"))
    return now.exclude(Exists(same)).count() + then.exclude(Exists(still)).count()
