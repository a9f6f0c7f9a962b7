"""Subjects of cases. Each room registers its own kinds, so that the desk names none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MEMBER: Final = "member"
"""Name of the kind whose keys are those of members."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """An admin page that can put something right. ``permission``: what a user needs to open it."""

    label: str
    address: str
    permission: str


class SubjectKind:
    """A kind of subject that cases are about. Each room derives its own and registers them.

    ``name``: a slug. ``noun``: what one of them is called. ``case``: what a case about it is called.
    ``button``: the text that members click to open a case.
    """

    name: ClassVar[str]
    noun: ClassVar[str | Promise]
    case: ClassVar[str | Promise]
    button: ClassVar[str | Promise] = _("Report a mistake")
    button_to_log_in: ClassVar[str | Promise] = _("Your rating? Log in to dispute it")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        """Return those with these keys that still exist, with what their headings need."""
        raise NotImplementedError

    def heading(self, what: Any) -> str:
        """Return its name, for readers of the case."""
        return str(what)

    def address(self, what: Any) -> str:
        """Return its public page."""
        return str(what.get_absolute_url())

    def openers(self, what: Any) -> Sequence[Any]:
        """Return the members who may open a case about it."""
        return ()

    def parties(self, what: Any) -> Sequence[Any]:
        """Return the members whom it is about: public text must not name them, and they decide no case."""
        return self.openers(what)

    def has_party(self, key: Any, members: Collection[int]) -> Any:
        """Return the condition that one of these members is a party. ``key``: the column with its key."""
        return Q(pk__in=())

    def concerned(self, what: Any) -> Sequence[Any]:
        """Return the objects that a decision about it names, or whose ratings it moves."""
        return self.parties(what)

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Return the admin pages where staff can put it right."""
        return ()

    def heading_of_gone(self, key: int) -> str:
        """Return the name of a deleted subject."""
        return gettext("%(noun)s %(key)d, deleted") % {"noun": self.noun, "key": key}


class _Unknown(SubjectKind):
    """A kind whose room is no longer installed. Its cases stay."""

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        self.noun = self.case = name.capitalize()  # type: ignore[misc]

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        return {}


KeysOfCases = Callable[[str], Collection[int]]

_CASES: Final[list[KeysOfCases]] = []


def knows_cases(keys: KeysOfCases) -> KeysOfCases:
    """Register the function that tells which subjects of a kind have a case, open or decided."""
    _CASES.append(keys)
    return keys


def keys_of_cases(name: str) -> set[int]:
    """Return the keys of the subjects of this kind that have a case."""
    return {key for keys in _CASES for key in keys(name)}


_KINDS: Final[dict[str, SubjectKind]] = {}

K = TypeVar("K", bound=type[SubjectKind])


def register(kind: K) -> K:
    """Register a kind of subject."""
    if kind.name in _KINDS:
        raise ValueError(f"two kinds of subjects are called {kind.name}")
    _KINDS[kind.name] = kind()
    return kind


def subject_kind(name: str) -> SubjectKind:
    """Return the kind with this name, or one that finds nothing if its room is gone."""
    return _KINDS.get(name) or _Unknown(name)


def subject_kinds() -> list[SubjectKind]:
    """Return every kind, ordered by name."""
    return [_KINDS[name] for name in sorted(_KINDS)]
