"""RBB 3.4: giving new members their first ratings from the FIDE lists, once.

What the lists give is in ``entitlements``. A member waits while it isn't known what the list of their first
day says about them. The worker looks it up if its file was kept; otherwise the list has to be imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from foa.locking import lock_rows
from foa.text import date_text
from members.former import keep_fide_arrivals
from members.models import Member
from ratings.fide.models import Determination, FideList, FirstRating
from ratings.fide.services.adjustment_diff import settle_by_itself
from ratings.fide.services.entitlements import (
    AT_ONCE,
    FirstRatingGiven,
    Given,
    MissingList,
    became_full,
    given,
    with_first_day,
)
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import RatingList
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths

_BEGUN: Final = timedelta(days=2)
"""Time for which the worker looks back for begun memberships, because it may have been down for a day."""


@dataclass(slots=True)
class Determined:
    """The result for the waiting members.

    ``openings``: starting ratings given or taken back. ``unrated``: members without any (RBB 3.5).
    ``not_known``: number of members who keep waiting, by list.
    """

    members: int = 0
    openings: list[OpeningRating] = field(default_factory=list)
    unrated: list[Member] = field(default_factory=list)
    not_known: Counter[MissingList] = field(default_factory=Counter)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def waiting(*, at: datetime) -> QuerySet[Any]:
    """Return full members with a FIDE ID to whom 3.4 wasn't applied yet, with ``first_day``.

    A member who was looked up under another FIDE ID, and was given nothing, waits again.
    """
    looked_up = Q(first_rating_determination__fide_id=F("fide_id")) | Q(
        opening_ratings__first_rating__isnull=False
    )
    members = Member.objects
    return with_first_day(
        became_full(members.filter(fide_id__isnull=False), at).exclude(
            pk__in=members.filter(looked_up).values("pk")
        )
    )


def state_of(member: Member, *, at: datetime) -> str:
    """RBB 3.4: say whether the member's first ratings were determined, or what they wait for."""
    determination = Determination.objects.filter(member=member).first()
    if determination is not None:
        number = OpeningRating.objects.filter(member=member, first_rating__isnull=False).count()
        words = {"day": date_text(determination.determined_at), "number": number}
        told = ngettext(
            "Determined on %(day)s: %(number)d rating from the FIDE lists.",
            "Determined on %(day)s: %(number)d ratings from the FIDE lists.",
            number,
        )
        return told % words
    if member.fide_id is None:
        return gettext("Not determined: the member has no FIDE ID.")
    for some in given(waiting(at=at).filter(pk=member.pk)):
        if any(one.fide_id for missing in some.missing.values() for one in missing):
            return gettext("Waiting: a FIDE list has several ratings for them, and one must be chosen.")
        if some.missing:
            return gettext("Waiting: the FIDE list in force on their first day hasn’t been looked up yet.")
        return gettext("Waiting for a decision, because other ratings may change.")
    return gettext("Not determined: the member isn’t a full member yet.")


def can_be_given(*, at: datetime) -> QuerySet[Any]:
    """Return waiting members who can be given first ratings automatically: nobody else's rating moves.

    Their only lines in a ledger are changes that were not applied, and no monthly list is later than their
    first day.
    """
    lines = RatingChange.objects.filter(member=OuterRef("pk"))
    lines = lines.exclude(reason=Reason.ADJUSTMENT_UNRATED)
    alone = waiting(at=at).filter(~Exists(lines))
    published = RatingList.objects.monthly().aggregate(last=Max("as_of"))["last"]
    return alone if published is None else alone.filter(first_day__gt=published)


def begun(*, at: datetime) -> QuerySet[Any]:
    """Return those of them whose first day has just come. The worker gives them first ratings."""
    return can_be_given(at=at).filter(first_day__gt=at - _BEGUN)


def determine_first_ratings(*, at: datetime, members: QuerySet[Member] | None = None) -> Determined:
    """Give waiting members, or those of ``members``, first ratings from their first moment on.

    Games since then are rated again, even if 3.6 gave a rating. Categories with a starting rating entered by
    hand are left alone. Uses one replay.
    """
    waits = waiting(at=at)
    if members is not None:
        waits = waits.filter(pk__in=members.values("pk"))
    result = Determined()
    keys = list(waits.values_list("pk", flat=True))
    with deferred() as work:
        # If two of these run for one member, the second waits for the lock and then finds nobody waiting.
        lock_rows(Member.everybody.only("pk"), keys)
        for start in range(0, len(keys), AT_ONCE):
            ready = waiting(at=at).filter(pk__in=keys[start : start + AT_ONCE])
            for some in given(ready):
                _determine(some, at, result)
    result.replayed = work.summary
    return result


def take_back_first_ratings(*, determined_at: datetime) -> Determined:
    """Remove what one run of determine_first_ratings made: openings, their sources, determinations.

    Its members wait again. Members who were looked up again since, under another FIDE ID, are left alone.
    Uses one replay.
    """
    made = Determination.objects.filter(determined_at=determined_at)
    members = Member.objects.filter(first_rating_determination__in=made).order_by("pk")
    with deferred() as work:
        found = list(members)
        given = OpeningRating.objects.filter(first_rating__isnull=False, member__in=made.values("member"))
        openings = list(given.select_related("member").order_by("member", "category"))
        given.delete()
        made.delete()
    rated = {one.member_id for one in openings}
    unrated = [one for one in found if one.pk not in rated]
    return Determined(len(found), openings, unrated, replayed=work.summary)


def _determine(some: Given, at: datetime, result: Determined) -> None:
    for missing in some.missing.values():
        result.not_known.update(missing)
    ready = [member for member in some.members if member.pk not in some.missing]
    found: list[tuple[Member, FirstRatingGiven]] = []
    for member in ready:
        ratings = some.first_ratings(member, at=at)
        found += [(member, one) for one in ratings.values()]
        if not ratings:
            result.unrated.append(member)
    result.openings += open_with(found)
    note_determined(ready, at)
    result.members += len(ready)
    settle_by_itself(some)


def open_with(found: Iterable[tuple[Member, FirstRatingGiven]]) -> list[OpeningRating]:
    """Store first ratings with the lists that they come from. Call it within ``deferred()``."""
    openings: list[OpeningRating] = []
    sources: list[FirstRating] = []
    for member, first in found:
        opening = OpeningRating(
            member=member, category=first.category, effective_at=first.effective_at, source=first.source
        )
        opening.rating = from_hundredths(first.rating)
        openings.append(opening)
        sources.append(FirstRating(opening=opening, fide_list=first.fide_list, control=first.control.value))
    OpeningRating.objects.bulk_create(openings)
    keep_fide_arrivals("ratings.OpeningRating.member", openings)
    for source in sources:
        source.opening_id = source.opening.pk
    FirstRating.objects.bulk_create(sources)
    return openings


def note_determined(members: Iterable[Member], at: datetime) -> None:
    """Record that 3.4 was applied to these members, and under which FIDE IDs."""
    made = [Determination(member=one, fide_id=one.fide_id or 0, determined_at=at) for one in members]
    Determination.objects.bulk_create(
        made,
        update_conflicts=True,
        unique_fields=["member"],
        update_fields=["fide_id", "determined_at"],
    )
    keep_fide_arrivals("fide.Determination.member", made)


def give_by_itself(members: Collection[int]) -> None:
    """Give first ratings to those of these members who have no events yet, by a decision in the register.

    All others wait: their first ratings are listed in “What is due”, and somebody with the right decides.
    """
    if not FideList.objects.exists():
        return
    alone = can_be_given(at=timezone.now()).filter(pk__in=members)
    if keys := list(alone.values_list("pk", flat=True)):
        asked = {"member": list(map(str, keys))}
        given = Proposal(kind=kind_of("first-ratings"), parameters=asked, system_user="office")
        with transaction.atomic():
            _decided, effect = decide_at_once(given)
            if {move.subject for move in effect.moves} - set(keys):
                # Somebody has played meanwhile.
                transaction.set_rollback(True)
