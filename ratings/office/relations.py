"""One declaration for each relation to a member: how it is merged, exported, and erased when they leave.

Each room lists its own in its ``relations.py``, in the order in which they are done. The order of the rooms
is that of ``INSTALLED_APPS``. As long as a relation isn't declared, nobody is merged, exported or erased:
rows could stay behind with a merged account, and a name could stay in them for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from simple_history.models import HistoricalChanges

from foa.history import note_changes
from foa.said import capital, plain
from foa.said import gettext as _
from ratings.office.effects import Fact
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
        told = _("We can’t do this yet: we don’t know what should happen to %(relations)s.")
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
        told = _("%(what)s of %(other)s stays with the merged account: %(member)s already has one.")
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


@dataclass(slots=True, kw_only=True)
class Merging:
    """A merge or its undo. ``member`` stays; ``other`` was merged into them.

    ``facts``: what is done, as each part reports it. ``by`` and ``note`` are for the histories. ``arrived``:
    by relation, the keys of rows that came under a name of the other since they were merged.
    """

    member: Any
    other: Any
    at: datetime
    by: Any = None
    note: str = ""
    facts: list[Fact] = field(default_factory=list)
    arrived: Mapping[str, list[int]] = field(default_factory=dict)

    def tell(self, section: str, key: str, label: str, before: str = "", after: str = "") -> None:
        """Add a fact to the effect."""
        self.facts.append(Fact(section, key, label, before, after))

    def warn(self, key: str, label: str, after: str = "") -> None:
        """Add a warning to the effect, to be read before confirming."""
        self.tell("warnings", key, label, after=after)

    def arrived_besides(self, relation: str, kept: Collection[int]) -> list[int]:
        """Return the keys of rows that came for the other since the merge, without those that it moved."""
        return [key for key in self.arrived.get(relation, ()) if key not in kept]

    def change(self, rows: Any, **values: Any) -> list[Any]:
        """Update rows that are still found afterwards, with their histories; return them as stored now."""
        before = list(rows)
        rows.order_by().update(**values)
        after = list(rows.all())
        note_changes(before, after, by=self.by, reason=self.note)
        return after

    def tell_moved(self, model: type[models.Model], name: str, number: int, *, back: bool = False) -> None:
        """Report that rows of a model move to the other of the two; ``back`` is from the member who stays."""
        usernames = [self.other.username, self.member.username]
        what = capital(plain("%s (%d)") % (model._meta.verbose_name_plural, number))
        before, after = reversed(usernames) if back else usernames
        self.tell("inputs", f"{model._meta.label} {name} {number}", what, before, after)

    def tell_gone(self, model: type[models.Model], name: str, number: int) -> None:
        """Warn of rows that the merge moved and that have changed hands since."""
        told = _("%(what)s: %(number)d reassigned since the merge, left unchanged.")
        words = {"what": model._meta.verbose_name_plural, "number": number}
        self.warn(f"{model._meta.label} {name}", told % words, str(number))
