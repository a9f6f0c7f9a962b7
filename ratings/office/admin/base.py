"""Base classes of the admin pages of all rule books."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.contrib.admin.utils import unquote
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin, is_value
from ratings.office.decision_types import DecisionType, kind_of, kinds

M = TypeVar("M", bound=Model)


class LookAtOnly:
    """Mixin for admin pages on which nobody adds, changes or deletes, superusers included."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ProjectionAdmin(LookAtOnly, OfficeAdmin[M]):
    """Admin page of rows that the rules or an importer wrote."""


class OfFideId(OfficeAdmin[M]):
    """Admin pages of rows with a FIDE ID, which their search asks for."""

    sortable_by = ()
    search_fields = ("fide_id",)
    search_help_text = _("A FIDE ID")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """Return the rows with this FIDE ID, found by an index; none for a term that isn't one."""
        if not search_term:
            return queryset, False
        text = search_term.strip()
        # No player has FIDE ID 0.
        known = is_value(self.opts.get_field("fide_id"), text)  # type: ignore[arg-type]
        return queryset.filter(fide_id=text if known else 0), False


class OfKinds(ProjectionAdmin[M]):
    """Admin pages of rows about decisions. Rows are hidden from users who may not see their subject."""

    kind_field: ClassVar[str] = "kind"

    def may_look(self, request: HttpRequest, kind: DecisionType) -> bool:
        """Return True if this user may see rows of this kind: at least what the register shows."""
        return (kind.is_public and not kind.unlisted) or kind.may_be_looked_at(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Return the rows that this user may see."""
        hidden = [kind.name for kind in kinds() if not self.may_look(request, kind)]
        return super().get_queryset(request).exclude(**{f"{self.kind_field}__in": hidden})

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> M | None:
        """Return the row of a page, even if :meth:`has_view_permission` then refuses it."""
        key = unquote(object_id)
        return self.model._base_manager.filter(pk=key).first() if is_value(self.opts.pk, key) else None

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Return True if the user may view such rows in general, and rows of this kind."""
        rows = self.model._base_manager.filter(pk=obj.pk) if obj is not None else None
        kind = rows.values_list(self.kind_field, flat=True).first() if rows is not None else None
        return super().has_view_permission(request, obj) and (
            kind is None or self.may_look(request, kind_of(kind))
        )
