"""Which members may be one person, by name and birth year. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from ratings.office.names import folded

ALIKE: Final = 0.55
"""From this share of common trigrams on, two names are alike: Jon and John Smith have 0.62."""

_NAMESAKES: Final = 20
"""Where more people than this have one name, it says nothing."""

_BLOCK: Final = 200
"""Where more people of one year than this have a beginning of a name, they aren't compared."""

_BEGINNING: Final = 3


class Person(NamedTuple):
    """A member. ``born``: the year, None where it is not known."""

    key: int
    name: str
    born: int | None


class Pair(NamedTuple):
    """Two members, the smaller key first. ``likeness``: 1 for the same name in any order of its words.

    ``same_year``: False where one of the birth years is not known.
    """

    first: int
    second: int
    likeness: float
    same_year: bool


def likely_pairs(people: Iterable[Person]) -> Iterator[Pair]:
    """Pairs of the same name whose birth years don't differ; then those of names alike and of one year."""
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
    """How much of two sets both have: 0 to 1."""
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def words_of(name: str) -> list[str]:
    """The words of a name in capitals, without accents and signs."""
    return "".join(char if char.isalnum() else " " for char in folded(name)).split()


def trigrams_of(name: str) -> frozenset[str]:
    """The trigrams of its words, each with two blanks before it and one behind, as PostgreSQL takes them."""
    return frozenset(
        padded[start : start + 3]
        for padded in (f"  {word} " for word in name.split())
        for start in range(len(padded) - 2)
    )
