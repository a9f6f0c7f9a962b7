"""Former names in the admin. They are kept by themselves, and taken away where they should be nobody's."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from foa.web.admin import OfficeAdmin
from members.former import FormerName
from ratings.rbb.admin.base import OfMembers


@admin.register(FormerName)
class FormerNameAdmin(OfMembers[FormerName], OfficeAdmin[FormerName]):
    """A name or username that a member had."""

    list_display = ("text", "member", "since", "until")
    list_select_related = ("member",)
    fields = ("member", "text", "since", "until")
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A former name is one that was."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: FormerName | None = None) -> bool:
        """It was what it was."""
        return False
