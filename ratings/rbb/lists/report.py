"""The report of a published list on its period, and the arena's records, compiled from these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from decimal import Decimal
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Count, Exists, ExpressionWrapper, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import TruncDate

from ratings.office.fields import HundredthsField
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.lists.top_lists import ACTIVE
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import ListReview, RatingList, RatingListEntry
from ratings.rules.time_controls import Category

NAMED: Final = 20
"""Maximum number of members named in a group; all of them are counted."""

_Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """Some lines of a list: their number, and the first of them."""

    count: int
    first: list[RatingListEntry]


@dataclass(frozen=True, slots=True)
class ListReport:
    """A list compared with the previous one.

    ``new``: on no earlier list of this category. ``returned``: on an earlier one, but not on the previous
    one. ``left``: their lines on the previous list; they lost their rating under the floor (RBB 3.3).
    ``risers`` and ``fallers``: by the exact change since the previous list. ``active``: by rated games in the
    period. ``upsets``: the winners' lines, by how much higher their opponents were rated. ``busiest``: the
    day of the period on which most rated games ended, and their number. ``months``: the period's games by the
    month in which they ended. ``mean_drift`` and ``median_drift``: in points, None without a previous list.
    """

    new: Group
    returned: Group
    left: Group
    risers: list[RatingListEntry]
    fallers: list[RatingListEntry]
    active: list[RatingListEntry]
    upsets: list[RatingChange]
    busiest: tuple[date, int] | None
    months: dict[date, int]
    mean_drift: Decimal | None
    median_drift: Decimal | None


def report(published: RatingList) -> ListReport:
    """Return the report of a list, from its review."""
    return reports([published])[0]


def reports(lists: Iterable[RatingList]) -> list[ListReport]:
    """Return the reports of some lists, reading their lines together."""
    reviews = [(one, review_of(one)) for one in lists]
    entries = RatingListEntry.objects.select_related("member", "rating_list").in_bulk(
        {key for _, figures in reviews for name in _OF_ENTRIES for key in figures[name]["first"]}
    )
    keys = {key for _, figures in reviews for key, _difference in figures["upsets"]}
    # A line that a correction has since removed is no longer an upset.
    upsets = list(RatingChange.objects.filter(pk__in=keys).upsets().select_related("member", "opponent"))
    found = []
    for published, figures in reviews:
        groups = {
            name: Group(
                figures[name]["count"], [entries[key] for key in figures[name]["first"] if key in entries]
            )
            for name in _OF_ENTRIES
        }
        day = figures["busiest"]
        before = published.previous
        found.append(
            ListReport(
                new=groups["new"],
                returned=groups["returned"],
                left=groups["left"],
                risers=groups["risers"].first,
                fallers=groups["fallers"].first,
                active=groups["active"].first,
                upsets=[line for line in upsets if line.pk in dict(figures["upsets"])],
                busiest=(date.fromisoformat(day[0]), day[1]) if day else None,
                months={
                    date.fromisoformat(f"{month}-01"): games for month, games in figures["months"].items()
                },
                mean_drift=_drift(before.mean if before else None, published.mean),
                median_drift=_drift(before.median if before else None, published.median),
            )
        )
    return found


_OF_ENTRIES: Final = ("new", "returned", "left", "risers", "fallers", "active")


def review_of(published: RatingList) -> _Figures:
    """Return the stored review of a list, or compute it if none is stored."""
    kept = ListReview.objects.complete().filter(pk=published.pk).first()
    return found_in(published) if kept is None else kept.figures


def keep_reviews() -> int:
    """Compute and store missing reviews of monthly lists; return their number."""
    kept = ListReview.objects.complete().filter(pk=OuterRef("pk"))
    missing = list(RatingList.objects.monthly().filter(~Exists(kept)).select_related("previous"))
    for published in missing:
        ListReview.objects.update_or_create(pk=published.pk, defaults={"figures": found_in(published)})
    return len(missing)


def found_in(published: RatingList) -> _Figures:
    """Compute a list's review: keys of lines, and numbers, as stored. It reads the whole list."""
    entries = published.entries.order_by("position")
    earlier = RatingListEntry.objects.filter(
        rating_list__category=published.category,
        rating_list__month__lt=published.month,
        member=OuterRef("member"),
    )
    came = entries.filter(previous=None)
    before = published.previous
    left = (
        before.entries.filter(~Exists(published.entries.filter(member=OuterRef("member")))).order_by(
            "position"
        )
        if before
        else entries.none()
    )
    moved = entries.exclude(previous=None).annotate(
        risen=ExpressionWrapper(F("rating") - F("previous"), output_field=HundredthsField())
    )
    return {
        "new": _group(came.filter(~Exists(earlier))),
        "returned": _group(came.filter(Exists(earlier))),
        "left": _group(left),
        "risers": _first(moved.filter(risen__gt=0).order_by("-risen", "position")),
        "fallers": _first(moved.filter(risen__lt=0).order_by("risen", "position")),
        "active": _first(ACTIVE.lines(published)),
        **of_ledger(published),
    }


def of_ledger(published: RatingList) -> _Figures:
    """Return the ledger's present figures for a list's period: its days, so without the last moment.

    ``months``: games by the month in which they ended. The period of a first list includes all months before
    it.
    """
    lines = RatingChange.objects.filter(category=published.category, occurred_at__lt=published.as_of)
    if published.previous:
        lines = lines.filter(occurred_at__gte=published.previous.as_of)
    days = (
        lines.filter(game__isnull=False)
        .order_by()
        .annotate(day=TruncDate("occurred_at", tzinfo=UTC))
        .values_list("day")
        .annotate(lines=Count("pk"))
        .order_by("-lines", "day")
    )
    months: Counter[str] = Counter()
    for day, number in days:
        # Each game has two lines.
        months[f"{day:%Y-%m}"] += number // 2
    busiest = days.first()
    peaks = Rating.objects.filter(category=published.category, peak__isnull=False).order_by("-peak", "pk")
    return {
        "upsets": list(lines.upsets().values_list("pk", "higher")[:NAMED]),
        "busiest": None if busiest is None else [busiest[0].isoformat(), busiest[1] // 2],
        "months": months,
        "peaks": list(peaks.values_list("pk", flat=True)[:NAMED]),
    }


def biggest_gains(
    lists: Sequence[RatingList], *, each: int
) -> list[tuple[RatingList, list[RatingListEntry]]]:
    """Return each list with at most ``each`` of its biggest gains; none without a stored review."""
    reviews = ListReview.objects.in_bulk([one.pk for one in lists])
    keys = {one: review.figures["risers"]["first"][:each] for one, review in reviews.items()}
    entries = RatingListEntry.objects.select_related("member", "rating_list").in_bulk(
        {key for some in keys.values() for key in some}
    )
    return [(one, [entries[key] for key in keys.get(one.pk, ()) if key in entries]) for one in lists]


def _group(lines: QuerySet[RatingListEntry]) -> _Figures:
    return {**_first(lines), "count": lines.count()}


def _first(lines: QuerySet[RatingListEntry]) -> _Figures:
    first = list(lines.values_list("pk", flat=True)[:NAMED])
    return {"count": len(first), "first": first}


def _drift(before: Decimal | None, now: Decimal | None) -> Decimal | None:
    return None if before is None or now is None else now - before


SHOWN: Final = 10
MONTHS: Final = 3
PERIODS: Final = 5
"""Maximum number of lines of published lists shown for each record of a period."""
_AN_HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class CategoryRecords:
    """The records of a category up to its last reviewed list.

    ``highest``: members' highest ratings ever, each with ``reached``, the line that first had it, if any.
    ``gains`` and ``active``: the lines of published lists with the biggest changes and the most rated games
    since the list before. ``upsets``: the winners' lines, by how much higher their opponents were rated.
    ``months``: the months with the most games, their number, and the list at the end of each, if any.
    ``busiest``: the day on which most games ended, and their number.
    """

    category: Category
    highest: list[Rating]
    gains: list[RatingListEntry]
    active: list[RatingListEntry]
    upsets: list[RatingChange]
    months: list[tuple[date, int, RatingList | None]]
    busiest: tuple[date, int] | None


def all_records() -> list[CategoryRecords]:
    """Return the records of each category that has a list."""
    newest: dict[tuple[Category, date], RatingList] = {}
    for published in RatingList.objects.monthly().order_by("revision"):
        if published.month:
            newest[published.category, published.month] = published
    figures = dict(
        ListReview.objects.complete()
        .filter(pk__in=[one.pk for one in newest.values()])
        .values_list("pk", "figures")
    )
    return [
        _records(category, sorted(lists, key=lambda one: one.as_of), figures)
        for category in Category
        if (lists := [one for (of, _month), one in newest.items() if of is category])
    ]


def _highest(category: Category, peaks: Sequence[int]) -> list[Rating]:
    """Return these ratings by their peaks, with the lines that first had them, looked up once an hour."""
    highest = Rating.objects.filter(pk__in=peaks).select_related("member").order_by("-peak", "pk")[:SHOWN]
    found: list[Any] = list(highest)
    key = f"peaks:{category.slug}:{hash(tuple((one.pk, one.peak) for one in found))}"
    lines = cache.get(key)
    if lines is None:
        first = RatingChange.objects.filter(
            member=OuterRef("member"), category=category, after=OuterRef("peak")
        ).order_by("occurred_at", "id")
        rows = Rating.objects.filter(pk__in=[one.pk for one in found])
        lines = dict(rows.order_by().values_list("pk", Subquery(first.values("pk")[:1])))
        cache.set(key, lines, _AN_HOUR)
    reached = RatingChange.objects.in_bulk([line for line in lines.values() if line])
    for one in found:
        one.reached = reached.get(lines[one.pk])
    return found


def _records(
    category: Category, lists: list[RatingList], figures: dict[int, dict[str, Any]]
) -> CategoryRecords:
    reviews = [figures[one.pk] for one in lists if one.pk in figures]
    # Twice as many, in case corrections have changed some of these lines since.
    pairs = sorted((pair for one in reviews for pair in one["upsets"]), key=lambda pair: -pair[1])
    lines = RatingChange.objects.filter(pk__in=[key for key, _ in pairs[: 2 * SHOWN]]).upsets()
    days = [one["busiest"] for one in reviews if one["busiest"]]
    day = min(days, key=lambda pair: (-pair[1], pair[0]), default=None)
    months: Counter[str] = Counter()
    for one in reviews:
        months.update(one["months"])
    by_month = {one.month: one for one in lists}
    most = sorted(months.items(), key=lambda pair: (-pair[1], pair[0]))[:MONTHS]
    peaks = reviews[-1]["peaks"] if reviews else []
    # A first list has everything before it, so it is no record of a period.
    later = [figures[one.pk] for one in lists if one.previous_id is not None and one.pk in figures]
    keys = {
        name: [key for one in later for key in one[name]["first"][:PERIODS]] for name in ("risers", "active")
    }
    entries = RatingListEntry.objects.select_related("member", "rating_list").in_bulk(
        {key for some in keys.values() for key in some}
    )
    gains = [entries[key] for key in keys["risers"] if key in entries]
    active = [entries[key] for key in keys["active"] if key in entries]
    return CategoryRecords(
        category,
        highest=_highest(category, peaks),
        gains=sorted(gains, key=lambda one: (-(one.change or 0), one.pk))[:PERIODS],
        active=sorted(active, key=lambda one: (-one.period_games, one.pk))[:PERIODS],
        upsets=list(lines.select_related("member", "opponent")[:SHOWN]),
        months=[
            (first, games, by_month.get(next_month(first)))
            for first, games in ((date.fromisoformat(f"{month}-01"), games) for month, games in most)
        ],
        busiest=None if day is None else (date.fromisoformat(day[0]), day[1]),
    )
