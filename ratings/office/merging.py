"""Merging two members into one, with everything that refers to them.

Each room registers this for its own models. A merge is refused if something refers to members and isn't
registered, because it would stay behind with an account that nobody uses any more.
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
"""Maximum number of rows read and moved at once."""


@dataclass(slots=True, kw_only=True)
class Merging:
    """A merge or its undo. ``member`` stays; ``other`` was merged into them.

    ``facts``: what is done, as each part reports it. ``by`` and ``note`` are for the histories.
    """

    member: Any
    other: Any
    at: datetime
    by: Any = None
    note: str = ""
    facts: list[Fact] = field(default_factory=list)

    def tell(self, section: str, key: str, label: str, before: str = "", after: str = "") -> None:
        """Add a fact to the effect."""
        self.facts.append(Fact(section, key, label, before, after))

    def warn(self, key: str, label: str, after: str = "") -> None:
        """Add a warning to the effect, to be read before confirming."""
        self.tell("warnings", key, label, after=after)

    def tell_moved(self, model: type[models.Model], name: str, number: int, *, back: bool = False) -> None:
        """Report that rows of a model move to the other of the two; ``back`` is from the member who stays."""
        usernames = [self.other.username, self.member.username]
        what = f"{model._meta.verbose_name_plural} ({number})"
        before, after = reversed(usernames) if back else usernames
        self.tell(
            "inputs", f"{model._meta.label} {name} {number}", what[:1].upper() + what[1:], before, after
        )

    def tell_gone(self, model: type[models.Model], name: str, number: int) -> None:
        """Warn of rows that the merge moved and that have changed hands since."""
        told = _("%(what)s: %(number)d changed hands since the merge and stay as they are.")
        words = {"what": model._meta.verbose_name_plural, "number": number}
        self.warn(f"{model._meta.label} {name}", told % words, str(number))


class MergedRows:
    """The part of a merge that handles rows of one or a few models.

    ``relations``: written as in “league.Player.member”. Parts with a lower ``place`` come first, in whatever
    order they were imported.
    """

    relations: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = 50

    def merge(self, work: Merging) -> Any:
        """Merge the rows. Return what :meth:`give_back` needs, as JSON-compatible values."""
        raise NotImplementedError

    def give_back(self, work: Merging, kept: Any) -> None:
        """Undo the merge of the rows, unless somebody has changed them since."""
        raise NotImplementedError


_PARTS: Final[dict[str, MergedRows]] = {}
_STAYS: Final[set[str]] = set()

P = TypeVar("P", bound=type[MergedRows])


def merges(part: P) -> P:
    """Register a part of every merge."""
    _PARTS[part.__name__] = part()
    return part


def stays(*relations: str) -> None:
    """Declare that these rows stay with the account they name: history, or rows that a replay rewrites."""
    _STAYS.update(relations)


def moves(relation: str, place: int = MergedRows.place) -> None:
    """Declare that these rows go to the member who stays, except any that would be a second one there."""
    part = _PARTS[relation] = Moving(relation)
    part.place = place  # type: ignore[misc]


def parts() -> list[tuple[str, MergedRows]]:
    """Return every part with its name, ordered by place and name."""
    return sorted(_PARTS.items(), key=lambda one: (one[1].place, one[0]))


def refuse_unregistered(model: type[models.Model]) -> None:
    """Raise ValidationError if something that refers to members isn't registered for merging."""
    if missing := sorted(set(relations_to(model)) - registered()):
        told = _("Nothing was done: it is not defined what happens to %(relations)s.")
        raise ValidationError(told % {"relations": ", ".join(missing)})


def registered() -> set[str]:
    """Return all relations that are registered for merging."""
    return _STAYS.union(*(getattr(part, "relations", ()) for part in _PARTS.values()))


def relations_to(model: type[models.Model]) -> Iterator[str]:
    """Yield every relation to a model except those of histories, which record the past."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and relation.is_relation) or relation.concrete:
            continue
        named: Any = relation
        # A many-to-many relation is left out: its through rows have a relation of their own.
        if not named.many_to_many and not issubclass(named.related_model, HistoricalChanges):
            yield f"{named.related_model._meta.label}.{named.field.name}"


class Moving(MergedRows):
    """Rows that move to the member who stays."""

    def __init__(self, relation: str) -> None:
        self.relations = (relation,)  # type: ignore[misc]
        self.label, _dot, self.field = relation.rpartition(".")

    @property
    def model(self) -> Any:
        """Return the model, looked up late because parts are registered while apps are being loaded."""
        return apps.get_model(self.label)

    def rows(self, **of: Any) -> Any:
        """Return rows through the manager whose updates are tracked."""
        return self.model.objects.filter(**of).order_by("pk")

    def merge(self, work: Merging) -> Any:
        """Move the rows. Return their keys as they are afterwards."""
        moved, stuck = self.hand_over_all(work)
        told = _("%(what)s of %(other)s stays with the merged account: %(member)s has one already.")
        words = {"what": self.model._meta.verbose_name, "other": work.other, "member": work.member}
        for row in stuck:
            work.warn(f"{self.label} {row.pk}", told % words)
        return moved

    def hand_over_all(self, work: Merging) -> tuple[list[Any], list[Any]]:
        """Move all rows that can move.

        Return their new keys, and the rows that stay because the member has one already.
        """
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
        """Move back the rows that are still with the member who stayed."""
        back = 0
        for key in kept:
            if self.rows(pk=key, **{self.field: work.member.pk}).exists():
                back += self._hand_over(work, key, work.other.pk)
        if back:
            work.tell_moved(self.model, self.field, back, back=True)
        if gone := len(kept) - back:
            work.tell_gone(self.model, self.field, gone)

    def _hand_over(self, work: Merging, key: Any, to: int) -> bool:
        """Move a row and return True, or return False if a constraint of its model forbids that."""
        before = list(self.rows(pk=key))
        try:
            with transaction.atomic():
                self.rows(pk=key).order_by().update(**{self.field: to})
        except IntegrityError:
            return False
        note_changes(before, list(self.rows(pk=self._key(key, to))), by=work.by, reason=work.note)
        return True

    def _key(self, key: Any, member: int) -> Any:
        """Return the key of a row once it belongs to this member: a model may have the member as its key."""
        return member if self.model._meta.get_field(self.field).primary_key else key
