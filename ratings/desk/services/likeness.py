"""Pairs of members who may be one person, by name and birth year. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from ratings.office.names import folded

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
