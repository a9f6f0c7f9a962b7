"""One declaration for each relation to a member: how it is merged, exported, and erased when they leave.

Each room lists its own in its ``relations.py``, in the order in which they are done. The order of the rooms
is that of ``INSTALLED_APPS``. As long as a relation isn't declared, nobody is merged, exported or erased:
rows could stay behind with a merged account, and a name could stay in them for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from simple_history.models import HistoricalChanges

from foa.history import note_changes
from foa.said import gettext as _
from ratings.office.merging import Merging
from ratings.office.personal import AT_ONCE, Erasing, Person, Table, rewrite, table


class Declaration:
    """The personal data in one or a few models. Unless a method says otherwise, nothing happens to it."""

    relations: tuple[str, ...] = ()
    """Columns that refer to a member, written as in “league.Player.member”."""

    kept_as: str = ""
    """Key in ``Merge.kept`` for the result of :meth:`merge`. It is stored, so it never changes."""

    def merge(self, work: Merging) -> Any:
        """Merge the rows. Return what :meth:`give_back` needs, as JSON-compatible values, or None."""

    def give_back(self, work: Merging, kept: Any) -> None:
        """Undo the merge of the rows, unless somebody has changed them since."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the tables to export."""
        yield from ()

    def erase(self, work: Erasing) -> None:
        """Remove the person. What has to stay refers to “Withdrawn member 7”."""


_DECLARED: Final[list[Declaration]] = []


def declare(*declarations: Declaration) -> None:
    """Add the declarations of a room, in the order in which they are done."""
    _DECLARED.extend(declarations)


def declarations() -> list[Declaration]:
    """Return the declarations of all rooms, in order."""
    return list(_DECLARED)


def refuse_undeclared(model: type[models.Model]) -> None:
    """Raise ValidationError if a relation to members isn't declared."""
    declared = {relation for one in _DECLARED for relation in one.relations}
    if missing := sorted(set(relations_to(model)) - declared):
        told = _("Nothing was done: it is not defined what happens to %(relations)s.")
        raise ValidationError(told % {"relations": ", ".join(missing)})


def relations_to(model: type[models.Model]) -> Iterator[str]:
    """Yield every relation to a model except those of histories, which record the past."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and relation.is_relation) or relation.concrete:
            continue
        named: Any = relation
        # A many-to-many relation is left out: its through rows have a relation of their own.
        if not named.many_to_many and not issubclass(named.related_model, HistoricalChanges):
            yield f"{named.related_model._meta.label}.{named.field.name}"


class Relation(Declaration):
    """Rows with one column for the member."""

    def __init__(
        self,
        relation: str,
        *columns: str,
        moves: bool,
        table: str = "",
        for_staff: bool = False,
        goes: bool = False,
    ) -> None:
        """Declare the rows. ``columns`` are exported as ``table``; without any, another table contains them.

        ``moves``: a merge moves the rows to the member who stays, except any that would be a second one.
        Other rows stay with the account they name. ``goes``: the rows are deleted when the member leaves.
        """
        self.relations = (relation,)
        self.kept_as = self.kept_as or relation
        self.label, _dot, self.field = relation.rpartition(".")
        self.columns, self.table, self.for_staff = columns, table, for_staff
        self.moves, self.goes = moves, goes

    @property
    def model(self) -> Any:
        """Return the model, looked up late because relations are declared while apps are being loaded."""
        return apps.get_model(self.label)

    def merge(self, work: Merging) -> Any:
        """Move the rows, if they move. Return their keys as they are afterwards."""
        if not self.moves:
            return None
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
        """Move back the rows that are still with the member who stayed, and those that came for the other."""
        back = gone = 0
        for key in (*kept, *work.arrived_besides(self.relations[0], kept)):
            if self.rows(pk=key, **{self.field: work.member.pk}).exists():
                back += self._hand_over(work, key, work.other.pk)
            else:
                gone += key in kept
        if back:
            work.tell_moved(self.model, self.field, back, back=True)
        if gone:
            work.tell_gone(self.model, self.field, gone)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield one table, if there are columns to export."""
        if self.columns:
            yield table(self.table, self.of(person), self.columns, for_staff=self.for_staff)

    def erase(self, work: Erasing) -> None:
        """Delete the rows and their history, if they go."""
        if not self.goes:
            return
        rows = self.of(work.person)
        work.tell_rows(self.model, rows.count())
        keys = list(rows.values_list("pk", flat=True))
        self.model._base_manager.filter(pk__in=keys).delete()
        if (history := getattr(self.model, "history", None)) is not None:
            history.filter(id__in=keys).delete()

    def rows(self, **of: Any) -> Any:
        """Return rows through the manager whose updates are tracked."""
        return self.model.objects.filter(**of).order_by("pk")

    def of(self, person: Person) -> Any:
        """Return the rows of all accounts of the person."""
        return self.model._base_manager.filter(**{f"{self.field}__in": person.keys}).order_by("pk")

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


class Text(Declaration):
    """Columns of free text that people or the office write, and that may name a member."""

    def __init__(self, label: str, *columns: str) -> None:
        self.label, self.columns = label, columns

    def erase(self, work: Erasing) -> None:
        """Replace the person's names in the texts."""
        model = apps.get_model(self.label)
        number = sum(
            rewrite(row, work.person.called, self.columns)
            for row in work.person.called.match(model, self.columns).iterator(AT_ONCE)
        )
        work.tell(f"{self.label} text", number, str(model._meta.verbose_name_plural))
