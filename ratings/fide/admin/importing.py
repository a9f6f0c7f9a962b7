"""Importing a FIDE list in the admin: a file is uploaded, and the worker reads it."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import month_text
from foa.uploads import MOST_OF_A_LIST, UploadField
from ratings.fide.models import CONTROL_NAMES, FideList
from ratings.fide.services.lists import LEAST_PLAYERS, MOST_CHANGED, MOST_REFUSED, month_of
from ratings.fide.tasks import import_list
from ratings.formats.frl import FideControl, open_frl
from ratings.formats.problems import FileRefused
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.jobs import enqueue
from ratings.office.models import Job
from ratings.office.uploads import discard, keep


class ImportForm(forms.Form):
    """Form for a list, its month and its control."""

    file = UploadField(
        most=MOST_OF_A_LIST, help_text=_("FIDE’s TXT or XML file, preferably still zipped. At most 1 GB.")
    )
    month = forms.CharField(
        label=_("Month"),
        max_length=10,
        help_text=_("Month of the list, such as 2026-03."),
        widget=forms.TextInput(attrs={"size": 8, "autocomplete": "off"}),
    )
    control = forms.ChoiceField(
        label=_("Rating type"),
        required=False,
        choices=[
            ("", _("all three (combined list)")),
            *((control.value, name) for control, name in CONTROL_NAMES.items()),
        ],
        help_text=_("Choose one if the file has a single rating type: the file itself doesn’t name it."),
    )
    force = forms.BooleanField(label=_("Import despite warnings"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["force"].help_text = _(
            "Normally we refuse a list with fewer than %(players)s%% of the current players, with more "
            "than %(changed)s%% of the ratings changed (the limit is higher if the previous list is "
            "several months older), with more than %(refused)s unreadable rows in 1,000, or with another "
            "month in its header."
        ) % {"players": LEAST_PLAYERS, "changed": MOST_CHANGED, "refused": MOST_REFUSED}

    def clean_month(self) -> date:
        """Return the first day of the month."""
        return month_of(self.cleaned_data["month"])

    def clean(self) -> None:
        """Refuse a file whose beginning shows that it isn't a list."""
        file = self.cleaned_data.get("file")
        control = self.cleaned_data.get("control")
        if file is None or control is None:
            return
        try:
            open_frl(file.file, FideControl(control) if control else None)
        except FileRefused as refusal:
            self.add_error("file", str(refusal))
        file.seek(0)

    def enqueue(self, by: Any) -> Job:
        """Keep the file and ask the worker to import it."""
        chosen = self.cleaned_data
        month, control = chosen["month"], chosen["control"]
        words = {"month": month_text(month), "control": control, "file": chosen["file"].name}
        title = (
            gettext("Import the %(month)s FIDE list, %(control)s: %(file)s")
            if control
            else gettext("Import the %(month)s FIDE list: %(file)s")
        ) % words
        upload = keep(chosen["file"].chunks())
        try:
            return enqueue(
                import_list,
                title=title[:200],
                by=by,
                upload=upload,
                source=chosen["file"].name,
                month=month.isoformat(),
                control=control,
                force=chosen["force"],
            )
        except BaseException:
            discard(upload)
            raise


class ImportingAdmin(ProjectionAdmin[FideList]):
    """The admin page that imports a list."""

    def has_import_permission(self, request: HttpRequest) -> bool:
        """Return True if this user may import lists."""
        return request.user.has_perm("fide.import_fidelist")

    def get_urls(self) -> list[URLPattern]:
        """Add the page that imports."""
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="fide_fidelist_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for a file. On POST, leave it to the worker."""
        if not self.has_import_permission(request):
            raise PermissionDenied
        posted = request.method == "POST"
        # Links in “What is due” name the month.
        asked = {name: request.GET.get(name, "") for name in ("month", "control")}
        form = ImportForm(request.POST, request.FILES) if posted else ImportForm(initial=asked)
        if posted and form.is_valid():
            job = form.enqueue(request.user)
            return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))
        return TemplateResponse(
            request,
            "admin/fide/fidelist/import.html",
            {
                **self.admin_site.each_context(request),
                "title": _("Import a FIDE rating list"),
                "opts": self.opts,
                "form": form,
            },
        )
