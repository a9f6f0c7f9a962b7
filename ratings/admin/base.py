"""What the admin pages of ratings share."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from foa.web.typed import ModelAdmin
from ratings.services import replay

__all__ = ["InputAdmin", "LookAtOnly", "ProjectionAdmin"]

M = TypeVar("M", bound=Model)


class LookAtOnly:
    """Nobody adds, changes or deletes here, superusers included."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


class ProjectionAdmin(LookAtOnly, ModelAdmin[M]):
    """A page of what the rules or an importer wrote."""

    show_full_result_count = False


class InputAdmin(ModelAdmin[M]):
    """A page of what people enter: ratings follow each save, and each bulk deletion once."""

    show_full_result_count = False

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        """Delete the chosen rows with one replay at the end."""
        with replay.deferred():
            super().delete_queryset(request, queryset)
