"""Announcing a FIDE list (RBB 3.15) and taking it back: first whose ratings will move, then a job."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext

from ratings.admin.moved import moved_rows
from ratings.fide.admin.importing import month_of
from ratings.fide.models import Announcement, FideList
from ratings.fide.services.changes import NotAnnounced
from ratings.fide.services.previews import Preview, preview_of_announcement, preview_of_undoing
from ratings.fide.tasks import announce_list, undo_list
from ratings.labels import CATEGORY_NAMES
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.jobs import enqueue


class AnnouncingAdmin(ProjectionAdmin[FideList]):
    """The pages that announce and take back."""

    def has_announce_permission(self, request: HttpRequest) -> bool:
        """Whether this login may announce lists."""
        return request.user.has_perm("fide.announce_fidelist")

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages these two."""
        pages = {"announce": False, "undo": True}
        return [
            path(
                f"{name}/", self.admin_site.admin_view(self.announcement_view), {"undoing": undoing},
                name=f"fide_fidelist_{name}",
            )
            for name, undoing in pages.items()
        ] + super().get_urls()  # fmt: skip

    def announcement_view(self, request: HttpRequest, undoing: bool) -> HttpResponse:
        """Show whose ratings will move; posted, and confirmed where needed, leave it to the worker."""
        if not self.has_announce_permission(request):
            raise PermissionDenied
        posted = request.method == "POST"
        try:
            period = month_of((request.POST if posted else request.GET).get("period", ""))
        except ValidationError as error:
            raise BadRequest(error.messages[0]) from error
        announcement = Announcement.objects.filter(period=period).first()
        if undoing and announcement is None:
            raise Http404(gettext("No list of this month was announced."))
        unconfirmed = posted and undoing and not request.POST.get("confirm")
        title = (
            gettext("Take back the announcement of %(month)s")
            if undoing
            else gettext("Announce the FIDE list of %(month)s")
        ) % {"month": f"{period:%Y-%m}"}
        if posted and not unconfirmed:
            task = undo_list if undoing else announce_list
            job = enqueue(task, title=title, by=request.user, month=period.isoformat())
            return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))
        preview: Preview | None = None
        fault = ""
        try:
            preview = (
                preview_of_undoing(announcement)
                if undoing and announcement
                else preview_of_announcement(period=period, at=timezone.now())
            )
        except NotAnnounced as refusal:
            fault = f"{refusal}."
        except OperationalError:
            # SQLite has one writer, and taking back is writing.
            fault = gettext("The database is busy with other work. Try again in a while.")
        return self._page(request, title, preview, {
            "period": f"{period:%Y-%m}", "undoing": undoing, "unconfirmed": unconfirmed, "fault": fault,
            "announcement": announcement,
        })  # fmt: skip

    def _page(
        self, request: HttpRequest, title: str, preview: Preview | None, context: dict[str, Any]
    ) -> HttpResponse:
        rows = preview.rows if preview else []
        others = preview.others if preview else []
        shown = moved_rows(others)
        return TemplateResponse(request, "admin/fide/fidelist/announcement.html", {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "preview": preview,
            "rows": [(CATEGORY_NAMES[row.category], row) for row in rows],
            "others": shown,
            "not_shown": len(others) - len(shown),
            **context,
        })  # fmt: skip
