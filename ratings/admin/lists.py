"""Publications: frozen as they were."""

from __future__ import annotations

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.admin.base import OfMembers, ProjectionAdmin
from ratings.models import RatingList, RatingListEntry

__all__ = ["RatingListAdmin", "RatingListEntryAdmin"]


@admin.register(RatingList)
class RatingListAdmin(ProjectionAdmin[RatingList]):
    """A published list; its lines have a page of their own, since there may be thousands."""

    list_display = ("month", "category", "revision", "published_at", "members", "entries")
    list_filter = ("category",)
    fields = ("category", "month", "revision", "published_at", "members", "checksum", "entries")
    readonly_fields = ("entries",)

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
