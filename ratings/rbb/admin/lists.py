"""Admin pages of published lists."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import download
from foa.moments import month_of
from foa.text import month_text
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.office.due import steps_of_month
from ratings.rbb import converters  # noqa: F401  # registers month
from ratings.rbb.admin.base import OfMembers
from ratings.rbb.decisions.lists import links_of
from ratings.rbb.due import due_lists
from ratings.rbb.lists.files import month_archive
from ratings.rbb.models import RatingList, RatingListEntry


@admin.register(RatingList)
class RatingListAdmin(DecisionPages, ProjectionAdmin[RatingList]):
    """Admin pages of published lists; lines have their own page, since there may be thousands.

    Lists requested by members have no month, but name the member who requested them.
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
    export_display = (
        "category",
        "month",
        "revision",
        "as_of",
        "federation",
        "requested_by",
        "members",
        "published_at",
        "checksum",
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

    def get_urls(self) -> list[URLPattern]:
        """Add the checklist of a month and the files of its lists."""
        month = self.admin_site.admin_view(self.month_view)
        files = self.admin_site.admin_view(self.files_view)
        return [
            path("month/", month, name="ratings_ratinglist_month"),
            path("files/<month:month>/", files, name="ratings_ratinglist_files"),
            *super().get_urls(),
        ]

    def files_view(self, request: HttpRequest, month: date) -> HttpResponseBase:
        """Return the CSV files of a month's lists, each in its last revision, as a ZIP archive."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        lists = list(RatingList.objects.of_month(month))
        if not lists:
            raise Http404(gettext("No list has been published for this month."))
        return download(lambda: month_archive(lists, "csv"), f"lists-{month:%Y-%m}.zip", "application/zip")

    def month_view(self, request: HttpRequest) -> HttpResponse:
        """Show the steps of closing a month: those done, those pending, and the page for each."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        now = timezone.now()
        # An office that is behind closes one month after the other.
        month = next((one for one, _categories in due_lists(now)), None) or month_of(now)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Close %(month)s") % {"month": month_text(month)},
            "opts": self.opts,
            "now": now,
            "steps": steps_of_month(request.user, month, now),
            "month": month,
            "has_lists": RatingList.objects.of_month(month.date()).exists(),
        }
        return TemplateResponse(request, "admin/ratings/ratinglist/month.html", context)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, with a button for users who may publish."""
        newest = RatingList.objects.monthly().first()
        context = {
            "has_publish_permission": self.may_decide(request, "publish-lists"),
            "newest_month": newest and newest.month,
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    @admin.display(description=_("links"))
    def links(self, rating_list: RatingList) -> SafeString:
        """Return links to the list's page, its report and its CSV file."""
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}: {}">{}</a>',
            ((address, label, rating_list, label) for label, address in links_of(rating_list)),
        )

    @admin.display(description=_("entries"))
    def entries(self, rating_list: RatingList) -> SafeString:
        """Return a link to the lines of the list."""
        address = reverse("admin:ratings_ratinglistentry_changelist")
        return format_html(
            '<a href="{}?rating_list__id__exact={}">{}</a>', address, rating_list.pk, gettext("Entries")
        )


@admin.register(RatingListEntry)
class RatingListEntryAdmin(OfMembers[RatingListEntry], ProjectionAdmin[RatingListEntry]):
    list_display = ("rating_list", "position", "rank", "member", "rating", "games")
    list_filter = ("rating_list__category", "rating_list__month", "rating_list")
    list_select_related = ("rating_list", "member")
    # Best first, as on its page. By the link itself: its own order would join and sort the lists.
    ordering = ("-rating_list_id", "position")
