"""Worklist of likely duplicates: it is updated by searches, and keeps what staff have settled."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db import transaction

from members.models import Member
from ratings.desk.models import LikelyDuplicate
from ratings.desk.services.likeness import Pair, Person, likely_pairs

_AT_MOST: Final = 5_000
"""Maximum number of pairs stored; nobody looks through more."""

Why = LikelyDuplicate.Why


@transaction.atomic
def find_duplicates(*, at: datetime) -> int:
    """Search for members who may be one person. Return the number of new pairs.

    Open pairs that aren't likely any more are deleted.
    """
    rows = Member.objects.exclude(name="").order_by("pk").values_list("pk", "name", "birth_year")
    people = map(Person._make, rows.iterator(5_000))
    found = {(pair.first, pair.second): _why(pair) for pair in islice(likely_pairs(people), _AT_MOST)}
    open_ones = LikelyDuplicate.objects.filter(dismissed_at=None).exclude(why=Why.FIDE_ID)
    gone = [
        key
        for key, first, second in open_ones.values_list("pk", "first", "second")
        if (first, second) not in found
    ]
    LikelyDuplicate.objects.filter(pk__in=gone).delete()
    return _store(((first, second, why) for (first, second), why in found.items()), at)


@transaction.atomic
def note_claims(claims: Iterable[tuple[int, str]], *, at: datetime) -> None:
    """Store pairs of members to whom a file gives the same FIDE ID.

    ``claims``: the key of one member and the username of the other.
    """
    claims = list(claims)
    holders = dict(
        Member.objects.filter(username__in=[username for _key, username in claims]).values_list(
            "username", "pk"
        )
    )
    pairs = [sorted((key, holders[username])) for key, username in claims if username in holders]
    _store(((first, second, Why.FIDE_ID) for first, second in pairs if first != second), at)


def note_namesakes(members: Iterable[Member], *, at: datetime) -> None:
    """Store pairs of new members and members with the same name and birth year."""
    pairs = [sorted((one.pk, other.pk)) for one, other in Member.objects.namesakes(members)]
    if pairs:
        _store(((first, second, Why.SAME_NAME) for first, second in pairs), at)


def dismiss(pair: LikelyDuplicate, *, by: Any, at: datetime) -> None:
    """Settle a pair as not the same person, for good."""
    LikelyDuplicate.objects.filter(pk=pair.pk, dismissed_at=None).update(dismissed_by=by, dismissed_at=at)


def _store(pairs: Iterable[tuple[int, int, str]], at: datetime) -> int:
    known = set(LikelyDuplicate.objects.values_list("first", "second"))
    new = [
        LikelyDuplicate(first_id=first, second_id=second, why=why, found_at=at)
        for first, second, why in pairs
        if (first, second) not in known
    ]
    LikelyDuplicate.objects.bulk_create(new, batch_size=1_000, ignore_conflicts=True)
    return len(new)


def _why(pair: Pair) -> str:
    if pair.likeness < 1:
        return Why.ALIKE
    return Why.SAME_NAME if pair.same_year else Why.YEAR_UNKNOWN
