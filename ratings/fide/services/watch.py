"""RBB 3.4, 3.15: the first-rating check compares what the lists give members today with what was applied.

When a FIDE ID is corrected, the first day of full membership moves or a list comes late, the differences are
listed and a person decides. Members who still wait for their first ratings aren't included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from foa.history import name_author
from members.models import Member
from ratings.fide.models import Determination
from ratings.fide.services.adjustment_diff import ChangeDifference, change_differences, settle
from ratings.fide.services.entitlements import (
    FirstRatingGiven,
    Given,
    MissingList,
    announced_months,
    first_rating_of,
    given,
    of_the_lists,
)
from ratings.fide.services.first_ratings import note_determined, open_with, waiting
from ratings.fide.services.locks import lock_fide_lists
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category


class OpeningDifference(NamedTuple):
    """A first rating as it ``was`` stored, and as it should be (None if there isn't one)."""

    category: Category
    opening: OpeningRating | None
    was: FirstRatingGiven | None
    wanted: FirstRatingGiven | None


class Watched(NamedTuple):
    """A member with differences. ``is_recorded``: False if 3.4 was applied without a record of it."""

    member: Any
    openings: list[OpeningDifference]
    changes: list[ChangeDifference]
    is_recorded: bool = True


@dataclass(slots=True)
class Redetermined:
    """The result. ``not_known``: number of members whose rating in a list isn't known, by list."""

    members: list[Watched] = field(default_factory=list)
    not_known: Counter[MissingList] = field(default_factory=Counter)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def watched(
    *,
    at: datetime,
    members: QuerySet[Member] | None = None,
    not_known: Counter[MissingList] | None = None,
) -> Iterator[Watched]:
    """Yield members (all, or those of ``members``) whose stored figures differ from what the lists give.

    ``not_known`` counts the members whose rating in a list isn't known, by list. They keep what was applied
    to them.
    """
    months = announced_months()
    chosen = of_the_lists()
    if members is not None:
        chosen = chosen.filter(pk__in=members.values("pk"))
    for some in given(chosen):
        determinations = Determination.objects.filter(member__in=[member.pk for member in some.members])
        recorded = set(determinations.values_list("pk", flat=True))
        given_before = {member for member, _category in some.stored}
        found = {
            member.pk: Watched(member, [], [], member.pk not in given_before - recorded)
            for member in some.members
        }
        waits = set(waiting(at=at).filter(pk__in=list(found)).values_list("pk", flat=True))
        for member in some.members:
            if not_known is not None and member.pk not in waits:
                not_known.update(some.lists_missing(member, months.values()))
            is_determined = member.pk in recorded | given_before and member.pk not in waits
            if is_determined and member.pk not in some.missing:
                found[member.pk].openings.extend(_opening_differences(some, member, at))
        for one in change_differences(some, months.values()):
            found[one.member.pk].changes.append(one)
        yield from (one for one in found.values() if one.openings or one.changes or not one.is_recorded)


def _opening_differences(some: Given, member: Any, at: datetime) -> Iterator[OpeningDifference]:
    """Yield differences by category. If an opening was entered by hand, 3.4 gives nothing."""
    wanted = some.first_ratings(member, at=at)
    for category in Category:
        key = member.pk, category
        opening = some.stored.get(key)
        was, should_be = (first_rating_of(opening) if opening else None), wanted.get(category)
        if _facts(was) != _facts(should_be):
            yield OpeningDifference(category, opening, was, should_be)
            for further in some.further[key] if should_be is None else ():
                yield OpeningDifference(category, further, first_rating_of(further), None)


def _facts(first: FirstRatingGiven | None) -> tuple[Any, ...] | None:
    """Return the values compared. Another file of the same month with the same rating isn't a difference."""
    return first and (first.rating, first.effective_at, first.source)


def redetermine(
    *,
    at: datetime,
    members: QuerySet[Member] | None = None,
    by: Any = None,
    note: str = "",
) -> Redetermined:
    """Store what the lists give these members, or everybody, where it differs. Uses one replay."""
    result = Redetermined()
    with deferred() as work:
        lock_fide_lists()
        result.members = list(watched(at=at, members=members, not_known=result.not_known))
        new = []
        for member, openings, _changes, _recorded in result.members:
            for _category, opening, _was, wanted in openings:
                if opening is not None:
                    name_author(opening, by, note)
                if wanted is None and opening is not None:
                    opening.delete()
                elif wanted is not None and opening is None:
                    new.append((member, wanted))
                elif wanted is not None:
                    _correct(opening, wanted)
        open_with(new)
        _note(result.members, at)
        settle([change for one in result.members for change in one.changes], by=by, note=note)
    result.replayed = work.summary
    return result


def _correct(opening: Any, wanted: FirstRatingGiven) -> None:
    opening.rating, opening.effective_at = from_hundredths(wanted.rating), wanted.effective_at
    opening.source = wanted.source
    opening.save()
    source = opening.first_rating
    source.fide_list, source.control = wanted.fide_list, wanted.control.value
    source.save()


def _note(members: Sequence[Watched], at: datetime) -> None:
    """Record the FIDE ID that 3.4 was applied under. Members without one, or not full ones, wait again."""
    concerned = [one.member for one in members if one.openings or not one.is_recorded]
    applied = [one for one in concerned if one.fide_id and one.first_day is not None and one.first_day <= at]
    note_determined(applied, at)
    others = {one.pk for one in concerned} - {one.pk for one in applied}
    Determination.objects.filter(member__in=others).delete()
