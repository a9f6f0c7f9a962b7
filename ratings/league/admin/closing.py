"""Closing a cycle: first what it makes of everybody's rating, then, confirmed, the list is published."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.models import Cycle, CycleList, CycleResult
from ratings.league.services.cycles import NotClosed, close_cycle, next_cycle
from ratings.league.services.locks import lock_league
from ratings.office.admin.base import LookAtOnly


@admin.register(Cycle)
class CycleAdmin(LookAtOnly, LeagueInputAdmin[Cycle]):
    """A cycle. It is entered on the page of its season, and closed here."""

    list_display = ("season", "number", "last_round", "closed_at", "lists")
    list_display_links = ("season", "number")
    list_filter = ("season", ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("season",)
    sortable_by = ()
    fields = ("season", "number", "last_round", "closed_at", "lists")
    readonly_fields = ("closed_at", "lists")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only of an open one, which goes with its season."""
        is_open = obj is None or obj.closed_at is None
        return is_open and request.user.has_perm("league.delete_cycle")

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whether this login may close cycles."""
        return request.user.has_perm("league.close_cyclelist")

    def get_list_display(self, request: HttpRequest) -> Any:
        """With the way to close a cycle for who may."""
        return (*self.list_display, "closing") if self.has_close_permission(request) else self.list_display

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages the one that closes a cycle."""
        view = self.admin_site.admin_view(self.close_view)
        return [path("<int:pk>/close/", view, name="league_cycle_close"), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The page, with a button for who may close the cycle."""
        may = {"may_close": self.has_close_permission(request)}
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """With the lists of the page's cycles."""
        page = super().get_changelist_instance(request)
        page.result_list = page.result_list.prefetch_related("lists")
        return page

    @admin.display(description=_("lists"))
    def lists(self, cycle: Cycle) -> SafeString:
        """The revisions that were published, in their order."""
        revisions = sorted(cycle.lists.all(), key=lambda one: one.revision)
        for one in revisions:
            one.cycle = cycle
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}">{}</a>',
            ((one.get_absolute_url(), one, one.revision) for one in revisions),
        )

    @admin.display(description=_("closing"))
    def closing(self, cycle: Cycle) -> SafeString | str:
        """A link to the page that closes it, while it is open."""
        if cycle.closed_at is not None:
            return ""
        address = reverse("admin:league_cycle_close", args=(cycle.pk,))
        return format_html(
            '<a href="{}" aria-label="{}: {}">{}</a>', address, gettext("Close …"), cycle, gettext("Close …")
        )

    def close_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show what closing gives everybody; posted, close the cycle and publish its list."""
        if not self.has_close_permission(request):
            raise PermissionDenied
        cycle = get_object_or_404(Cycle.objects.select_related("season__league"), pk=pk)
        fault, lines, published = "", [], None
        try:
            with transaction.atomic():
                published = _close(cycle, request.user)
                results = CycleResult.objects.filter(cycle_list=published)
                lines = list(results.select_related("team", "player").order_by("name", "player"))
                # What was shown is what is published: otherwise it is shown again.
                as_shown = request.method == "POST" and request.POST.get("checksum") == published.checksum
                if as_shown:
                    told = gettext("The cycle is closed, and %(list)s is published.") % {"list": published}
                    LogEntry.objects.log_actions(request.user.pk, [cycle], CHANGE, change_message=told)  # type: ignore[arg-type]
                    self.message_user(request, told, messages.SUCCESS)
                    return HttpResponseRedirect(reverse("admin:league_cycle_change", args=(pk,)))
                transaction.set_rollback(True)
        except NotClosed as refusal:
            fault = gettext("The cycle cannot be closed: %(reason)s.") % {"reason": refusal}
        except OperationalError:
            # SQLite has one writer, and taking back is writing.
            fault = gettext("The database is busy with other work. Try again in a while.")
        return TemplateResponse(request, "admin/league/cycle/close.html", {
            **self.admin_site.each_context(request),
            "title": gettext("Close: %(cycle)s") % {"cycle": cycle},
            "opts": self.opts,
            "cycle": cycle,
            "fault": fault,
            "published": published,
            "lines": lines,
            "differs": request.method == "POST" and not fault,
        })  # fmt: skip


def _close(cycle: Cycle, by: Any) -> CycleList:
    """Close this cycle and no other; raises NotClosed where it is not its turn."""
    lock_league(connection)
    following = next_cycle(cycle.season)
    if following is None or following.number > cycle.number:
        raise NotClosed(gettext("it is closed already"))
    if following.pk != cycle.pk:
        raise NotClosed(gettext("%(cycle)s comes first") % {"cycle": following})
    return close_cycle(cycle.season, at=timezone.now(), by=by)
