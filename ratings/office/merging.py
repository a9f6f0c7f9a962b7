"""What becomes of everything that refers to a member, where two members become one.

Each room registers it for its own models. What nobody has registered would stay behind with an account that
is nobody any more, so then nothing is merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _
from simple_history.models import HistoricalChanges

from foa.history import note_changes
from ratings.office.effects import Fact

AT_ONCE: Final = 500
"""So many rows are read and moved together."""


@dataclass(slots=True, kw_only=True)
class Merging:
    """Two members who become one, or are two again: ``member`` stays, ``other`` was merged into them.

    ``facts``: what is done, told by each part. ``by`` and ``note`` are for the histories.
    """

    member: Any
    other: Any
    at: datetime
    by: Any = None
    note: str = ""
    facts: list[Fact] = field(default_factory=list)

    def tell(self, section: str, key: str, label: str, before: str = "", after: str = "") -> None:
        """Add to the effect."""
        self.facts.append(Fact(section, key, label, before, after))

    def warn(self, key: str, label: str, after: str = "") -> None:
        """Add what somebody has to know before they confirm."""
        self.tell("warnings", key, label, after=after)

    def tell_moved(self, model: type[models.Model], name: str, number: int, *, back: bool = False) -> None:
        """So many rows of a model go to the other of the two."""
        usernames = [self.other.username, self.member.username]
        what = f"{model._meta.verbose_name_plural} ({number})"
        before, after = reversed(usernames) if back else usernames
        self.tell(
            "inputs", f"{model._meta.label} {name} {number}", what[:1].upper() + what[1:], before, after
        )

    def tell_gone(self, model: type[models.Model], name: str, number: int) -> None:
        """So many rows were moved by the merge and have changed hands since."""
        told = _("%(what)s: %(number)d changed hands since the merge and stay as they are.")
        words = {"what": model._meta.verbose_name_plural, "number": number}
        self.warn(f"{model._meta.label} {name}", told % words, str(number))


class MergedRows:
    """What a merge does with rows of one model, or of a few. ``relations``: as in “league.Player.member”.

    Parts with a lower ``place`` come first, whatever was imported first.
    """

    relations: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = 50

    def merge(self, work: Merging) -> Any:
        """Do it. Returns what :meth:`give_back` needs, as JSON has it."""
        raise NotImplementedError

    def give_back(self, work: Merging, kept: Any) -> None:
        """Undo it, as far as nobody has changed it since."""
        raise NotImplementedError


_PARTS: Final[dict[str, MergedRows]] = {}
_STAYS: Final[set[str]] = set()

P = TypeVar("P", bound=type[MergedRows])


def merges(part: P) -> P:
    """Register a part of every merge."""
    _PARTS[part.__name__] = part()
    return part


def stays(*relations: str) -> None:
    """These rows stay with the account they name: history, or what a replay rewrites."""
    _STAYS.update(relations)


def moves(relation: str, place: int = MergedRows.place) -> None:
    """Give these rows to the member who stays; where they can have only one of a kind, the other's stays."""
    part = _PARTS[relation] = Moving(relation)
    part.place = place  # type: ignore[misc]


def parts() -> list[tuple[str, MergedRows]]:
    """Return every part by its name, in order of their places, then of their names."""
    return sorted(_PARTS.items(), key=lambda one: (one[1].place, one[0]))


def refuse_unregistered(model: type[models.Model]) -> None:
    """Raise ValidationError where something refers to members and nobody has said what becomes of it."""
    if missing := sorted(set(relations_to(model)) - registered()):
        told = _("Nothing was done: it is not defined what happens to %(relations)s.")
        raise ValidationError(told % {"relations": ", ".join(missing)})


def registered() -> set[str]:
    """All relations of which somebody has said what becomes of them."""
    return _STAYS.union(*(getattr(part, "relations", ()) for part in _PARTS.values()))


def relations_to(model: type[models.Model]) -> Iterator[str]:
    """Every relation to a model but those of histories, which tell what was."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and relation.is_relation) or relation.concrete:
            continue
        named: Any = relation
        # Of many to many, the rows between have a relation of their own.
        if not named.many_to_many and not issubclass(named.related_model, HistoricalChanges):
            yield f"{named.related_model._meta.label}.{named.field.name}"


class Moving(MergedRows):
    """Rows that go to the member who stays."""

    def __init__(self, relation: str) -> None:
        self.relations = (relation,)  # type: ignore[misc]
        self.label, _dot, self.field = relation.rpartition(".")

    @property
    def model(self) -> Any:
        """Looked up late: it is registered while apps are being loaded."""
        return apps.get_model(self.label)

    def rows(self, **of: Any) -> Any:
        """The rows, through the manager whose updates are watched."""
        return self.model.objects.filter(**of).order_by("pk")

    def merge(self, work: Merging) -> Any:
        """The keys of the rows that moved, as they are afterwards."""
        moved, stuck = self.hand_over_all(work)
        told = _("%(what)s of %(other)s stays with the merged account: %(member)s has one already.")
        words = {"what": self.model._meta.verbose_name, "other": work.other, "member": work.member}
        for row in stuck:
            work.warn(f"{self.label} {row.pk}", told % words)
        return moved

    def hand_over_all(self, work: Merging) -> tuple[list[Any], list[Any]]:
        """The keys of the rows that moved, and the rows that couldn't: the member has such a row already."""
        moved, stuck = [], []
        for row in list(self.rows(**{self.field: work.other.pk})):
            if self._hand_over(work, row.pk, work.member.pk):
                moved.append(self._key(row.pk, work.member.pk))
            else:
                stuck.append(row)
        if moved:
            work.tell_moved(self.model, self.field, len(moved))
        return moved, stuck

    def give_back(self, work: Merging, kept: Any) -> None:
        """The rows that are still with the member who stayed."""
        back = 0
        for key in kept:
            if self.rows(pk=key, **{self.field: work.member.pk}).exists():
                back += self._hand_over(work, key, work.other.pk)
        if back:
            work.tell_moved(self.model, self.field, back, back=True)
        if gone := len(kept) - back:
            work.tell_gone(self.model, self.field, gone)

    def _hand_over(self, work: Merging, key: Any, to: int) -> bool:
        """Whether the row could go; a constraint of its model may be against it."""
        before = list(self.rows(pk=key))
        try:
            with transaction.atomic():
                self.rows(pk=key).order_by().update(**{self.field: to})
        except IntegrityError:
            return False
        note_changes(before, list(self.rows(pk=self._key(key, to))), by=work.by, reason=work.note)
        return True

    def _key(self, key: Any, member: int) -> Any:
        """The key of a row once it is this member's: a model may have the member as its key."""
        return member if self.model._meta.get_field(self.field).primary_key else key
