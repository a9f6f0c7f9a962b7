"""Members without a FIDE ID, with likely matches to confirm by hand; members waiting for RBB 3.4."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.history import give_reason
from foa.web.admin import is_value
from foa.web.paging import page_of
from members.models import Member
from ratings.fide.decisions.first_ratings import listed_waiting
from ratings.fide.models import FideList, FidePlayer
from ratings.fide.services.players import likely_players, without_fide_id
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages

_MEMBERS: Final = 20
"""Maximum number of members on a page of the worklist: each takes a search of its own."""

_CHOICE: Final = "player-"
"""Prefix of the fields that hold the player chosen for a member."""


class FirstRatingsAdmin(DecisionPages, ProjectionAdmin[FideList]):
    """The admin pages about members: the worklist, and those who wait for first ratings."""

    def get_urls(self) -> list[URLPattern]:
        """Add the worklist."""
        view = self.admin_site.admin_view(self.worklist_view)
        return [path("worklist/", view, name="fide_fidelist_worklist"), *super().get_urls()]

    def may_see_members(self, request: HttpRequest) -> bool:
        """Return True if this user may see the worklist."""
        return request.user.has_perm("members.view_member")

    def worklist_view(self, request: HttpRequest) -> HttpResponse:
        """List members without a FIDE ID. On POST, store the FIDE IDs that a person has confirmed."""
        may_confirm = request.user.has_perm("members.change_member")
        if not (may_confirm if request.method == "POST" else self.may_see_members(request)):
            raise PermissionDenied
        if request.method == "POST":
            return self._confirm(request)
        text = request.GET.get("q", "").strip()[:100]
        members = without_fide_id()
        page = page_of(members.matching(text) if text else members, request.GET, _MEMBERS)
        return TemplateResponse(
            request,
            "admin/fide/fidelist/worklist.html",
            {
                **self.admin_site.each_context(request),
                "title": _("Members without a FIDE ID"),
                "opts": self.opts,
                "text": text,
                "page": page,
                "found": [(member, likely_players(member)) for member in page.rows],
                "may_confirm": may_confirm,
            },
        )

    def _confirm(self, request: HttpRequest) -> HttpResponse:
        """Give each member the FIDE ID of the player chosen for them, and say what can't be done."""
        chosen = [
            (name.removeprefix(_CHOICE), request.POST[name])
            for name in request.POST
            if name.startswith(_CHOICE) and request.POST[name]
        ]
        if not chosen:
            self.message_user(request, gettext("Choose a player for at least one member."), messages.WARNING)
        for keys in chosen[:_MEMBERS]:
            if not (is_value(Member._meta.pk, keys[0]) and is_value(FidePlayer._meta.pk, keys[1])):
                raise BadRequest(gettext("The member or the FIDE player is missing."))
            self._give(request, *keys)
        return HttpResponseRedirect(request.get_full_path())

    @transaction.atomic
    def _give(self, request: HttpRequest, member_key: str, player_key: str) -> None:
        member = get_object_or_404(Member.objects.select_for_update(no_key=True), pk=member_key)
        player = get_object_or_404(FidePlayer, pk=player_key)
        try:
            if member.fide_id is not None:
                raise ValidationError(gettext("This member now has a FIDE ID."))
            member.fide_id = player.fide_id
            member.full_clean()
        except ValidationError as error:
            told = gettext("%(member)s: nothing was changed. %(reason)s")
            words = {"member": member, "reason": " ".join(error.messages)}
            self.message_user(request, told % words, messages.ERROR)
        else:
            reason = gettext("Confirmed as %(player)s on the FIDE rating list") % {"player": player}
            give_reason(member, reason)
            member.save(update_fields=["fide_id"])
            LogEntry.objects.log_actions(request.user.pk, [member], CHANGE, change_message=reason)  # type: ignore[arg-type]
            told = gettext("%(member)s now has FIDE ID %(fide_id)d.")
            words = {"member": member, "fide_id": player.fide_id}
            self.message_user(request, told % words, messages.SUCCESS)

    def decision_view(self, request: HttpRequest, decision: str, **fixed: Any) -> HttpResponse:
        """Show the waiting members alone to users who may see the lists but not give first ratings."""
        may_look = request.method != "POST" and self.has_view_permission(request)
        if decision != "first-ratings" or self.may_decide(request, decision) or not may_look:
            return super().decision_view(request, decision, **fixed)
        members, more = listed_waiting(timezone.now())
        return TemplateResponse(
            request,
            "admin/fide/fidelist/waiting.html",
            {
                **self.admin_site.each_context(request),
                "title": _("Waiting for first ratings"),
                "opts": self.opts,
                "result": {"waiting": members, "more": more},
            },
        )
