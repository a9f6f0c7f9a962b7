"""The distribution of a category's ratings, live or on a published list, with a member's place in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import count
from typing import Any, Final, NamedTuple

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext
from django.views.generic import TemplateView

from foa.text import number_in
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import Negotiated
from members.models import Member
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.lists.distribution import Distribution, list_distribution, live_distribution
from ratings.rbb.lists.files import list_facts
from ratings.rbb.models import Rating, RatingList, RatingListEntry
from ratings.rbb.views.published import about_list, published_list
from ratings.rules.rounding import divide_half_up
from ratings.rules.time_controls import Category

_WIDE, _HIGH, _MARGIN, _TOP, _BELOW = 720, 240, 8, 28, 32
_DIGIT: Final = 16
"""Width of a digit beside the chart, on a phone."""

_SMALL_DIGIT: Final = 7
"""Width of a digit above a bar."""

_LABELS: Final = 10
"""Maximum number of ratings written below the chart."""

_LINES: Final = 5
"""Maximum number of lines across the chart."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A band as a bar, in the units of the drawing, with its share of the members in per cent.

    ``label``: the rating at its left edge, on some bars. ``here``: it contains the requested rating.
    """

    lowest: int
    highest: int
    members: int
    percent: Decimal
    x: int
    y: int
    width: int
    height: int
    here: bool
    label: int | None

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


class GridLine(NamedTuple):
    """A line across the chart, for a round number of members."""

    y: int
    members: int


@dataclass(frozen=True, slots=True)
class DistributionChart:
    """A drawing of this size; ``bottom``: the line on which the bars stand; ``left``: where it begins.

    ``counted``: there is room for the number of members above each bar.
    """

    bars: tuple[Bar, ...]
    grid: tuple[GridLine, ...]
    left: int
    counted: bool
    width: int = _WIDE
    height: int = _TOP + _HIGH + _BELOW
    bottom: int = _TOP + _HIGH


def chart(distribution: Distribution, displayed: int | None) -> DistributionChart:
    """Return a bar for each band, with the band of the ``displayed`` rating marked."""
    bands = distribution.bands
    most = max((band.members for band in bands), default=0)
    left = _MARGIN + _DIGIT * len(str(most))
    step = (_WIDE - left - _MARGIN) // max(len(bands), 1)
    every = -(-len(bands) // _LABELS)
    bars = []
    for number, band in enumerate(bands):
        height = divide_half_up(_HIGH * band.members, most)
        # A band with members must be visible.
        height = max(height, 1) if band.members else 0
        here = displayed is not None and band.lowest <= displayed <= band.highest
        labelled = band.lowest // (band.highest + 1 - band.lowest) % every == 0
        bars.append(
            Bar(
                band.lowest,
                band.highest,
                band.members,
                Decimal(divide_half_up(1000 * band.members, distribution.members)).scaleb(-1),
                left + step * number,
                _TOP + _HIGH - height,
                max(step - 1, 1),
                height,
                here,
                band.lowest if labelled else None,
            )
        )
    return DistributionChart(tuple(bars), _grid(most), left, _SMALL_DIGIT * len(str(most)) <= step)


def _grid(most: int) -> tuple[GridLine, ...]:
    """Return lines at a multiple of 1, 2 or 5 times a power of ten, up to the highest bar."""
    sizes = (size * 10**zeros for zeros in count() for size in (1, 2, 5))
    size = next(size for size in sizes if most // size <= _LINES)
    return tuple(
        GridLine(_TOP + _HIGH - divide_half_up(_HIGH * members, most), members)
        for members in range(size, most + 1, size)
    )


class DistributionView(Negotiated, TemplateView):
    """The live distribution of a category; ``?member=KEY`` or ``?rating=NUMBER`` marks a place in it."""

    template_name = "ratings/distribution.html"
    category: Category
    published: RatingList | None = None

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        super().setup(request, *args, category=category, **kwargs)
        self.category = category

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the chart, and the requested member or rating with its percentile."""
        found = self.distribution()
        member, displayed = self._here()
        return super().get_context_data(
            **self.about(),
            distribution=found,
            chart=chart(found, displayed),
            member=member,
            displayed=displayed,
            percentile=None if displayed is None else found.percentile(displayed),
            rank=None if displayed is None else found.rank(displayed),
            **kwargs,
        )

    def about(self) -> dict[str, Any]:
        """Return the heading, and links to the other categories or lists."""
        title = gettext("%s rating distribution") % CATEGORY_NAMES[self.category]
        return {"title": title, "categories": [(one.slug, name) for one, name in CATEGORY_NAMES.items()]}

    def distribution(self) -> Distribution:
        return live_distribution(self.category)

    def standing_of(self, member: Member) -> Rating | RatingListEntry | None:
        return Rating.objects.filter(category=self.category, member=member).first()

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        found: Distribution = context["distribution"]
        moment = self.published.as_of if self.published else timezone.now()
        return {
            **list_facts(self.category, moment, self.published),
            "members": found.members,
            "median": found.median,
            "bands": [
                {"lowest": band.lowest, "highest": band.highest, "members": band.members}
                for band in found.bands
            ],
            "rating": context["displayed"],
            "percentile": context["percentile"],
        }

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return Deprecation(*JSON_GOES, "arena:live_distribution", {"category": self.category.slug})

    def _here(self) -> tuple[Member | None, int | None]:
        """Return the address's member and their displayed rating, or the rating in the address."""
        key, rating = self.request.GET.get("member"), self.request.GET.get("rating")
        if key is not None:
            member = get_object_or_404(Member, pk=_number(key, "member"))
            standing = self.standing_of(member)
            return member, None if standing is None else standing.displayed
        return None, _number(rating, "rating") if rating else None


class ListDistributionView(DistributionView):
    """The distribution on a published list."""

    published: RatingList

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        month: date = kwargs["month"]
        self.published = published_list(self.category, month, kwargs["revision"])

    def json_deprecated(self) -> Deprecation:
        place = {"category": self.category.slug, "month": self.published.month}
        return Deprecation(
            *JSON_GOES, "arena:list_distribution", {**place, "revision": self.published.revision}
        )

    def about(self) -> dict[str, Any]:
        """Return the heading, and the common parts of a list's pages."""
        return {"title": gettext("Rating distribution"), **about_list(self.published)}

    def distribution(self) -> Distribution:
        return list_distribution(self.published)

    def standing_of(self, member: Member) -> RatingListEntry | None:
        return self.published.entries.filter(member=member).first()


def _number(text: str, name: str) -> int:
    if (number := number_in(text)) is None:
        raise BadRequest(
            gettext("“%(text)s” in %(name)s isn’t a number.") % {"text": text[:40], "name": name}
        )
    return number
