"""Publications: frozen as they were."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.admin.base import OfMembers
from ratings.decisions.lists import links_of
from ratings.models import RatingList, RatingListEntry
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages


@admin.register(RatingList)
class RatingListAdmin(DecisionPages, ProjectionAdmin[RatingList]):
    """A published list; its lines have a page of their own, since there may be thousands.

    Lists that members asked for have no month; who asked stands here.
    """

    decisions = {"publish": "publish-lists", "revise": "revise-lists"}
    list_display = (
        "as_of",
        "category",
        "revision",
        "federation",
        "requested_by",
        "links",
        "members",
        "published_at",
        "entries",
    )
    list_filter = ("category", ("requested_by", admin.EmptyFieldListFilter))
    list_select_related = ("requested_by",)
    fields = (
        "category",
        "month",
        "revision",
        "as_of",
        "federation",
        "requested_by",
        "published_at",
        "members",
        "checksum",
        "entries",
    )
    readonly_fields = ("entries",)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a button for who may publish."""
        may = {"has_publish_permission": self.may_decide(request, "publish-lists")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    @admin.display(description=_("links"))
    def links(self, rating_list: RatingList) -> SafeString:
        """To its page, its report and the whole of it as CSV."""
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}: {}">{}</a>',
            ((address, label, rating_list, label) for label, address in links_of(rating_list)),
        )

    @admin.display(description=_("entries"))
    def entries(self, rating_list: RatingList) -> SafeString:
        """A link to the lines of the list."""
        address = reverse("admin:ratings_ratinglistentry_changelist")
        return format_html(
            '<a href="{}?rating_list__id__exact={}">{}</a>', address, rating_list.pk, gettext("Entries")
        )


@admin.register(RatingListEntry)
class RatingListEntryAdmin(OfMembers[RatingListEntry], ProjectionAdmin[RatingListEntry]):
    """The lines of published lists."""

    list_display = ("rating_list", "position", "rank", "member", "rating", "games")
    list_filter = ("rating_list__category", "rating_list__month", "rating_list")
    list_select_related = ("rating_list", "member")
