"""Common behaviour of the ledger's inputs: no bulk change without a replay, nothing from the future."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Self

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from foa.locking import DELETED
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.models.pending_replay import Pending, Place, pending

_CHANGED: Final = _(
    "Someone changed this after you opened it: %(field)s was “%(was)s” and is now “%(now)s”. "
    "Reload the page and make your change again."
)


class InputQuerySet(models.QuerySet[Any]):
    """Inputs of the ledger. Bulk changes send no signals, so they need ``ledger.replay.deferred()``."""

    def update(self, **kwargs: Any) -> int:
        """Update; a change of a field that decides ratings outside ``deferred()`` raises RuntimeError."""
        touched = {name.removesuffix("_id") for name in kwargs}
        if touched.isdisjoint(self.model.RATING_FIELDS):
            return super().update(**kwargs)
        self._note("update")
        ids = list(self.order_by().values_list("pk", flat=True))
        rows = super().update(**kwargs)
        self.model.objects.filter(pk__in=ids)._note("update")
        return rows

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Create many, each under the same conditions as a single save."""
        notebook = self._notebook("bulk_create")
        inputs = list(objs)
        for one in inputs:
            one.clean()
        self.model.give_former_keys(inputs)
        created = super().bulk_create(inputs, *args, **kwargs)
        for one in created:
            if place := one.place:
                notebook.add(*place)
        return created

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete many, with one replay at the end of ``deferred()``."""
        self._notebook("delete")
        return super().delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def places(self) -> Iterator[Place]:
        """Yield the places of these events, earliest first."""
        found = self.order_by("effective_at", "pk").values_list("category", "effective_at", "pk")
        for category, moment, pk in found.iterator():
            yield Place(category, moment, change_id(self.model.KIND, pk))

    def _notebook(self, what: str) -> Pending:
        notebook = pending.get()
        if notebook is None:
            raise RuntimeError(
                f"{self.model.__name__}.objects.{what}() sends no signals, so ratings would not follow: "
                "use `with replay.deferred():` around it (ratings.rbb.ledger.replay)."
            )
        return notebook

    def _note(self, what: str) -> None:
        notebook = self._notebook(what)
        for place in self.places():
            notebook.add(*place)


class Input(models.Model):
    """A fact that people or importers enter and on which ratings depend."""

    KIND: ClassVar[EventType]
    """The kind of event, which decides the order of events."""

    _row: tuple[Sequence[str], Sequence[Any]] = ((), ())
    """Columns and values as loaded."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it and replay what follows, both or neither; raises ValidationError, with the article."""
        with transaction.atomic():
            self.clean()
            if self.pk is None:
                self.give_former_keys([self])
            super().save(*args, **kwargs)
        written = kwargs.get("update_fields")
        self._remember(
            field for field in self._meta.concrete_fields if written is None or field.name in written
        )

    @classmethod
    def from_db(cls, db: str | None, field_names: Any, values: Any, **kwargs: Any) -> Self:
        """Remember the loaded values: a save must not undo what another user has changed since."""
        instance = super().from_db(db, field_names, values, **kwargs)
        instance._row = field_names, values
        return instance

    @cached_property
    def _loaded(self) -> dict[str, Any]:
        """Values as loaded or last stored, by column. Made when asked for: most rows are only read."""
        return dict(zip(*self._row, strict=True))

    def refresh_from_db(
        self, using: str | None = None, fields: Iterable[str] | None = None, from_queryset: Any = None
    ) -> None:
        """Load it again, or only these fields, and remember the new values."""
        only = None if fields is None else set(fields)
        super().refresh_from_db(using, only, from_queryset)
        self._remember(
            field
            for field in self._meta.concrete_fields
            if field.attname in vars(self) and (only is None or only & {field.name, field.attname})
        )

    def refuse_overwriting(self, stored: Input | None, update_fields: Collection[str] | None = None) -> None:
        """Raise ValidationError if a save would overwrite what has changed since this was loaded.

        ``stored``: the row as it is now; None if it is gone, and then any loaded row is refused.
        ``update_fields``: what the save writes; None for everything.
        """
        if stored is None:
            if not self._state.adding:
                raise ValidationError(DELETED)
            return
        loaded = self._loaded
        faults = []
        for field in self._meta.concrete_fields:
            name = field.attname
            if name not in loaded or (update_fields is not None and field.name not in update_fields):
                continue
            now = getattr(stored, name)
            if now != loaded[name] and now != field.to_python(getattr(self, name)):
                words = {"field": field.verbose_name, "was": loaded[name], "now": now}
                faults.append(_CHANGED % words)
        if faults:
            raise ValidationError(faults)

    def was(self, attname: str) -> Any:
        """Return a field's value as loaded or stored; None if it was neither."""
        return self._loaded.get(attname)

    def as_loaded(self) -> Self:
        """Return a copy with the values that were loaded or last stored."""
        return type(self)(**self._loaded)

    def _remember(self, fields: Iterable[Any]) -> None:
        """Remember these fields as now stored."""
        for field in fields:
            self._loaded[field.attname] = field.to_python(getattr(self, field.attname))

    @classmethod
    def give_former_keys(cls, inputs: Iterable[Any]) -> None:
        """Give new inputs the keys that they had before they were deleted. By default nothing is done."""


class EffectiveInput(Input):
    """An input of one member and category that takes effect at a moment, ``effective_at``."""

    IDENTITY: ClassVar[tuple[str, ...]]
    """Columns that identify a deleted input when it is entered again."""

    category: Any
    effective_at: Any
    history: Any

    objects = InputQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def give_former_keys(cls, inputs: Iterable[Any]) -> None:
        """Give inputs that are entered again their former keys, from their histories.

        So an announcement that is withdrawn and repeated leaves no trace: the key of a ledger line follows
        from its event's key, so the lines get back their addresses, cases and notes of corrections.
        """
        new = [one for one in inputs if one.pk is None]
        if not new:
            return
        deleted = cls.history.filter(history_type="-", member_id__in={one.member_id for one in new})
        rows = list(deleted.order_by("-history_id").values_list("id", *cls.IDENTITY))
        if not rows:
            return
        stored = cls._base_manager.filter(pk__in=[key for key, *_identity in rows])
        taken = set(stored.values_list("pk", flat=True))
        former = {tuple(identity): key for key, *identity in rows if key not in taken}
        fields: list[Any] = [cls._meta.get_field(name.removesuffix("_id")) for name in cls.IDENTITY]
        for one in new:
            identity = tuple(field.to_python(getattr(one, field.attname)) for field in fields)
            one.pk = former.pop(identity, None)

    def clean(self) -> None:
        """Raise ValidationError if the input is in the future."""
        if self.effective_at is not None and self.effective_at > timezone.now():
            fault = _("This is in the future. Enter it when it takes effect.")
            raise ValidationError({"effective_at": fault})

    @property
    def place(self) -> Place:
        """Place of the input in the order of events."""
        return Place(self.category, self.effective_at, change_id(self.KIND, self.pk))
