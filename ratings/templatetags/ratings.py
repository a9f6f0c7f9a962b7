"""Template tags and filters for ratings, so that pages of other apps can show them."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from django import template
from django.utils.functional import Promise

from foa.web.text import NOTHING
from members.models import Member
from ratings.labels import CATEGORY_NAMES, KIND_NAMES, expected_text
from ratings.models import Rating
from ratings.models.ledger import Kind
from ratings.rules.rbb import FIRST_RATING_GAMES
from ratings.rules.rounding import displayed as rounded
from ratings.rules.rounding import to_hundredths
from ratings.rules.time_controls import Category
from ratings.tables import ChangeTable

__all__ = ["Standing", "register"]

LATEST_CHANGES = 20

register = template.Library()


class Standing(NamedTuple):
    """Where a member stands in a category; no rating row where he has never played."""

    category: Category
    rating: Rating | None
    results_needed: int = FIRST_RATING_GAMES

    @property
    def results(self) -> int:
        """RBB 3.6: results towards the first rating."""
        return (self.rating and self.rating.results_so_far) or 0


@register.filter
def displayed(rating: Decimal | None) -> str:
    """RBB 3.12, 3.13: an exact rating rounded half up to whole points."""
    return NOTHING if rating is None else str(rounded(to_hundredths(rating)))


@register.filter
def expected(hundredths: int) -> str:
    """PD as the regulations print it."""
    return expected_text(hundredths)


@register.filter
def category_name(category: Category) -> Promise:
    """Rapid, Blitz or Bullet."""
    return CATEGORY_NAMES[category]


@register.filter
def kind_name(kind: Kind) -> Promise:
    """What a line of the ledger is about."""
    return KIND_NAMES[kind]


@register.filter
def standings(member: Member) -> list[Standing]:
    """Where a member stands in each of the three categories."""
    ratings = {rating.category: rating for rating in member.ratings.all()}
    return [Standing(category, ratings.get(category)) for category in Category]


@register.filter
def displayed_in(member: Member, slug: str) -> str:
    """His displayed rating in this category. Prefetch ``ratings`` where there is more than one member."""
    category = Category.from_slug(slug)
    return next((displayed(row.rating) for row in member.ratings.all() if row.category == category), NOTHING)


@register.simple_tag
def latest_changes(member: Member) -> ChangeTable:
    """The last lines of his ledger as a table."""
    rows = list(member.rating_changes.with_events()[:LATEST_CHANGES])
    return ChangeTable(rows, exclude=("member",))
