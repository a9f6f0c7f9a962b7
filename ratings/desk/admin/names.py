"""Admin pages of former names, which are kept automatically. Deleting one frees it of its former owner."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from foa.web.admin import OfficeAdmin
from members.former import FormerName
from ratings.rbb.admin.base import OfMembers


@admin.register(FormerName)
class FormerNameAdmin(OfMembers[FormerName], OfficeAdmin[FormerName]):
    """A former name or username of a member."""

    list_display = ("text", "member", "since", "until")
    list_select_related = ("member",)
    fields = ("member", "text", "since", "until")
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: former names are recorded automatically."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: FormerName | None = None) -> bool:
        """Refuse: former names don't change."""
        return False
