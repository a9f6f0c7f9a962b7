"""The top hundred of a group and its federations, from frozen lines; and members near a title."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, TypeVar

from django.core.cache import cache
from django.db import connections
from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    F,
    Field,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)

from foa.files import FORMATS, FileFormat
from members.models import Member
from ratings.office.fields import HundredthsField
from ratings.rbb.lists.columns import published_rows
from ratings.rbb.lists.files import LIST_FORMATS, ListFile, published_list_file
from ratings.rbb.models.ledger import Rating
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rules.rbb.titles import TITLE_RATINGS
from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths

TOP: Final = 100
"""Maximum number of members on a top list."""
JUNIOR_AGE: Final = 20
"""Juniors do not turn 21 in the year of the list."""
SENIOR_AGE: Final = 50
"""Seniors turn at least 50 in the year of the list."""
OF_THE_AVERAGE: Final = 10
"""Number of a federation’s best members in its average."""
_AT_ONCE: Final = 5_000

# A database that formats cells of whole lists doesn't know the rank within a group.
TOP_FORMATS: Final[Mapping[str, FileFormat[ListFile]]] = {**LIST_FORMATS, "csv": FORMATS["csv"]}
"""Formats of a rating list; those with columns begin with the rank in the group."""


@dataclass(frozen=True, slots=True)
class Group:
    """Some lines of a list or some live ratings, best first; equal values of ``ranked_by`` share a rank.

    ``slug``: its name in addresses and files. ``members``: condition for its members in a year, with the path
    to their columns. ``order``: for lines that aren't in the order of the list; it may leave some out.
    """

    slug: str
    members: Callable[[int, str], Q] = lambda _year, _path: Q()
    ranked_by: Callable[[Any], Decimal | int | None] = lambda row: row.displayed
    order: Callable[[QuerySet[RatingListEntry]], QuerySet[RatingListEntry]] | None = None

    def lines(self, published: RatingList) -> QuerySet[RatingListEntry]:
        """Return the group's lines of a published list."""
        lines = published.entries.filter(self.members(published.as_of.year, ""))
        return lines if self.order is None else self.order(lines)


def _improved(lines: QuerySet[RatingListEntry]) -> QuerySet[RatingListEntry]:
    """Return members who gained and played, by the exact change since the previous list, then by position."""
    risen = ExpressionWrapper(F("rating") - F("previous"), output_field=HundredthsField())
    return lines.filter(period_games__gt=0, rating__gt=F("previous")).order_by(risen.desc(), "pk")


def _active(lines: QuerySet[RatingListEntry]) -> QuerySet[RatingListEntry]:
    """Return members by their rated games since the previous list, then by position."""
    return lines.filter(period_games__gt=0).order_by("-period_games", "pk")


EVERYBODY: Final = Group("top")
IMPROVED: Final = Group("improved", ranked_by=lambda row: row.change, order=_improved)
ACTIVE: Final = Group("active", ranked_by=lambda row: row.period_games, order=_active)
BY_BIRTH: Final = {
    group.slug: group
    for group in (
        Group("women", lambda _year, path: Q(**{f"{path}sex": Member.Sex.FEMALE})),
        Group("juniors", lambda year, path: Q(**{f"{path}birth_year__gte": year - JUNIOR_AGE})),
        Group("seniors", lambda year, path: Q(**{f"{path}birth_year__lte": year - SENIOR_AGE})),
    )
}
"""The groups without members who hide birth year and sex."""
GROUPS: Final = {**BY_BIRTH, IMPROVED.slug: IMPROVED, ACTIVE.slug: ACTIVE}
"""The groups of every list."""


def of_federation(code: str) -> Group:
    """Return the group of a federation's members, by FIDE's code."""
    return Group(code, lambda _year, path: Q(**{f"{path}federation": code}))


_Row = TypeVar("_Row")


def ranked(group: Group, rows: Iterable[_Row]) -> list[tuple[int, _Row]]:
    """Return these rows, best first, with their ranks in the group."""
    found: list[tuple[int, _Row]] = []
    for place, row in enumerate(rows, 1):
        shared = found and group.ranked_by(found[-1][1]) == group.ranked_by(row)
        found.append((found[-1][0] if shared else place, row))
    return found


def top_list(published: RatingList, group: Group) -> list[tuple[int, RatingListEntry]]:
    """Return the first lines of a group with their ranks in it. The list is read once at most."""
    return ranked(group, group.lines(published)[:TOP])


def top_list_file(
    published: RatingList, group: Group, found: Sequence[tuple[int, RatingListEntry]]
) -> ListFile:
    """Return the lines of a top list as a file."""
    entries = group.lines(published).filter(pk__in=[entry.pk for _rank, entry in found])
    whole = published_list_file(published, entries)
    rows = published_rows(entries, whole.columns)
    return replace(
        whole,
        name=f"{whole.name}-{group.slug}",
        columns=("top_rank", *whole.columns),
        rows=((rank, *row) for (rank, _entry), row in zip(found, rows, strict=True)),
        about={**whole.about, "top": group.slug},
    )


@dataclass(frozen=True, slots=True)
class Federation:
    """A federation on a list or now: its members, its best exact rating, and the average of its ten best.

    The average is rounded half up to 0.01; with fewer than ten members it covers all of them.
    """

    code: str
    members: int
    best: Decimal
    average: Decimal


def federations(published: RatingList) -> list[Federation]:
    """Return the federations on a list by average, those with fewer than ten members last.

    Reads the whole list, and caches the result for good: the list never changes.
    """
    key = f"federations:{published.pk}"
    return cache.get_or_set(key, lambda: by_federation(published.entries, "federation"), timeout=None) or []


def by_federation(rows: QuerySet[Any], path: str) -> list[Federation]:
    """Return the federations of rows in the order of their ratings; ``path``: to the federation's code."""
    # Hundredths as stored: a Decimal, or a check of each number, would take longer than reading it.
    exact = ExpressionWrapper(F("rating"), Field())
    members: Counter[str] = Counter()
    best: defaultdict[str, list[Hundredths]] = defaultdict(list)
    # In Python: the database would first sort the list by federation, which takes it twice as long.
    for code, hundredths in rows.values_list(path, exact).iterator(_AT_ONCE):
        members[code] += 1
        if members[code] <= OF_THE_AVERAGE:
            best[code].append(hundredths)
    best.pop("", None)
    found = (
        Federation(
            code,
            members[code],
            from_hundredths(max(ratings)),
            from_hundredths(Hundredths(divide_half_up(sum(ratings), len(ratings)))),
        )
        for code, ratings in best.items()
    )
    return sorted(found, key=lambda one: (one.members < OF_THE_AVERAGE, -one.average, one.code))


NEAR: Final = 50
"""Maximum number of points below a title's rating that counts as near."""


def near_a_title(rating: str = "rating", title: str = "member__title") -> Q:
    """Return the condition for rows near the rating of an arena title above the member's present one.

    ``rating`` and ``title`` are the paths of these two.
    """
    titles = list(TITLE_RATINGS)
    near = [
        When(
            ~Q(**{f"{title}__in": titles[:number]}),
            **{
                f"{rating}__gte": from_hundredths(Hundredths(needed - 100 * NEAR)),
                f"{rating}__lt": from_hundredths(needed),
            },
            then=Value(True),
        )
        for number, needed in enumerate(TITLE_RATINGS.values(), 1)
    ]
    # Not joined with OR: the database would look up each range and sort all of them for the first page.
    return Q(Case(*near, default=Value(False), output_field=BooleanField()))


def below_the_highest(rating: str) -> Q:
    """Return the condition for ratings below that of the highest title: a bound for an index by rating."""
    return Q(**{f"{rating}__lt": from_hundredths(max(TITLE_RATINGS.values()))})


def members_near_a_title(members: QuerySet[Any]) -> QuerySet[Any]:
    """Keep the members who are near a title in any category."""
    return members.filter(Exists(Rating.objects.filter(near_a_title(), member=OuterRef("pk"))))


def unrated_members(members: QuerySet[Any]) -> QuerySet[Any]:
    """Keep the members who aren't rated in any category."""
    rated = Rating.objects.filter(rating__isnull=False).order_by()
    if connections[members.db].vendor == "sqlite":
        # Its planner would look up everybody, row by row. So it lists the rated members first, by the key of
        # ratings: in the order of members that takes a third of the time.
        return members.exclude(pk__in=rated.filter(pk__gt=0).values("member"))
    return members.filter(~Exists(rated.filter(member=OuterRef("pk"))))
