"""The history of what people change: who, when, and what stood before (django-simple-history).

A row tells how an object stood after a change. What came from a file or from the arena has no row at first;
before its first change one is written that says how it stood, so that nothing is lost.
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
"""The reason of a row that tells how an object stood before the first change that is known."""

_WHO_AND_WHY: Final = ("_history_user", "_change_reason")
"""Attributes of an object that a service sets where no request says who acts, or why."""


class Decided(models.Model):
    """A row of a history that says by which change set it came; None where no decision was applied."""

    change_set = models.BigIntegerField(
        _("change set"), null=True, editable=False, default=change_set_under_way
    )

    class Meta:
        abstract = True


class _Manager(HistoryManager):  # type: ignore[misc]  # as below
    """Django makes a class of a queryset's methods; the library asks for it anew with each row it writes."""

    @classmethod
    @cache
    def from_queryset(cls, queryset_class: Any, class_name: str | None = None) -> Any:
        return super().from_queryset(queryset_class, class_name)


class ChangeHistory(HistoricalRecords):  # type: ignore[misc]  # simple_history has no type stubs
    """Every change and deletion of a model's objects, and each creation whose author is known."""

    def __init__(self, **kwargs: Any) -> None:
        reason = models.CharField(_("reason"), max_length=255, null=True)
        super().__init__(
            history_change_reason_field=reason, bases=[Decided], history_manager=_Manager, **kwargs
        )

    def finalize(self, sender: type[models.Model], **kwargs: Any) -> None:
        """Beside what the library listens to: what stands before a save."""
        super().finalize(sender, **kwargs)
        if sender is self.cls:
            # The library names the package where models have modules of their own.
            getattr(sender, self.manager_name).model.__module__ = self.module
            models.signals.pre_save.connect(self.pre_save, sender=sender, weak=False)

    def pre_save(self, instance: Any, raw: bool, using: str, **kwargs: Any) -> None:
        """Read the stored row again: the object may have been changed since it was loaded."""
        if not raw and instance.pk is not None:
            stood = type(instance)._base_manager.using(using).filter(pk=instance.pk).first()
            vars(instance)["_stood"] = stood

    def post_save(self, instance: Any, created: bool, using: str | None = None, **kwargs: Any) -> None:
        """Write what is new, unless a save has changed nothing."""
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
        """The row as it is now: of a save of some fields only these."""
        stands = copy(stood)
        for field in self.fields_included(stood):
            if update_fields is None or field.name in update_fields or field.attname in update_fields:
                setattr(stands, field.attname, field.to_python(getattr(instance, field.attname)))
        vars(stands).update((name, vars(instance)[name]) for name in _WHO_AND_WHY if name in vars(instance))
        return stands


def note_changes(
    before: Sequence[models.Model], after: Sequence[models.Model], *, by: Any, reason: str
) -> None:
    """Write the histories of rows that one UPDATE has changed, which sends no signals.

    ``before`` and ``after``: the same rows as they were and are. Nothing to do for a model without a history.
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
    """Write the histories of rows that were stored again together, which sends no signals."""
    if rows:
        manager: Any = getattr(type(rows[0]), "history")  # noqa: B009  # no such attribute for mypy
        manager.bulk_history_create(rows, default_user=by, default_change_reason=reason[:255] or None)
