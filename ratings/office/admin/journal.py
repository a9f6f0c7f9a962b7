"""The page of the journal. It is read-only, for superusers too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import download
from foa.moments import beginning_of, parse_moment
from foa.spreadsheet import Cell, csv_pieces
from foa.text import utc_text
from foa.web.days import DayInput
from ratings.office import journal
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.models import Journal

_ROWS_A_PAGE: Final = 50
_COLUMNS: Final = ("at", "who", "action", "kind", "name", "field", "from", "to", "reason", "change_set")


class AskForm(forms.Form):
    """Search form of the journal."""

    who = forms.CharField(label=_("Login"), required=False, max_length=150)
    source = forms.ChoiceField(label=_("Kind"), required=False)
    action = forms.ChoiceField(
        label=_("Action"), required=False, choices=[("", _("All")), *journal.ACTIONS.items()]
    )
    since = forms.DateField(label=_("From"), required=False, widget=DayInput())
    until = forms.DateField(label=_("Until"), required=False, widget=DayInput())
    all = forms.BooleanField(label=_("Include automatic entries"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["source"]
        choices.choices = [("", _("All")), *journal.labels()]

    def asked(self) -> journal.Asked:
        """Return the search. Days are whole days in UTC."""
        since, until = (self.cleaned_data[name] for name in ("since", "until"))
        return journal.Asked(
            who=self.cleaned_data["who"].strip(),
            source=self.cleaned_data["source"],
            action=self.cleaned_data["action"],
            since=since and beginning_of(since),
            until=until and beginning_of(until) + timedelta(days=1),
            by_people=not self.cleaned_data["all"],
        )


@admin.register(Journal)
class JournalAdmin(ProjectionAdmin[Journal]):
    """Journal of changes: who changed what, when, from what to what, and by which change set."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Show one page of the lines that match, or download all of them."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        form = AskForm(request.GET)
        self._refuse_anything_else(request)
        lines: list[journal.JournalLine] = []
        after = None
        if form.is_valid():
            if request.GET.get("format") == "csv":
                return self._file(form.asked())
            lines, after = journal.page(form.asked(), _place(request.GET.get("before")), _ROWS_A_PAGE)
        kept = request.GET.copy()
        kept.pop("before", None)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Journal"),
            "opts": self.opts,
            "form": form,
            "lines": [(line, journal.ACTIONS[line.action]) for line in lines],
            "kept": kept.urlencode(),
            "after": after and "~".join((after.at.isoformat(), after.source, str(after.key))),
        }
        return TemplateResponse(request, "admin/office/journal.html", context)

    def _refuse_anything_else(self, request: HttpRequest) -> None:
        """Raise BadRequest for parameters that no admin page uses, as every list does."""
        asked, others = request.GET, request.GET.copy()
        for name in (*AskForm.base_fields, "before", "format"):
            others.pop(name, None)
        request.GET = others  # type: ignore[assignment]
        self.get_changelist_instance(request)
        request.GET = asked

    def _file(self, asked: journal.Asked) -> HttpResponseBase:
        """Return the lines as a file with one row for each changed field."""

        def rows() -> Iterator[tuple[Cell, ...]]:
            for line in journal.everything(asked):
                begin = (utc_text(line.place.at), line.who, line.action, line.model, line.name)
                for one in line.differences or ((None, None, None),):
                    yield (*begin, *one, line.reason, line.change_set)

        return download(lambda: csv_pieces(_COLUMNS, rows()), "journal.csv", "text/csv; charset=utf-8")


def _place(text: str | None) -> journal.JournalPlace | None:
    """Read the start of a page from its address. Raises BadRequest if it isn't a valid place."""
    if not text:
        return None
    moment, _tilde, rest = text.partition("~")
    source, _tilde, key = rest.partition("~")
    try:
        return journal.JournalPlace(parse_moment(moment), source, int(key))
    except ValueError as error:
        raise BadRequest(gettext("A filter has an invalid value.")) from error
