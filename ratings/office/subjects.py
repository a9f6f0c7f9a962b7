"""What cases can be about: each room registers its own kinds, and the desk names none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MEMBER: Final = "member"
"""The kind whose keys are those of members."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A page of the admin that can put something right. ``permission``: who finds it open."""

    label: str
    address: str
    permission: str


class SubjectKind:
    """A kind of things that cases are about. A room derives from it, and registers what it derives.

    ``name`` is a slug, ``noun`` what one of them is called, ``case`` what a case about it is. ``button`` says
    what a member presses to open one.
    """

    name: ClassVar[str]
    noun: ClassVar[str | Promise]
    case: ClassVar[str | Promise]
    button: ClassVar[str | Promise] = _("I think this is wrong")
    button_to_log_in: ClassVar[str | Promise] = _("Is it about you? Log in to dispute it")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        """Those with these keys that are still there, with what their headings need."""
        raise NotImplementedError

    def heading(self, what: Any) -> str:
        """Its name, for whoever may see the case."""
        return str(what)

    def address(self, what: Any) -> str:
        """Its public page."""
        return str(what.get_absolute_url())

    def openers(self, what: Any) -> Sequence[Any]:
        """The members who may open a case about it."""
        return ()

    def parties(self, what: Any) -> Sequence[Any]:
        """The members whom public text about it doesn't name."""
        return self.openers(what)

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Where staff put it right."""
        return ()

    def heading_of_gone(self, key: int) -> str:
        """The name of one that was deleted."""
        return gettext("%(noun)s %(key)d, deleted") % {"noun": self.noun, "key": key}


class _Unknown(SubjectKind):
    """A kind whose room is no longer installed; its cases stay."""

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        self.noun = self.case = name.capitalize()  # type: ignore[misc]

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        return {}


KeysOfCases = Callable[[str], Collection[int]]

_CASES: Final[list[KeysOfCases]] = []


def knows_cases(keys: KeysOfCases) -> KeysOfCases:
    """Let the office ask which subjects of a kind have a case, open or decided."""
    _CASES.append(keys)
    return keys


def keys_of_cases(name: str) -> set[int]:
    """Return the keys of the subjects of this kind that have a case."""
    return {key for keys in _CASES for key in keys(name)}


_KINDS: Final[dict[str, SubjectKind]] = {}

K = TypeVar("K", bound=type[SubjectKind])


def register(kind: K) -> K:
    """Let cases be opened about this."""
    if kind.name in _KINDS:
        raise ValueError(f"two kinds of subjects are called {kind.name}")
    _KINDS[kind.name] = kind()
    return kind


def subject_kind(name: str) -> SubjectKind:
    """The kind of this name; of a room that is gone, one that finds nothing."""
    return _KINDS.get(name) or _Unknown(name)


def subject_kinds() -> list[SubjectKind]:
    """Every kind, by name."""
    return [_KINDS[name] for name in sorted(_KINDS)]
