"""The scale of published lists over time, the arena's and those of other rule books; a cohort to watch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Final, cast

from django.core.cache import cache
from django.db.models import Avg, Count
from django.utils.module_loading import import_string
from django.utils.translation import gettext

from foa.moments import beginning_of
from foa.text import month_text
from ratings.lab.presenting import picture_of
from ratings.office import rooms
from ratings.office.fields import hundredths
from ratings.office.scales import LISTS, QUANTILES, ListScale, Scale, scale_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rules.rbb.editions import K_PREVIOUSLY_UNRATED
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

COHORT: Final = 20
"""Minimum number of members for the mean of the cohort."""

AGES: Final = (35, 45)
ESTABLISHED: Final = 30
"""Minimum number of rated games of an established member, whose K isn't that of newcomers either."""

_YEARS: Final = 4
"""Years in each of which a member of the cohort has played."""


def scales() -> Iterator[Scale]:
    """Yield the scales of the arena's categories, then those of other rooms."""
    for category, name in CATEGORY_NAMES.items():
        yield Scale(category.slug, name, partial(_scales, category))
    for room in rooms.installed():
        if room.scales:
            yield from import_string(room.scales)()


def lists_of(category: Category) -> list[RatingList]:
    """Return the last monthly lists, as last revised, oldest first."""
    return list(RatingList.objects.of(category).last_revisions()[:LISTS])[::-1]


def _scales(category: Category) -> Iterator[ListScale]:
    for one in lists_of(category):
        # A list never changes.
        found = cast(ListScale, cache.get_or_set(f"lab-list:{one.pk}", partial(_counted, one), None))
        yield found._replace(label=month_text(beginning_of(month_of(one))))


def month_of(published: RatingList) -> date:
    """Return the month of a monthly list."""
    return cast(date, published.month)


def _counted(published: RatingList) -> ListScale:
    ratings = published.entries.order_by().values_list(hundredths("rating")).annotate(Count("pk"))
    before = published.previous
    came = published.entries.filter(previous=None).count() if before else None
    left = None if before is None or came is None else before.members + came - published.members
    return scale_of(dict(ratings), "", published.get_absolute_url(), came, left)


def cohort(lists: Sequence[RatingList]) -> list[tuple[RatingList, int, Decimal | None]]:
    """Return the number of the cohort's members and their mean rating on each list that four years precede.

    The cohort is who played in each of these years, is 35 to 45 years old and established. The mean is None
    for fewer than ``COHORT`` members.
    """
    by_month = {one.month: one for one in lists}
    found = []
    for one in lists:
        month = month_of(one)
        years = [by_month.get(month.replace(year=month.year - number)) for number in range(1, _YEARS)]
        if None not in years:
            key = f"lab-cohort:{one.pk}:{':'.join(str(each.pk) for each in years if each)}"
            found.append((one, *cast(Any, cache.get_or_set(key, partial(_cohort, one, years), None))))
    return found


def _cohort(published: RatingList, years: Sequence[RatingList | None]) -> tuple[int, Decimal | None]:
    year = month_of(published).year
    members = published.entries.order_by().filter(
        year_games__gt=0,
        games__gte=ESTABLISHED,
        birth_year__range=(year - AGES[1], year - AGES[0]),
    )
    members = members.exclude(k=K_PREVIOUSLY_UNRATED)
    for earlier in years:
        played = RatingListEntry.objects.filter(rating_list=earlier, year_games__gt=0).order_by()
        members = members.filter(member__in=played.values("member"))
    number, mean = members.aggregate(number=Count("pk"), mean=Avg(hundredths("rating"))).values()
    return number, from_hundredths(Hundredths(round(mean))) if number >= COHORT else None


def pictures(lists: Sequence[ListScale]) -> list[dict[str, Any]]:
    """Return the coordinates of the mean and median, and of the quantiles, list by list."""
    labels = [one.label for one in lists]
    middle: list[tuple[str, list[Any]]] = [
        (gettext("Mean"), [one.mean for one in lists]),
        (gettext("Median"), [one.median for one in lists]),
    ]
    percentile = gettext("%(part)sth percentile")
    quantiles = [
        (percentile % {"part": part}, [one.quantiles[number] if one.quantiles else None for one in lists])
        for number, part in reversed(list(enumerate(QUANTILES)))
    ]
    found = [
        (gettext("Mean and median"), picture_of(middle, labels)),
        (gettext("Percentiles"), picture_of(quantiles, labels)),
    ]
    return [{"title": title, **picture} for title, picture in found if picture is not None]
