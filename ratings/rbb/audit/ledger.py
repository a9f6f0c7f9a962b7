"""The audit of the ledger against its inputs, and of published lists against what was published (RBB 1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import utc_text
from members.former import Merge
from ratings.office.audit import Finding, audited
from ratings.rbb.ledger.replay import replay
from ratings.rbb.lists.freezing import checksum_of, differing_members
from ratings.rbb.models import OpeningRating, RatingList
from ratings.rules.time_controls import Category

_AT_ONCE: Final = 2_000
_SAME: Final = ("member_id", "category", "rating", "games", "previously_unrated", "source")
"""Fields that are equal in two openings if one was entered twice."""


class _First:
    """The first of many reports, and their number."""

    def __init__(self) -> None:
        self.number = 0
        self.text = ""

    def __call__(self, text: str) -> None:
        self.number += 1
        self.text = self.text or text


@audited("ledger", "RBB 3.11", _("Ledger rows and ratings that don’t match the games"))
def ledger() -> Iterator[Finding]:
    """Compare each category with a replay of its inputs; report how many rows differ, and the first one."""
    for category in Category:
        found = _First()
        replay(categories=(category,), check=True, report=found)
        if found.number:
            yield Finding(
                category.slug,
                gettext_noop(
                    "%(category)s: ledger rows and ratings that don’t match the games, starting ratings "
                    "and adjustments: %(number)s. The first: %(first)s"
                ),
                {"category": category.slug, "number": str(found.number), "first": found.text},
                f"{reverse('ratings:changes')}?category={category.slug}",
                ("replay-ledger", {"category": [category.slug]}),
            )


@audited("openings-twice", "RBB 3.4", _("Starting ratings entered twice"))
def openings_twice() -> Iterator[Finding]:
    """Find openings of a member that repeat an earlier entry at a different moment."""
    inputs = OpeningRating.objects
    groups = inputs.order_by().values(*_SAME).annotate(number=Count("pk"), first=Min("pk"))
    for group in groups.filter(number__gt=1).order_by("first").iterator(_AT_ONCE):
        alike = inputs.filter(**{column: group[column] for column in _SAME})
        for row in alike.filter(pk__gt=group["first"]).select_related("member").order_by("pk"):
            yield _twice(row, group["first"])


@audited("openings-lost", "RBB 3.4", _("Starting ratings left out when accounts were merged"))
def openings_lost() -> Iterator[Finding]:
    """Find merges from before 0.12, which kept one of two openings of a moment, not always the higher."""
    text = gettext_noop(
        "%(username)s was merged into %(member)s. Since then, a starting rating from the same time has "
        "had no ledger line. Reverse the merge, then merge again: the higher rating will count."
    )
    for merge in Merge.objects.select_related("other__merged_into").order_by("pk"):
        if merge.kept.get("Openings", {}).get("gone"):
            into = merge.other.merged_into
            words = {"username": merge.other.username, "member": str(into)}
            mends = ("unmerge-members", {"merge": [str(merge.pk)]})
            yield Finding(f"merge {merge.pk}", text, words, merge.other.get_absolute_url(), mends)


def _twice(row: OpeningRating, first: int) -> Finding:
    return Finding(
        f"openingrating {row.pk}",
        gettext_noop(
            "%(member)s, %(category)s: the starting rating of %(rating)s (%(source)s) was entered twice, "
            "as %(first)s and as %(second)s, for the same time: %(moment)s."
        ),
        {
            "member": row.member.username,
            "category": row.category.slug,
            "rating": str(row.rating),
            "source": row.source,
            "first": str(first),
            "second": str(row.pk),
            "moment": utc_text(row.effective_at),
        },
        reverse("admin:ratings_openingrating_change", args=(row.pk,)),
        ("delete-openings", {"openingrating": [str(row.pk)]}),
    )


@audited("list-checksums", "RBB 1.4", _("Published lists that don’t match their checksum"))
def list_checksums() -> Iterator[Finding]:
    """Find lists whose lines don't match the published checksum."""
    for published in RatingList.objects.filter(withdrawn_at=None).order_by("pk"):
        if checksum_of(published) != published.checksum:
            yield Finding(
                f"list {published.pk}",
                gettext_noop(
                    "%(list)s: its lines don’t match its checksum. They were changed after it was published."
                ),
                {"list": _named(published)},
                published.get_absolute_url(),
                _revision_of(published),
            )


def _named(published: RatingList) -> str:
    """Name a list in the same way in every language."""
    if published.month is None:
        return f"{published.category.slug}, requested, {utc_text(published.as_of)}"
    return f"{published.category.slug} {published.month:%Y-%m}, revision {published.revision}"


def _revision_of(published: RatingList) -> tuple[str, Mapping[str, list[str]]] | None:
    """Return the decision for a revision if ratings or games differ: a published list never changes."""
    if published.month is None or published.superseded or not differing_members(published):
        return None
    month = f"{published.month:%Y-%m}"
    return "publish-lists", {"month": [month], "category": [published.category.slug], "revise": ["on"]}
