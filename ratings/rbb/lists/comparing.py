"""Published lists compared with each other, and with what they would be after later corrections."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery, Value

from ratings.office.fields import HundredthsField
from ratings.office.models import ChangeSet, MovedRating
from ratings.rbb.lists.freezing import differing_members
from ratings.rbb.lists.report import of_ledger
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import ListReview, RatingList, RatingListEntry
from ratings.rbb.models.recalculations import (
    LateLine,
    RecalculatedLine,
    Recalculation,
    RecalculationQuerySet,
)

COMPARED: Final = 20_000
"""Maximum number of positions compared, so that long lists are as fast as short ones."""


class ComparedPart(Enum):
    """Lines of two compared lists to show."""

    GAINS = "gains"
    LOSSES = "losses"
    ENTERED = "entered"
    LEFT = "left"
    CHANGED = "changed"


def compared(
    earlier: RatingList, later: RatingList, part: ComparedPart, *, most: int = COMPARED
) -> QuerySet[RatingListEntry]:
    """Return the lines of a part: gains and losses by the exact change, the others by position.

    Each has the exact ratings ``before`` and ``after`` and the ``change`` between them, None where missing.
    Members who left are lines of the earlier list; all others are lines of the later one. Changed lines
    differ from the earlier list in rating or number of games (``games_before``). ``most``: the number of
    positions compared, by default COMPARED.
    """
    if part is ComparedPart.LEFT:
        lines = earlier.entries.filter(position__lte=most)
        lines = lines.filter(~Exists(later.entries.filter(member=OuterRef("member"))))
        nothing = Value(None, output_field=HundredthsField(null=True))
        return lines.annotate(before=F("rating"), after=nothing, moved=nothing).order_by("pk")
    then = earlier.entries.filter(member=OuterRef("member")).order_by()
    lines = later.entries.filter(position__lte=most)
    lines = lines.annotate(before=Subquery(then.values("rating")[:1]), after=F("rating"))
    lines = lines.annotate(moved=ExpressionWrapper(F("after") - F("before"), HundredthsField(null=True)))
    if part is ComparedPart.CHANGED:
        lines = lines.annotate(games_before=Subquery(then.values("games")[:1]))
        same = Q(before=F("after"), games_before=F("games"))
        return lines.filter(Q(before=None) | ~same).order_by("pk")
    if part is ComparedPart.GAINS:
        return lines.filter(moved__gt=0).order_by("-moved", "pk")
    if part is ComparedPart.LOSSES:
        return lines.filter(moved__lt=0).order_by("moved", "pk")
    return lines.filter(before=None).order_by("pk")


@dataclass(frozen=True, slots=True)
class RevisedLine:
    """A line that differs between two revisions of a list, and why. Without a rating it isn't on that list.

    ``decisions``: those that changed it; if there are none, ``is_late`` says whether a late fact may have.
    """

    entry: RatingListEntry
    before: Decimal | None
    after: Decimal | None
    games_before: int | None
    games: int | None
    decisions: list[ChangeSet]
    is_late: bool


def revised_lines(earlier: RatingList, later: RatingList, *, most: int) -> list[RevisedLine]:
    """Return the first ``most`` lines that differ between two revisions, members who left it last."""
    found: list[Any] = []
    for part in (ComparedPart.CHANGED, ComparedPart.LEFT):
        lines = compared(earlier, later, part, most=max(earlier.members, later.members))
        found += lines.select_related("member")[: most - len(found)]
    decisions, is_late = decisions_between(earlier, later, [line.member_id for line in found])
    return [
        RevisedLine(
            line,
            line.before,
            line.after,
            line.games if line.after is None else line.games_before,
            None if line.after is None else line.games,
            decisions.get(line.member_id, []),
            is_late,
        )
        for line in found
    ]


def decisions_between(
    earlier: RatingList, later: RatingList, members: Collection[int]
) -> tuple[dict[int, list[ChangeSet]], bool]:
    """Return by member the decisions that changed their lines between two revisions of a list.

    The second value says whether late facts, without a decision, affected the list too.
    """
    reaching = corrections_of(earlier).filter(pk__lte=later.last_recalculation_id or 0)
    return decisions_among(reaching, earlier, members), reaching.filter(change_set=None).exists()


def corrections_of(published: RatingList) -> RecalculationQuerySet:
    """Return the corrections that changed the ledger for the moment of a list since it was made."""
    later = Recalculation.objects.filter(pk__gt=published.last_recalculation_id or 0)
    return later.filter(category=published.category, since__lte=published.as_of)


def decisions_among(
    reaching: RecalculationQuerySet, published: RatingList, members: Collection[int]
) -> dict[int, list[ChangeSet]]:
    """Return by member the decisions among these corrections that changed their lines for a list."""
    decided = reaching.filter(change_set__isnull=False)
    rewritten = RecalculatedLine.objects.filter(
        recalculation__in=decided, member__in=members, occurred_at__lte=published.as_of
    )
    found = set(rewritten.order_by().values_list("member", "recalculation__change_set"))
    # A game's new line wasn't rewritten, but it was late.
    late = LateLine.objects.filter(recalculation__in=decided).order_by()
    lines = RatingChange.objects.filter(
        pk__in=late.values("line"), member__in=members, occurred_at__lte=published.as_of
    )
    owners = dict(lines.order_by().values_list("pk", "member"))
    new = late.filter(line__in=owners).values_list("line", "recalculation__change_set")
    found |= {(owners[line], change_set) for line, change_set in new}
    # New first ratings and adjustments moved today's rating.
    moved = MovedRating.objects.filter(
        change_set__in=decided.values("change_set"),
        scale=published.category.slug,
        subject__in=set(members) - {member for member, _change_set in found},
    )
    found |= set(moved.order_by().values_list("subject", "change_set"))
    change_sets = ChangeSet.objects.in_bulk({change_set for _member, change_set in found})
    by_member: dict[int, list[ChangeSet]] = {}
    for member, change_set in sorted(found):
        by_member.setdefault(member, []).append(change_sets[change_set])
    return by_member


ON_THE_SPOT: Final = 100_000
"""Maximum number of lines compared during a request; the worker compares longer lists."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Number of members whose lines a correction changed after a list was published."""

    members: int
    since: Recalculation


def difference(published: RatingList) -> Difference | None:
    """Return how a list differs from the ledger; None if it doesn't."""
    corrections = Recalculation.objects.filter(category=published.category, at__gt=published.published_at)
    last = corrections.reaching(published.as_of).first()
    if last is None:
        return None
    # Comparing a long list takes seconds, and only another correction can change the result.
    members = cache.get_or_set(
        f"differing:{published.pk}:{last.pk}:{last.at.timestamp()}",
        lambda: differing_members(published),
        timeout=None,
    )
    return Difference(members, last) if members else None


def differing_lists() -> list[tuple[RatingList, int]]:
    """Return the monthly lists that differ from the ledger, first month first, with the number of lines.

    A correction behind long lists is noticed only after the worker has compared them.
    """
    lists: list[Any] = list(RatingList.objects.touched())
    reviews = ListReview.objects.defer("figures").in_bulk([one.pk for one in lists])
    found: list[tuple[RatingList, int]] = []
    left = ON_THE_SPOT
    for one in reversed(lists):
        review = reviews.get(one.pk)
        members = (review and review.differing) or 0
        if (review is None or review.last_recalculation != one.reached_by) and one.members <= left:
            left -= one.members
            now = difference(one)
            members = now.members if now else 0
        if members:
            found.append((one, members))
    return found[::-1]


def compare_lists() -> None:
    """Store how many lines differ on each list affected by a correction, with the ledger's figures for it."""
    lists: list[Any] = list(RatingList.objects.touched().select_related("previous"))
    reviews = ListReview.objects.in_bulk([one.pk for one in lists])
    for one in lists:
        review = reviews.get(one.pk)
        if review is not None and review.last_recalculation != one.reached_by:
            review.differing, review.last_recalculation = differing_members(one), one.reached_by
            review.figures |= of_ledger(one)
            review.save()
