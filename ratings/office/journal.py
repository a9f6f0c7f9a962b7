"""The journal of all models together: who changed what, when, from what to what, by which change set.

Nothing is written for it. It reads, newest first, what is kept anyway: the histories of what people change,
the admin log for models without a history, and the change sets. Each table is read by its index on the
moment, at most one page of rows at a time, so a page costs the same however long the journal is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.history import STOOD_BEFORE
from foa.web.admin_history import Difference, entries_of, with_names
from ratings.office.models import ChangeSet
from ratings.office.publications import Publication

ACTIONS: Final = {
    "added": _("added"),
    "changed": _("changed"),
    "deleted": _("deleted"),
    "published": _("published"),
    "decided": _("decided"),
}
_OF_HISTORY: Final = {"added": "+", "changed": "~", "deleted": "-"}
_OF_LOG: Final = {ADDITION: "added", CHANGE: "changed", DELETION: "deleted"}
_AT_ONCE: Final = 500


class JournalPlace(NamedTuple):
    """Position of a line: its moment, its source and its key there."""

    at: datetime
    source: str
    key: int


class JournalLine(NamedTuple):
    """A line of the journal. ``model``: the kind of object; ``name``: its name at that time."""

    place: JournalPlace
    who: str
    action: str
    model: str
    name: str
    address: str
    reason: str
    differences: Sequence[Difference]
    change_set: int | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A search: changes by a user, from a source, with one of ``ACTIONS``, between two moments (UTC).

    ``by_people``: leave out what arrived automatically, such as games from a server.
    """

    who: str = ""
    source: str = ""
    action: str = ""
    since: datetime | None = None
    until: datetime | None = None
    by_people: bool = False


class _Source(ABC):
    """One table whose rows become lines of the journal. ``name``: used in addresses and files."""

    name: str
    label: Any
    moment: str
    person: str
    by_people = Q()
    """Condition for rows that are somebody's work."""

    @abstractmethod
    def rows(self, action: str) -> QuerySet[Any] | None:
        """Return the rows with this action, or all for ""; None if there can't be any."""

    @abstractmethod
    def lines(self, rows: Sequence[Any]) -> Iterator[JournalLine]:
        """Describe rows as lines of the journal."""

    def newest(self, asked: Asked, before: JournalPlace | None, number: int) -> list[Any]:
        """Return the newest rows before a place that match the search."""
        rows = self.rows(asked.action)
        if rows is None or asked.source not in ("", self.name):
            return []
        if asked.by_people:
            rows = rows.filter(self.by_people)
        if asked.who:
            rows = rows.filter(**{f"{self.person}__username": asked.who})
        if asked.since:
            rows = rows.filter(**{f"{self.moment}__gte": asked.since})
        if asked.until:
            rows = rows.filter(**{f"{self.moment}__lt": asked.until})
        if before is not None:
            earlier = Q(**{f"{self.moment}__lt": before.at})
            if self.name < before.source:
                earlier |= Q(**{self.moment: before.at})
            elif self.name == before.source:
                earlier |= Q(**{self.moment: before.at, "pk__lt": before.key})
            rows = rows.filter(earlier)
        return list(rows.order_by(f"-{self.moment}", "-pk")[:number])

    def place(self, row: Any) -> JournalPlace:
        """Return the position of a row."""
        return JournalPlace(getattr(row, self.moment), self.name, row.pk)


class _History(_Source):
    moment, person = "history_date", "history_user"
    by_people = Q(history_user__isnull=False) | Q(change_set__isnull=False)

    def __init__(self, model: Any) -> None:
        self.model, self.name = model, model._meta.label_lower
        self.label = model._meta.verbose_name

    def rows(self, action: str) -> QuerySet[Any] | None:
        if action not in ("", *_OF_HISTORY):
            return None
        rows: QuerySet[Any] = with_names(self.model).exclude(history_change_reason=STOOD_BEFORE)
        return rows.filter(history_type=_OF_HISTORY[action]) if action else rows

    def lines(self, rows: Sequence[Any]) -> Iterator[JournalLine]:
        actions = {sign: action for action, sign in _OF_HISTORY.items()}
        for row, entry in zip(rows, entries_of(self.model, rows), strict=True):
            yield JournalLine(
                self.place(row),
                str(row.history_user or ""),
                actions[row.history_type],
                str(self.label),
                entry.name,
                _address(self.model, "history", getattr(row, self.model._meta.pk.attname)),
                entry.reason,
                entry.differences,
                row.change_set,
            )


class _Log(_Source):
    """The admin log, for models without a history."""

    name, label, moment, person = "log", _("other"), "action_time", "user"

    def rows(self, action: str) -> QuerySet[Any] | None:
        if action == "decided":
            return None
        published = Q(content_type__in=ContentType.objects.get_for_models(*_published()).values())
        kept = ContentType.objects.get_for_models(*_with_history()).values()
        rows = LogEntry.objects.select_related("user", "content_type").exclude(content_type__in=kept)
        if action == "published":
            return rows.filter(published)
        flags = [flag for flag, name in _OF_LOG.items() if name == action]
        return rows.filter(~published, action_flag__in=flags) if action else rows

    def lines(self, rows: Sequence[Any]) -> Iterator[JournalLine]:
        for row in rows:
            model = row.content_type and row.content_type.model_class()
            is_there = model is not None and row.action_flag != DELETION
            yield JournalLine(
                self.place(row),
                str(row.user),
                # A published list never changes: whatever is logged about it is that it was published.
                "published" if model in _published() else _OF_LOG[row.action_flag],
                str(model._meta.verbose_name) if model else "",
                row.object_repr,
                _address(model, "change", row.object_id) if is_there else "",
                row.get_change_message(),
                (),
                None,
            )


class _ChangeSets(_Source):
    name, label, moment, person = "office.changeset", _("change set"), "proposed_at", "proposed_by"

    def rows(self, action: str) -> QuerySet[Any] | None:
        if action not in ("", "decided"):
            return None
        return ChangeSet.objects.decided().select_related("proposed_by", "seconded_by")

    def lines(self, rows: Sequence[Any]) -> Iterator[JournalLine]:
        for row in rows:
            seconded = gettext("confirmed by %(who)s") % {"who": row.seconded_by} if row.seconded_by else ""
            yield JournalLine(
                self.place(row),
                str(row.proposed_by or row.proposed_as),
                "decided",
                str(self.label),
                f"{row.for_staff} ({row.get_state_display()})",
                _address(ChangeSet, "change", row.pk),
                "; ".join(filter(None, (row.staff_note, seconded))),
                (),
                row.pk,
            )


@cache
def _with_history() -> tuple[Any, ...]:
    return tuple(model for model in apps.get_models() if hasattr(model, "history") and not model._meta.proxy)


@cache
def _published() -> tuple[Any, ...]:
    return tuple(model for model in apps.get_models() if issubclass(model, Publication))


@cache
def sources() -> dict[str, _Source]:
    """Return the sources of lines by name."""
    found: list[_Source] = [*map(_History, _with_history()), _Log(), _ChangeSets()]
    return {source.name: source for source in sorted(found, key=lambda one: one.name)}


def labels() -> list[tuple[str, str]]:
    """Return the names of the sources, with their labels for people."""
    return sorted(
        ((one.name, capfirst(str(one.label))) for one in sources().values()), key=lambda one: one[1]
    )


def page(
    asked: Asked, before: JournalPlace | None, number: int
) -> tuple[list[JournalLine], JournalPlace | None]:
    """Return the newest lines before a place, and where the next page begins (None after the last)."""
    found = [
        (source.place(row), source, row)
        for source in sources().values()
        for row in source.newest(asked, before, number + 1)
    ]
    # Lines of the same moment are in reverse order of their sources' names, which newest() relies on.
    found.sort(key=lambda one: one[0], reverse=True)
    shown = found[:number]
    lines = [
        line
        for source in sources().values()
        for line in source.lines([row for _place, of, row in shown if of is source])
    ]
    lines.sort(key=lambda line: line.place, reverse=True)
    return lines, shown[-1][0] if len(found) > number else None


def everything(asked: Asked) -> Iterator[JournalLine]:
    """Yield all lines that match, reading some hundred at a time."""
    place: JournalPlace | None = None
    while True:
        lines, place = page(asked, place, _AT_ONCE)
        yield from lines
        if place is None:
            return


def _address(model: Any, page: str, key: Any) -> str:
    try:
        return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=(key,))
    except NoReverseMatch:
        return ""
