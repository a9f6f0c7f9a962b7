"""Admin pages of published lists of a league, view-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.decisions.closing import links_of
from ratings.league.models import CycleList, CycleResult
from ratings.office.admin.base import ProjectionAdmin


@admin.register(CycleList)
class CycleListAdmin(ProjectionAdmin[CycleList]):
    """A published list."""

    list_display = ("cycle", "revision", "links", "published_at", "published_by", "lines")
    export_display = ("cycle", "revision", "published_at", "published_by", "checksum")
    list_filter = ("cycle__season",)
    list_select_related = ("cycle__season", "published_by")
    sortable_by = ()
    fields = ("cycle", "revision", "links", "published_at", "published_by", "checksum", "lines")
    readonly_fields = ("links", "lines")

    @admin.display(description=_("links"))
    def links(self, published: CycleList) -> SafeString:
        """Link to the list's public page and to its CSV file."""
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}: {}">{}</a>',
            ((address, label, published, label) for label, address in links_of(published)),
        )

    @admin.display(description=_("lines"))
    def lines(self, published: CycleList) -> SafeString:
        """Link to the lines of the list."""
        address = reverse("admin:league_cycleresult_changelist")
        return format_html(
            '<a href="{}?cycle_list__id__exact={}">{}</a>', address, published.pk, gettext("Lines")
        )


class _OfList(admin.RelatedFieldListFilter):
    """Filter for the lines of one list."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer every list, named with its cycle and season."""
        return [(str(one.pk), str(one)) for one in CycleList.objects.select_related("cycle__season")]


@admin.register(CycleResult)
class CycleResultAdmin(ProjectionAdmin[CycleResult]):
    """The lines of published lists."""

    list_display = (
        "cycle_list",
        "name",
        "team",
        "old",
        "games_before",
        "counted",
        "gain",
        "adjusted",
        "new",
        "games_after",
    )
    list_display_links = ("name",)
    list_filter = (("cycle_list", _OfList),)
    list_select_related = ("cycle_list__cycle__season", "team")
    sortable_by = ()
    search_fields = ("name",)
    search_help_text = _("Part of a name")
