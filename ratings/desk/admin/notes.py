"""Admin pages of staff notes about members."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from ratings.desk.models import MemberNote
from ratings.rbb.admin.base import OfMembers


@admin.register(MemberNote)
class MemberNoteAdmin(OfMembers[MemberNote]):
    """A staff note. It is written once and never changed."""

    list_display = ("member", "text", "by", "at")
    list_select_related = ("member", "by")
    sortable_by = ()
    autocomplete_fields = ("member",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemberNote]:
        """Leave out notes about the user who is logged in."""
        return super().get_queryset(request).exclude(member__user=request.user.pk)

    def get_fields(self, request: HttpRequest, obj: MemberNote | None = None) -> tuple[str, ...]:
        """Show the author of a note that has been written."""
        return ("member", "text", "by", "at") if obj else ("member", "text")

    def has_change_permission(self, request: HttpRequest, obj: MemberNote | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: MemberNote | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: MemberNote, form: Any, change: bool) -> None:
        """Set the author and the time."""
        obj.by, obj.at = request.user, timezone.now()  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    def response_add(
        self, request: HttpRequest, obj: MemberNote, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Redirect to the member."""
        super().response_add(request, obj, post_url_continue)
        return HttpResponseRedirect(reverse("admin:members_member_change", args=(obj.member_id,)))
