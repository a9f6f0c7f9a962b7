"""The kinds of decisions: each rule book registers its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import dated
from ratings.office.effects import Effect, Move
from ratings.office.reasons import PublicReason

Parameters = Mapping[str, list[str]]
"""What the form of a kind takes: the values of each field, as text."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision while it is applied. ``asked``: the cleaned data of the form of its kind.

    ``by``: None for a command. ``note`` is for staff; ``reason`` and ``text`` are what members read.
    ``tell`` is told how far it has come: done, total, in words. ``looked_at``: a preview, of which somebody
    wants to see the details.
    """

    asked: Mapping[str, Any]
    at: datetime
    by: Any = None
    note: str = ""
    reason: str = PublicReason.ROUTINE
    text: str = ""
    tell: Callable[..., None] = lambda *how_far: None
    looked_at: bool = False


class NoParameters(forms.Form):
    """For a kind that has nothing to ask."""


class DecisionType:
    """A kind of decision. A rule book derives from it, and registers what it derives.

    ``apply`` does it, in a transaction of the caller: for a preview, which is rolled back, and for good. It
    raises ValidationError for what cannot be done, and returns an empty effect where there is nothing to do.
    ``as_job``: the worker works out what it would do and does it, because it may take long.
    A file waits as an upload (:mod:`ratings.office.uploads`), whose name is the parameter ``upload``.
    ``asks_by_post``: what its form takes may be too long for an address.
    ``asks_reason``: members read one of a few reasons; else it is regular work of the office.
    ``is_decided``: people decide it; else it is an entry of the register that facts made, and has no action.
    ``is_public``: it stands in the register; one that does not moves no rating, and asks for a note alone.
    ``names_subject``: the register says what it was about, unless the reason is fair play.
    ``unlisted``: the register doesn't say whose ratings moved, because that would name somebody.
    ``template``: details of ``effect.result`` on the page of the preview.
    ``words``: values of facts that are words, for people; facts have them the same in every language.
    """

    name: ClassVar[str]
    title: ClassVar[str | Promise]
    button: ClassVar[str | Promise]
    permission: ClassVar[str]
    form: ClassVar[Any] = NoParameters
    as_job: ClassVar[bool] = False
    asks_by_post: ClassVar[bool] = False
    asks_reason: ClassVar[bool] = True
    is_decided: ClassVar[bool] = True
    is_public: ClassVar[bool] = True
    names_subject: ClassVar[bool] = False
    unlisted: ClassVar[bool] = False
    template: ClassVar[str] = ""
    words: ClassVar[Mapping[str, str | Promise]] = {"yes": _("yes"), "no": _("no")}

    def apply(self, decision: Decision) -> Effect:
        """Do it, and say exactly what it did."""
        raise NotImplementedError

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        """Return True if a decision with these cleaned data is left to the worker."""
        return self.as_job

    def may_be_looked_at(self, user: Any) -> bool:
        """Return True if this login may make such decisions, or look at the model they are about."""
        app, _dot, right = self.permission.partition(".")
        return bool(user.has_perm(self.permission) or user.has_perm(f"{app}.view_{right.rpartition('_')[2]}"))

    def reason(self, parameters: Parameters) -> str | None:
        """The public reason that follows from what is asked; None: somebody chooses one."""
        return None

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name what is decided about, for staff, in English or without words: it is stored."""
        return ""

    def heading(self, asked: Mapping[str, Any]) -> str:
        """What is decided, for staff."""
        subject = self.subject(asked)
        return f"{self.title}: {subject}" if subject else str(self.title)

    def public_heading(self, parameters: Parameters) -> str:
        """What was decided, for everybody: no names."""
        return str(self.title)

    def confirm_label(self, effect: Effect) -> str:
        """What the button says that does it."""
        return str(self.button)

    def next_steps(self, shown: Mapping[str, Any]) -> list[tuple[str, str, Parameters]]:
        """Return what should be decided once it is applied: in words, and the kind and parameters of that."""
        return []

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        """Whose ratings they are: name and address of each."""
        return {subject: (str(subject), "") for subject in subjects}

    def name_scale(self, scale: str) -> str:
        """The category or list of a rating in the reader's language."""
        return scale

    def name_moves(self, moves: Iterable[Move]) -> dict[Move, str]:
        """Whose rating, and in what."""
        moves = list(moves)
        names = self.name_subjects({move.subject for move in moves})
        return {move: f"{names[move.subject][0]}, {self.name_scale(move.scale)}" for move in moves}

    def name_value(self, value: str) -> str:
        """A value of a fact in the reader's language."""
        return str(self.words[value]) if value in self.words else dated(value)

    def bind(self, parameters: Parameters) -> Any:
        """The form with these parameters, to be checked as if somebody had filled it in."""
        return self.form(MultiValueDict(parameters) if parameters or not self.form.base_fields else None)


class _Unknown(DecisionType):
    """A kind whose rule book is no longer installed; the register still lists what it decided."""

    permission = "office.no_such_right"
    is_decided = False

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        self.title = name.replace("-", " ").capitalize()  # type: ignore[misc]
        self.button = _("Apply")  # type: ignore[misc]


_KINDS: Final[dict[str, DecisionType]] = {}

K = TypeVar("K", bound=type[DecisionType])


def register(kind: K) -> K:
    """Let decisions of this kind be made."""
    if kind.name in _KINDS:
        raise ValueError(f"two kinds of decisions are called {kind.name}")
    _KINDS[kind.name] = kind()
    return kind


def kind_of(name: str) -> DecisionType:
    """The kind of this name; of a rule book that is gone, one that has a title and nothing else."""
    return _KINDS.get(name) or _Unknown(name)


def kinds() -> list[DecisionType]:
    """Every kind that people decide, by name."""
    return [_KINDS[name] for name in sorted(_KINDS) if _KINDS[name].is_decided]


def kinds_of_facts() -> list[str]:
    """Return the names of kinds that nobody decides: facts make such entries of the register."""
    return [kind.name for kind in _KINDS.values() if not kind.is_decided]
