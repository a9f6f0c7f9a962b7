"""The kinds of decisions, and the public reasons of decisions. Each rule book registers its own kinds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Final, TypeVar
from urllib.parse import urlencode

from django import forms
from django.db import models
from django.db.models import Model
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import dated, points, signed
from ratings.office.effects import Effect, Move
from ratings.office.forms import lock_named
from ratings.rules.rounding import points_or_none
from ratings.rules.units import Hundredths


class PublicReason(models.TextChoices):
    """The few reasons that members read. None of them says anything about a person."""

    ROUTINE = "routine", _("Routine")
    ENTERED_IN_ERROR = "error", _("Entered in error")
    FAIR_PLAY = "fair-play", _("Fair play")
    RESULT_CORRECTED = "result", _("Result corrected")
    DUPLICATE = "duplicate", _("Duplicate")
    APPEAL = "appeal", _("After an appeal")
    ORGANIZER = "organizer", _("At the request of the organizer")
    OTHER = "other", _("Other")


Parameters = Mapping[str, list[str]]
"""Parameters of a decision: the values of each form field, as text."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision while it is applied. ``asked``: the cleaned data of the form of its kind.

    ``by``: None for a command. ``note`` is for staff; members read ``reason`` and ``text``. ``tell`` reports
    progress: done, total, and in words. ``looked_at``: this is a preview, and somebody wants to see its
    details.
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
    """Form of a kind that needs no parameters."""


class DecisionType:
    """A kind of decision. Each rule book derives its own and registers them.

    ``apply`` makes the decision in the caller's transaction, which is rolled back for a preview. It raises
    ValidationError for what can't be done, and returns an empty effect if there is nothing to do.

    ``title``: what may be done, for staff: “Merge two accounts”.
    ``register_title``: the same once it is done, for the register: “Two accounts merged”.
    ``as_job``: it may take long, so the worker previews and applies it.
    ``asks_by_post``: the parameters may be too long for an address.
    ``asks_reason``: members read one of a few reasons; if False, it is regular work of the office.
    ``is_decided``: people decide it; if False, facts make such entries in the register, without an action.
    ``is_public``: the register shows it; if False, it moves no rating and asks only for a staff note.
    ``names_subject``: the register names the subject, unless the reason is fair play.
    ``unlisted``: the register doesn't say whose ratings changed, because that would name somebody.
    ``moves``: the model of those whose ratings it moves, if cases can be about them.
    ``template``: details of ``effect.result`` on the page of the preview.
    ``words``: translations of values that facts hold as words, which are the same in every language.

    A file waits as an upload (:mod:`ratings.office.uploads`), whose name is the parameter ``upload``.
    """

    name: ClassVar[str]
    title: ClassVar[str | Promise]
    register_title: ClassVar[str | Promise] = ""
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
    moves: ClassVar[type[Model] | None] = None
    template: ClassVar[str] = ""
    words: ClassVar[Mapping[str, str | Promise]] = {"yes": _("yes"), "no": _("no"), "1/2-1/2": "½-½"}

    def apply(self, decision: Decision) -> Effect:
        """Make the decision and return exactly what it did."""
        raise NotImplementedError

    def lock(self, form: Any) -> bool:
        """Lock what a valid form was checked with: the rows that it names. Return False for nothing."""
        return lock_named(form)

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        """Return True if a decision with these cleaned data is left to the worker."""
        return self.as_job

    def may_be_looked_at(self, user: Any) -> bool:
        """Return True if this user may make such decisions, or view the model they are about."""
        app, _dot, right = self.permission.partition(".")
        return bool(user.has_perm(self.permission) or user.has_perm(f"{app}.view_{right.rpartition('_')[2]}"))

    def reason(self, parameters: Parameters) -> str | None:
        """Return the public reason that follows from the parameters, or None if somebody chooses one."""
        return None

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the subject for staff, with words of :mod:`foa.said`, because it is stored."""
        return ""

    def heading(self, asked: Mapping[str, Any]) -> str:
        """Describe the decision for staff."""
        subject = self.subject(asked)
        return f"{self.title}: {subject}" if subject else str(self.title)

    def public_heading(self, parameters: Parameters) -> str:
        """Say for everybody what was done, without names."""
        return str(self.register_title or self.title)

    def confirm_label(self, effect: Effect) -> str:
        """Return the text of the button that confirms it."""
        return str(self.button)

    def next_steps(self, shown: Mapping[str, Any]) -> list[tuple[str, str, Parameters]]:
        """Return decisions that should follow this one: in words, with kind and parameters."""
        return []

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        """Return the name and address of each subject whose rating moves."""
        return {subject: (str(subject), "") for subject in subjects}

    def list_addresses(self, keys: Collection[str]) -> Mapping[str, str]:
        """Return the addresses of published lists that have a page, by the keys of their facts."""
        return {}

    def name_scale(self, scale: str) -> str:
        """Name the category or list of a rating in the reader's language."""
        return scale

    def rating_text(self, rating: Hundredths | None) -> str:
        """Write a rating that moves as its rule book writes ratings."""
        return gettext("unrated") if rating is None else points(points_or_none(rating))

    def change_text(self, change: Hundredths | None) -> str:
        """Write a change in the same way; a dash if a rating is lost or gained."""
        return signed(points_or_none(change))

    def name_moves(self, moves: Iterable[Move]) -> dict[Move, str]:
        """Name each move: whose rating, and in which category or list."""
        moves = list(moves)
        names = self.name_subjects({move.subject for move in moves})
        return {move: f"{names[move.subject][0]}, {self.name_scale(move.scale)}" for move in moves}

    def name_value(self, value: str) -> str:
        """Return a value of a fact in the reader's language."""
        return str(self.words[value]) if value in self.words else dated(value)

    def bind(self, parameters: Parameters) -> Any:
        """Return the form filled in with these parameters, ready to validate."""
        return self.form(MultiValueDict(parameters) if parameters or not self.form.base_fields else None)


class _Unknown(DecisionType):
    """A kind whose rule book is no longer installed. The register still lists its decisions."""

    permission = "office.no_such_right"
    is_decided = False

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        self.title = name.replace("-", " ").capitalize()  # type: ignore[misc]
        self.button = _("Apply")  # type: ignore[misc]


_KINDS: Final[dict[str, DecisionType]] = {}

K = TypeVar("K", bound=type[DecisionType])


def register(kind: K) -> K:
    """Register a kind of decision."""
    if kind.name in _KINDS:
        raise ValueError(f"two kinds of decisions are called {kind.name}")
    _KINDS[kind.name] = kind()
    return kind


def kind_of(name: str) -> DecisionType:
    """Return the kind with this name, or one with only a title if its rule book is gone."""
    return _KINDS.get(name) or _Unknown(name)


def kinds() -> list[DecisionType]:
    """Return every kind that people decide, ordered by name."""
    return [_KINDS[name] for name in sorted(_KINDS) if _KINDS[name].is_decided]


def kinds_of_facts() -> list[str]:
    """Return the names of the kinds that nobody decides: facts make these entries in the register."""
    return [kind.name for kind in _KINDS.values() if not kind.is_decided]


@cache
def fields_naming(model: type[Model]) -> list[tuple[str, str]]:
    """Return kind and name of each parameter whose values are keys of this model."""
    return [
        (kind.name, name)
        for kind in kinds()
        for name, field in kind.bind({}).fields.items()
        if getattr(getattr(field, "queryset", None), "model", None) is model
    ]


def decision_address(kind: str, parameters: Parameters) -> str:
    """Return the page that asks for a decision of this kind, with these parameters."""
    return f"{reverse('admin:office_changeset_decide', args=(kind,))}?{urlencode(parameters, doseq=True)}"
