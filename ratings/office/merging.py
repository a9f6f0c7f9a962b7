"""Merging two members into one, and taking it back: who they are, and what people are told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models

from foa.history import note_changes
from foa.said import capital, plain
from foa.said import gettext as _
from ratings.office.effects import Fact


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
        told = _("%(what)s: %(number)d changed hands since the merge and stay as they are.")
        words = {"what": model._meta.verbose_name_plural, "number": number}
        self.warn(f"{model._meta.label} {name}", told % words, str(number))
