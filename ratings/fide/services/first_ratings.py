"""RBB 3.4: the first ratings of new members, from the FIDE lists, once.

What the lists give is in ``given``. A member waits while it isn't known what the list of their first day says
of them: the worker looks it up where its file was kept, else it has to be imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext, ngettext

from foa.locking import lock_rows
from foa.text import date_text
from members.models import Member
from ratings.fide.models import Determination, FirstRating
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
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import RatingList
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths

_BEGUN: Final = timedelta(days=2)
"""How far back the worker looks for spans that have begun, as it may have been down for a day."""


@dataclass(slots=True)
class Determined:
    """Result for the members who waited.

    ``openings``: the opening ratings that were given or taken back. ``unrated``: members without any
    (RBB 3.5).
    ``not_known``: how many members keep waiting for each list.
    """

    members: int = 0
    openings: list[OpeningRating] = field(default_factory=list)
    unrated: list[Member] = field(default_factory=list)
    not_known: Counter[MissingList] = field(default_factory=Counter)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def waiting(*, at: datetime, using: str = DEFAULT_DB_ALIAS) -> QuerySet[Any]:
    """Return who became a full member and has a FIDE ID, and to whom 3.4 was not yet applied, with
    ``first_day``.

    One who was looked up under another FIDE ID, and was given nothing, waits again.
    """
    looked_up = Q(first_rating_determination__fide_id=F("fide_id")) | Q(
        opening_ratings__first_rating__isnull=False
    )
    members = Member.objects.using(using)
    return with_first_day(
        became_full(members.filter(fide_id__isnull=False), at).exclude(
            pk__in=members.filter(looked_up).values("pk")
        )
    )


def state_of(member: Member, *, at: datetime) -> str:
    """RBB 3.4: in a sentence, whether the member's first ratings were determined, or what they wait for."""
    determination = Determination.objects.filter(member=member).first()
    if determination is not None:
        number = OpeningRating.objects.filter(member=member, first_rating__isnull=False).count()
        words = {"day": date_text(determination.determined_at), "number": number}
        told = ngettext(
            "Determined on %(day)s: the FIDE lists gave %(number)d rating.",
            "Determined on %(day)s: the FIDE lists gave %(number)d ratings.",
            number,
        )
        return told % words
    if member.fide_id is None:
        return gettext("Not determined: the member has no FIDE ID.")
    for some in given(waiting(at=at).filter(pk=member.pk), member._state.db or DEFAULT_DB_ALIAS):
        if any(one.fide_id for missing in some.missing.values() for one in missing):
            return gettext("Waiting: a FIDE list gives them several ratings. Somebody must choose one.")
        if some.missing:
            return gettext("Waiting: the FIDE list in force on their first day hasn't been looked up yet.")
        return gettext("Waiting for a decision, because other ratings may move.")
    return gettext("Not determined: the member isn't a full member yet.")


def can_be_given(*, at: datetime, using: str = DEFAULT_DB_ALIAS) -> QuerySet[Any]:
    """Return who waits and can be given first ratings without a person's decision: it moves nobody else.

    They have no line in any ledger yet but changes that were not applied, and no list of a month shows their
    first day.
    """
    lines = RatingChange.objects.using(using).filter(member=OuterRef("pk"))
    lines = lines.exclude(reason=Reason.ADJUSTMENT_UNRATED)
    alone = waiting(at=at, using=using).filter(~Exists(lines))
    published = RatingList.objects.using(using).monthly().aggregate(last=Max("as_of"))["last"]
    return alone if published is None else alone.filter(first_day__gt=published)


def begun(*, at: datetime, using: str = DEFAULT_DB_ALIAS) -> QuerySet[Any]:
    """Return those of them whose first day has just come; the worker gives them first ratings."""
    return can_be_given(at=at, using=using).filter(first_day__gt=at - _BEGUN)


def determine_first_ratings(
    *, at: datetime, members: QuerySet[Member] | None = None, using: str = DEFAULT_DB_ALIAS
) -> Determined:
    """Give the members who wait, or those of ``members``, first ratings from their first moment on.

    Games since then are rated again, also where 3.6 gave a rating. A category with an opening rating by hand
    is left alone. One replay.
    """
    waits = waiting(at=at, using=using)
    if members is not None:
        waits = waits.filter(pk__in=members.values("pk"))
    result = Determined()
    keys = list(waits.values_list("pk", flat=True))
    with deferred(using=using) as work:
        # Of two who give one member first ratings, the second finds behind the lock that nobody waits.
        lock_rows(Member.everybody.using(using).only("pk"), keys)
        for start in range(0, len(keys), AT_ONCE):
            ready = waiting(at=at, using=using).filter(pk__in=keys[start : start + AT_ONCE])
            for some in given(ready, using):
                _determine(some, at, using, result)
    result.replayed = work.summary
    return result


def take_back_first_ratings(*, determined_at: datetime, using: str = DEFAULT_DB_ALIAS) -> Determined:
    """Remove what one run of determine_first_ratings made: opening ratings, their sources, determinations.

    Its members wait again. Whoever was looked up again since, under another FIDE ID, is left alone. One
    replay.
    """
    made = Determination.objects.using(using).filter(determined_at=determined_at)
    members = Member.objects.using(using).filter(first_rating_determination__in=made).order_by("pk")
    with deferred(using=using) as work:
        found = list(members)
        given = OpeningRating.objects.using(using).filter(
            first_rating__isnull=False, member__in=made.values("member")
        )
        openings = list(given.select_related("member").order_by("member", "category"))
        given.delete()
        made.delete()
    rated = {one.member_id for one in openings}
    unrated = [one for one in found if one.pk not in rated]
    return Determined(len(found), openings, unrated, replayed=work.summary)


def _determine(some: Given, at: datetime, using: str, result: Determined) -> None:
    for missing in some.missing.values():
        result.not_known.update(missing)
    ready = [member for member in some.members if member.pk not in some.missing]
    found: list[tuple[Member, FirstRatingGiven]] = []
    for member in ready:
        ratings = some.first_ratings(member, at=at)
        found += [(member, one) for one in ratings.values()]
        if not ratings:
            result.unrated.append(member)
    result.openings += open_with(found, using)
    note_determined(ready, at, using)
    result.members += len(ready)
    settle_by_itself(some, using=using)


def open_with(found: Iterable[tuple[Member, FirstRatingGiven]], using: str) -> list[OpeningRating]:
    """Store first ratings, with the lists that they are from. Within ``deferred()``."""
    openings: list[OpeningRating] = []
    sources: list[FirstRating] = []
    for member, first in found:
        opening = OpeningRating(
            member=member, category=first.category, effective_at=first.effective_at, source=first.source
        )
        opening.rating = from_hundredths(first.rating)
        openings.append(opening)
        sources.append(FirstRating(opening=opening, fide_list=first.fide_list, control=first.control.value))
    OpeningRating.objects.using(using).bulk_create(openings)
    for source in sources:
        source.opening_id = source.opening.pk
    FirstRating.objects.using(using).bulk_create(sources)
    return openings


def note_determined(members: Iterable[Member], at: datetime, using: str) -> None:
    """Say that 3.4 was applied to these members, and under which FIDE IDs."""
    Determination.objects.using(using).bulk_create(
        [Determination(member=one, fide_id=one.fide_id or 0, determined_at=at) for one in members],
        update_conflicts=True,
        unique_fields=["member"],
        update_fields=["fide_id", "determined_at"],
    )
