"""Members near a title, slightly below the rating required for it, and members without a rating."""

from __future__ import annotations

from typing import Any, Final

from django.db import connections
from django.db.models import BooleanField, Case, Exists, OuterRef, Q, QuerySet, Value, When

from ratings.rbb.models.ledger import Rating
from ratings.rules.rbb.titles import TITLE_RATINGS
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths

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
