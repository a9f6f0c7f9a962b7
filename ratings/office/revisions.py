"""What every rule book asks of its published lists, which come in revisions."""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar

from django.db import models

Listed = TypeVar("Listed", bound=models.Model)


class RevisionQuerySet(models.QuerySet[Listed]):
    """Published lists. Each kind adds ``of()``, which narrows them, and ``latest_of()``."""

    by_age: ClassVar[tuple[str, ...]]
    """From the oldest list to the newest, and from the first revision of a list to its last."""

    def latest(self, *fields: Any) -> Listed:
        """The newest list, as last revised. Raises DoesNotExist if there is none."""
        return super().latest(*(fields or self.by_age))

    def newest_first(self) -> Self:
        """The newest list first, and its last revision before the others."""
        return self.order_by(*(f"-{field}" for field in self.by_age))

    def in_revision(self, revision: int | None) -> Self:
        """The lists with this number of revision; all of them for None."""
        return self if revision is None else self.filter(revision=revision)
