"""The ledger is what the inputs give, and each input is there once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Min, Model
from django.db.models.functions import TruncMonth
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import utc_text
from ratings.models import OpeningRating, OtbAdjustment
from ratings.office.audit import Finding, audited
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import replay

_AT_ONCE = 2_000


class _First:
    """The first of many reports, and how many there were."""

    def __init__(self) -> None:
        self.number = 0
        self.text = ""

    def __call__(self, text: str) -> None:
        self.number += 1
        self.text = self.text or text


@audited("ledger", "RBB 3.11", _("Rows of the ledger and ratings that the games don’t give"))
def ledger(using: str) -> Iterator[Finding]:
    """One finding for each category: how many rows differ from a replay of its inputs, and the first."""
    for category in Category:
        found = _First()
        replay(categories=(category,), check=True, report=found, using=using)
        if found.number:
            yield Finding(
                category.slug,
                gettext_noop(
                    "%(category)s: %(number)s rows of ledger and ratings are not what games, openings and "
                    "adjustments give. The first: %(first)s"
                ),
                {"category": category.slug, "number": str(found.number), "first": found.text},
                f"{reverse('ratings:changes')}?category={category.slug}",
                ("replay-ledger", {"category": [category.slug]}),
            )


@audited("adjustments-twice", "RBB 3.15", _("Over-the-board changes entered twice for a month"))
def adjustments_twice(using: str) -> Iterator[Finding]:
    """Adjustments of a member in a category and a month that has one already: all but the first entered."""
    same = ("member_id", "category", "month")
    inputs = OtbAdjustment.objects.using(using).annotate(month=TruncMonth("period"))
    for row, first in _further(inputs, same):
        yield _twice(
            row,
            first,
            gettext_noop(
                "%(member)s, %(category)s: the over-the-board change of %(month)s is entered twice, as "
                "%(first)s and as %(second)s."
            ),
            {"month": f"{row.period:%Y-%m}"},
            "delete-adjustments",
        )


@audited("openings-twice", "RBB 3.4", _("Opening ratings entered twice"))
def openings_twice(using: str) -> Iterator[Finding]:
    """Openings of a member that say the same as one entered before, of another moment."""
    same = ("member_id", "category", "rating", "games", "previously_unrated", "source")
    for row, first in _further(OpeningRating.objects.using(using), same):
        yield _twice(
            row,
            first,
            gettext_noop(
                "%(member)s, %(category)s: the opening rating of %(rating)s (%(source)s) is entered twice, "
                "as %(first)s and as %(second)s, of %(moment)s."
            ),
            {"rating": str(row.rating), "source": row.source, "moment": utc_text(row.effective_at)},
            "delete-openings",
        )


def _further(inputs: Any, same: tuple[str, ...]) -> Iterator[tuple[Any, int]]:
    """Whatever agrees in these columns with an input of a lower number, and that number."""
    several = (
        inputs.order_by().values(*same).annotate(number=Count("pk"), first=Min("pk")).filter(number__gt=1)
    )
    for group in several.order_by("first").iterator(_AT_ONCE):
        alike = {column: group[column] for column in same}
        for row in inputs.filter(**alike, pk__gt=group["first"]).order_by("pk"):
            yield row, group["first"]


def _twice(row: Any, first: int, text: str, words: dict[str, str], kind: str) -> Finding:
    model: type[Model] = type(row)
    name = str(model._meta.model_name)
    return Finding(
        f"{name} {row.pk}",
        text,
        {
            "member": row.member.username,
            "category": row.category.slug,
            "first": str(first),
            "second": str(row.pk),
            **words,
        },
        reverse(f"admin:ratings_{name}_change", args=(row.pk,)),
        (kind, {name: [str(row.pk)]}),
    )
