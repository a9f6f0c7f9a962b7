"""Admin pages about members: likely duplicates, former names, and staff notes."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from foa.web.admin import ChoiceFilter, OfficeAdmin, is_value
from members.former import FormerName
from members.models import Member
from ratings.desk.models import LikelyDuplicate, LikelyDuplicateQuerySet, MemberNote
from ratings.desk.services.duplicates import dismiss
from ratings.office.admin.base import ProjectionAdmin
from ratings.rbb.admin.base import OfMembers


class StateFilter(ChoiceFilter):
    """Filter by state: open (the default), or settled as “not the same person”."""

    title = _("state")
    parameter_name = "state"
    options = (("different", _("not the same person")),)
    first = _("open")

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[LikelyDuplicate]:
        """Keep open pairs, or those that somebody has settled."""
        found: QuerySet[LikelyDuplicate] = (
            queryset.filter(dismissed_at__isnull=False) if self.value() else queryset.open()
        )
        return found


@admin.register(LikelyDuplicate)
class LikelyDuplicateAdmin(ProjectionAdmin[LikelyDuplicate]):
    """Two members who may be one person."""

    list_display = ("one", "other", "why", "found_at", "what_to_do")
    export_display = ("one", "other", "why", "found_at", "dismissed_at", "dismissed_by")
    list_display_links = None
    list_filter = (StateFilter, "why")
    list_select_related = ("first", "second", "dismissed_by")
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[LikelyDuplicate]:
        """Leave out pairs with an account of the user: a colleague settles them."""
        return cast(LikelyDuplicateQuerySet, super().get_queryset(request)).shown_to(request.user)

    @admin.display(description=_("member"))
    def one(self, pair: LikelyDuplicate) -> str:
        """Return the account that was registered first."""
        return _account(pair.first)

    @admin.display(description=_("other account"))
    def other(self, pair: LikelyDuplicate) -> str:
        """Return the account that was registered later."""
        return _account(pair.second)

    @admin.display(description=_("what to do"))
    def what_to_do(self, pair: LikelyDuplicate) -> str:
        """Return the buttons to merge or settle the pair, or the name of whoever has settled it."""
        if pair.dismissed_at is not None:
            return gettext("Not the same person: %(who)s, %(day)s") % {
                "who": pair.dismissed_by or gettext("unknown"),
                "day": date_text(pair.dismissed_at),
            }
        asked = urlencode({"keep": str(pair.first.pk), "other": pair.second.username})
        return format_html(
            '<a href="{}?{}">{}</a> <button class="button" name="not_the_same" value="{}">{}</button>',
            reverse("admin:members_member_merge"),
            asked,
            gettext("Merge …"),
            str(pair.pk),
            gettext("Not the same person"),
        )

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list. On POST, settle a pair as not the same person."""
        key = request.POST.get("not_the_same")
        if key is None:
            return super().changelist_view(request, extra_context)
        if not request.user.has_perm("desk.change_likelyduplicate"):
            raise PermissionDenied
        pairs = self.get_queryset(request)
        pair = get_object_or_404(pairs, pk=key if is_value(self.opts.pk, key) else None)
        dismiss(pair, by=request.user, at=timezone.now())
        told = gettext("%(one)s and %(other)s are marked as two different people. We won’t ask again.")
        self.message_user(request, told % {"one": pair.first, "other": pair.second}, messages.SUCCESS)
        return HttpResponseRedirect(request.get_full_path())


def _account(member: Member) -> str:
    """Link to a member, with what tells them from a namesake."""
    facts = [member.username, member.federation, str(member.birth_year or ""), str(member.fide_id or "")]
    return format_html(
        '<a href="{}">{} ({})</a>',
        reverse("admin:members_member_change", args=(member.pk,)),
        member,
        ", ".join(fact for fact in facts if fact),
    )


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
