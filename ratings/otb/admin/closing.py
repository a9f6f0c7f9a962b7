"""Closing a rating period over the board (B.02 7.13): first what it does to whom, then a job."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.formats.frl import YEARS_OF_LISTS
from ratings.formats.problems import FileRefused
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.jobs import enqueue
from ratings.otb.admin.findings import SHOWN, FindingRow, finding_rows
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.periods import Closing, NothingToClose, close_period
from ratings.otb.services.rating import RatedTournament
from ratings.otb.tasks import close_otb_period


class ClosingForm(forms.Form):
    """Until when reports are taken."""

    until = forms.DateField(
        label=_("Until"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
        help_text=_("The list is the latest whose period ends by then, seven days before it (B.02 7.13)."),
    )  # fmt: skip

    def clean_until(self) -> date:
        """A day that can be meant; what cannot be closed by then is said by the service."""
        until: date = self.cleaned_data["until"]
        if until.year not in YEARS_OF_LISTS:
            raise ValidationError(_("No period can be closed on this day."))
        return until


class ClosingAdmin(ProjectionAdmin[OtbList]):
    """The page that closes a period."""

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whether this login may close periods."""
        return request.user.has_perm("otb.close_otblist")

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages the one that closes a period."""
        view = self.admin_site.admin_view(self.close_view)
        return [path("close/", view, name="otb_otblist_close"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a button for who may close a period."""
        may = {"may_close": self.has_close_permission(request)}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def close_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for a day; show what closing the period does; posted, leave it to the worker."""
        if not self.has_close_permission(request):
            raise PermissionDenied
        posted = request.method == "POST"
        today = timezone.now().date()
        form = ClosingForm(request.POST if posted else request.GET or None, initial={"until": today})
        closing: Closing | None = None
        not_rated: list[tuple[Tournament, bool, list[FindingRow]]] = []
        if form.is_valid():
            until = form.cleaned_data["until"]
            if posted:
                title = gettext("Close the rating period until %(day)s") % {"day": until}
                job = enqueue(close_otb_period, title=title, by=request.user, until=until.isoformat())
                return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))
            try:
                with transaction.atomic():
                    closing = close_period(until=until, at=timezone.now(), by=request.user)
                    not_rated = [_not_rated(rated) for rated in closing.refused]
                    transaction.set_rollback(True)
            except NothingToClose as refusal:
                told = gettext("There is nothing to close: %(reason)s.")
                form.add_error(None, told % {"reason": refusal})
            except FileRefused as refusal:
                form.add_error(
                    None, gettext("A report can no longer be read: %(reason)s.") % {"reason": refusal}
                )
            except OperationalError:
                # SQLite has one writer, and taking back is writing.
                form.add_error(None, gettext("The database is busy with other work. Try again in a while."))
        lines = closing.lines if closing else []
        return TemplateResponse(request, "admin/otb/otblist/close.html", {
            **self.admin_site.each_context(request),
            "title": _("Close a rating period"),
            "opts": self.opts,
            "form": form,
            "closing": closing,
            "not_rated": not_rated,
            "lines": lines[:SHOWN],
            "not_shown": max(0, len(lines) - SHOWN),
            "new": sum(line.before is None for line in lines),
            "delisted": sum(line.after is None for line in lines),
        })  # fmt: skip


def _not_rated(rated: RatedTournament) -> tuple[Tournament, bool, list[FindingRow]]:
    """The tournament, whether it is refused or waits for the next list, and why it is not rated."""
    accepted = {one.finds: one for one in rated.tournament.accepted.all()}
    rows = [row for row in finding_rows(rated, accepted) if row.refuses and row.accepted is None]
    return rated.tournament, rated.tournament.status == Tournament.Status.REFUSED, rows
