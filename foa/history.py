"""The history of changes made by people: who, when, and the values before (django-simple-history).

A row has the values of an object after a change. Objects that came from a file or from the arena have no row
at first; their first change also writes a row with the original values, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import Any, Final

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.manager import HistoryManager
from simple_history.models import HistoricalRecords

from foa.current_change_set import change_set_under_way

STOOD_BEFORE: Final = "stood before"
"""Reason of a row with the values before an object's first known change."""

_WHO_AND_WHY: Final = ("_history_user", "_change_reason")
"""Attributes by which the library is told who changes an object, if no request says so, and why."""


class Decided(models.Model):
    """History row with the change set that wrote it; None if no decision was applied."""

    change_set = models.BigIntegerField(
        _("change set"), null=True, editable=False, default=change_set_under_way
    )

    class Meta:
        abstract = True


class _Manager(HistoryManager):  # type: ignore[misc]  # as below
    """Manager that caches the class built from a queryset: the library rebuilds it for each row it writes."""

    @classmethod
    @cache
    def from_queryset(cls, queryset_class: Any, class_name: str | None = None) -> Any:
        return super().from_queryset(queryset_class, class_name)


class ChangeHistory(HistoricalRecords):  # type: ignore[misc]  # simple_history has no type stubs
    """History of every change and deletion of a model's objects, and of creations whose author is known."""

    def __init__(self, **kwargs: Any) -> None:
        reason = models.CharField(_("reason"), max_length=255, null=True)
        super().__init__(
            history_change_reason_field=reason, bases=[Decided], history_manager=_Manager, **kwargs
        )

    def finalize(self, sender: type[models.Model], **kwargs: Any) -> None:
        """Also remember the stored row before each save."""
        super().finalize(sender, **kwargs)
        if sender is self.cls:
            # The library uses the package's name even if models have their own modules.
            getattr(sender, self.manager_name).model.__module__ = self.module
            models.signals.pre_save.connect(self.pre_save, sender=sender, weak=False)

    def pre_save(self, instance: Any, raw: bool, using: str, **kwargs: Any) -> None:
        """Remember the stored row, read again: the object may have changed since it was loaded."""
        if not raw and instance.pk is not None:
            stood = type(instance)._base_manager.using(using).filter(pk=instance.pk).first()
            vars(instance)["_stood"] = stood

    def post_save(self, instance: Any, created: bool, using: str | None = None, **kwargs: Any) -> None:
        """Write the new values, unless the save has changed nothing."""
        stood = vars(instance).pop("_stood", None)
        if kwargs["raw"]:
            return
        if created:
            if self.get_history_user(instance) is not None:
                self.create_historical_record(instance, "+", using=using)
            return
        stands = self._as_stored(instance, stood, kwargs["update_fields"])
        if all(
            getattr(stood, field.attname) == getattr(stands, field.attname)
            for field in self.fields_included(stood)
        ):
            return
        if not getattr(instance, self.manager_name).exists():
            stood._history_user, stood._change_reason = None, STOOD_BEFORE
            self.create_historical_record(stood, "+", using=using)
        self.create_historical_record(stands, "~", using=using)

    def _as_stored(self, instance: Any, stood: Any, update_fields: frozenset[str] | None) -> Any:
        """Return the row as stored now: ``update_fields`` (None: all fields) come from the instance."""
        stands = copy(stood)
        for field in self.fields_included(stood):
            if update_fields is None or field.name in update_fields or field.attname in update_fields:
                setattr(stands, field.attname, field.to_python(getattr(instance, field.attname)))
        vars(stands).update((name, vars(instance)[name]) for name in _WHO_AND_WHY if name in vars(instance))
        return stands


def name_author(row: models.Model, by: Any, reason: str = "") -> None:
    """Set who changes a row and why, for the history that its save or deletion writes."""
    vars(row)["_history_user"] = by
    give_reason(row, reason)


def give_reason(row: models.Model, reason: str) -> None:
    """Set why a row changes; who changes it is known from the request. Cut to the length of its column."""
    vars(row)["_change_reason"] = reason[:255] or None


def note_changes(
    before: Sequence[models.Model], after: Sequence[models.Model], *, by: Any, reason: str
) -> None:
    """Write the histories of rows changed by one UPDATE, which sends no signals.

    ``before`` and ``after``: the same rows before and after it. Does nothing for a model without a history.
    """
    manager: Any = getattr(type(after[0]), "history", None) if after else None
    if manager is None:
        return
    known = set(manager.filter(id__in=[row.pk for row in before]).values_list("id", flat=True))
    first = [row for row in before if row.pk not in known]
    for row in first:
        vars(row)["_history_user"] = None
    manager.bulk_history_create(first, default_change_reason=STOOD_BEFORE)
    manager.bulk_history_create(
        after, update=True, default_user=by, default_change_reason=reason[:255] or None
    )


def note_additions(rows: Sequence[models.Model], *, by: Any, reason: str) -> None:
    """Write the histories of rows stored again in bulk, which sends no signals."""
    if rows:
        manager: Any = getattr(type(rows[0]), "history")  # noqa: B009  # no such attribute for mypy
        manager.bulk_history_create(rows, default_user=by, default_change_reason=reason[:255] or None)
