"""What the admin pages of all rule books share."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model
from django.http import HttpRequest

from foa.web.admin import OfficeAdmin

M = TypeVar("M", bound=Model)


class LookAtOnly:
    """Nobody adds, changes or deletes here, superusers included."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ProjectionAdmin(LookAtOnly, OfficeAdmin[M]):
    """A page of what the rules or an importer wrote."""
