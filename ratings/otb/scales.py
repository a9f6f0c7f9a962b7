"""The scale of the over-the-board lists (FIDE B.02 10.3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.core.cache import cache
from django.db.models import Count
from django.utils.translation import gettext

from foa.text import date_text
from ratings.office.scales import LISTS, ListScale, Scale, scale_of
from ratings.otb.models import OtbList
from ratings.otb.models.tournaments import CHAPTER_CHOICES
from ratings.rules.b02.time_controls import Chapter


def scales() -> Iterator[Scale]:
    """Yield the scale of each chapter that has lists."""
    known = set(OtbList.objects.order_by().values_list("chapter", flat=True).distinct())
    for chapter, name in CHAPTER_CHOICES:
        if chapter in known:
            title = gettext("Over the board: %(chapter)s") % {"chapter": name}
            yield Scale(f"otb-{Chapter(chapter).slug}", title, partial(_lists, chapter))


def _lists(chapter: int) -> list[ListScale]:
    lists = OtbList.objects.in_chapter(chapter).last_revisions().newest_first()[:LISTS]
    return [_scale(one) for one in reversed(lists)]


def _scale(one: OtbList) -> ListScale:
    # A list never changes.
    ratings = cache.get_or_set(
        f"otb-scale:{one.pk}",
        lambda: dict(
            one.entries.filter(rating__isnull=False)
            .order_by()
            .values_list("rating")
            .annotate(players=Count("pk"))
        ),
        timeout=None,
    )
    since = () if one.taken_from_id else (one.new_players, one.delisted)
    hundredths = {100 * rating: players for rating, players in (ratings or {}).items()}
    return scale_of(hundredths, date_text(one.list_day), one.get_absolute_url(), *since)
