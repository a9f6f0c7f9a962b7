"""How settled a rating is: how much those of members with as many games moved. Never used for rating."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import Final, NamedTuple

from django.db.models import Max, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import hundredths
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import ListReview, RatingList
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category

AHEAD: Final = 30
"""Number of further games after which ratings are compared."""

LEAST: Final = 20
"""Minimum number of members for a figure."""

STEPS: Final = (10, 20, 30, 50, 100, 200, 400, 800, 1600)
"""Numbers of games from which it is counted; a member belongs to the last one reached."""

_WORDS: Final[tuple[tuple[int, Promise], ...]] = (
    (30, _("settled")), (50, _("fairly settled")), (10_000, _("still changing a lot")),
)  # fmt: skip
"""Most points by which half of the members moved, and what that is called."""

Spread = tuple[int, int, int]
"""Number of games, of members, and their median move in the next ``AHEAD`` games, in hundredths."""


class Settled(NamedTuple):
    """Words for a rating, and the points by which half of the members moved at most; None if it is new."""

    words: str | Promise
    points: int | None


def spreads(category: Category, until: datetime) -> list[Spread]:
    """Return how much ratings changed from each number of games on, up to a moment, where it is enough."""
    numbers = sorted({*STEPS, *(step + AHEAD for step in STEPS)})
    lines = RatingChange.objects.until(until).of_kind(EventType.GAME).order_by()
    after = lines.filter(category=category, reason=Reason.RATED, games__in=numbers).values_list("member")
    rated = [Max(hundredths("after"), filter=Q(games=one)) for one in numbers]
    rows = list(after.annotate(**{f"at_{one}": rating for one, rating in zip(numbers, rated, strict=True)}))
    place = {one: number for number, one in enumerate(numbers, 1)}
    found = []
    for step in STEPS:
        both = [(row[place[step]], row[place[step + AHEAD]]) for row in rows]
        moves = [abs(later - then) for then, later in both if then is not None and later is not None]
        if len(moves) >= LEAST:
            found.append((step, len(moves), round(median(moves))))
    return found


def settled(found: Sequence[Sequence[int]] | None, games: int) -> Settled | None:
    """Return how settled a rating after this many games is; None if too few members tell."""
    if games < STEPS[0]:
        return Settled(_("not settled yet"), None)
    step = max(one for one in STEPS if one <= games)
    moved = next((move for number, _members, move in found or () if number == step), None)
    if moved is None:
        return None
    points = -(-moved // 100)
    return Settled(next(words for most, words in _WORDS if points <= most), points)


def keep_spreads() -> None:
    """Store the spreads with the review of each category's latest list, if it has none yet."""
    for category in Category:
        latest = RatingList.objects.latest_of(category)
        review = None if latest is None else ListReview.objects.filter(pk=latest.pk).first()
        if latest is not None and review is not None and "spreads" not in review.figures:
            review.figures["spreads"] = spreads(category, latest.as_of)
            review.save()
