"""Worklist of likely duplicates: it is updated by searches, and keeps what staff have settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import combinations, islice
from typing import Any, Final, NamedTuple

from django.db import transaction

from members.models import Member
from ratings.desk.models import LikelyDuplicate
from ratings.office.names import folded

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


ALIKE: Final = 0.55
"""Minimum share of common trigrams for two names to be alike: Jon and John Smith have 0.62."""

_NAMESAKES: Final = 20
"""Maximum number of namesakes; with more, the name tells nothing."""

_BLOCK: Final = 200
"""Maximum number of people of one year compared because words of their names begin alike."""

_BEGINNING: Final = 3


class Person(NamedTuple):
    """A member. ``born``: the year, or None if it isn't known."""

    key: int
    name: str
    born: int | None


class Pair(NamedTuple):
    """Two members, the smaller key first. ``likeness``: 1 for the same name in any order of its words.

    ``same_year``: False if one of the birth years isn't known.
    """

    first: int
    second: int
    likeness: float
    same_year: bool


def likely_pairs(people: Iterable[Person]) -> Iterator[Pair]:
    """Yield pairs with the same name and no different years, then pairs with like names and one year."""
    same: defaultdict[str, list[Person]] = defaultdict(list)
    alike: defaultdict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    for person in people:
        words = words_of(person.name)
        if not words:
            continue
        name = " ".join(sorted(words))
        same[name].append(person)
        if person.born is not None:
            for beginning in {word[:_BEGINNING] for word in words if len(word) >= _BEGINNING}:
                alike[person.born, beginning].append((person.key, name))
    for some in same.values():
        if len(some) <= _NAMESAKES:
            for one, other in combinations(sorted(some), 2):
                if one.born is None or other.born is None or one.born == other.born:
                    yield Pair(one.key, other.key, 1.0, one.born is not None and one.born == other.born)
    seen: set[tuple[int, int]] = set()
    for block in alike.values():
        if not 2 <= len(block) <= _BLOCK:
            continue
        trigrams = {name: trigrams_of(name) for _key, name in block}
        for (first, name), (second, other_name) in combinations(sorted(block), 2):
            if name == other_name or (first, second) in seen:
                continue
            likeness = _share(trigrams[name], trigrams[other_name])
            if likeness >= ALIKE:
                seen.add((first, second))
                yield Pair(first, second, likeness, True)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the elements of two sets that both have, from 0 to 1."""
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def words_of(name: str) -> list[str]:
    """Return the words of a name in capitals, without accents and signs."""
    return "".join(char if char.isalnum() else " " for char in folded(name)).split()


def trigrams_of(name: str) -> frozenset[str]:
    """Return the trigrams of the words, padded as in PostgreSQL: two blanks before a word, one after."""
    return frozenset(
        padded[start : start + 3]
        for padded in (f"  {word} " for word in name.split())
        for start in range(len(padded) - 2)
    )
