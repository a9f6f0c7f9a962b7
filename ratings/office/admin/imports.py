"""Files in the browser: upload one, see what it would do, then apply or drop it."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.uploads import MOST_OTHERWISE, UploadField
from ratings.formats.problems import readable
from ratings.office import rooms
from ratings.office.admin.base import OfKinds
from ratings.office.admin.change_sets import undo_address
from ratings.office.admin.deciding import moved_rows, why_refused
from ratings.office.decision_types import DecisionType, kind_of
from ratings.office.effects import Shown
from ratings.office.importing import (
    FileForm,
    ImportKind,
    apply,
    ask_for_rehearsal,
    bring,
    drop,
    has_ending,
    import_kind,
    import_kinds,
    may_be_rehearsed,
    options_of,
)
from ratings.office.jobs import standing_of
from ratings.office.models import ChangeSet, FileImport
from ratings.office.uploads import opened

_STORED: Final = 20
"""Maximum number of stored rows that the page of a file lists."""


def _upload_form(kind: ImportKind, *data: Any) -> Any:
    """Return the form of a kind with a file field in place of the name of the kept file."""
    form = kind.form(*data)
    options = {name: field for name, field in form.fields.items() if name not in FileForm.base_fields}
    file = UploadField(
        most=MOST_OTHERWISE,
        help_text=_("%(endings)s, at most 10 MB") % {"endings": ", ".join(kind.endings)},
        error_messages={"too_large": _("The file is larger than 10 MB. Split it.")},
    )
    form.fields = {"file": file, **options}
    return form


@admin.register(FileImport)
class FileImportAdmin(OfKinds[FileImport]):
    """Files uploaded within the last month, with the pages that upload one."""

    list_display = ("source", "what", "standing", "brought_by", "brought_at")
    list_select_related = ("brought_by", "job", "change_set")
    sortable_by = ()
    fields = ("what", "brought_by", "brought_at")
    readonly_fields = ("what",)
    change_form_template = "admin/office/fileimport/change_form.html"
    change_list_template = "admin/office/fileimport/change_list.html"

    def may_look(self, request: HttpRequest, kind: DecisionType) -> bool:
        """Return True if this user may see such files. The register shows none of their rows."""
        return kind.may_be_looked_at(request.user)

    @admin.display(description=_("what"))
    def what(self, brought: FileImport) -> str:
        """Return the kind of file in words."""
        return str(kind_of(brought.kind).title)

    @admin.display(description=_("state"))
    def standing(self, brought: FileImport) -> str:
        return str(brought.standing)

    def get_urls(self) -> list[URLPattern]:
        """Add the pages that take a file and download its refused rows."""
        view = self.admin_site.admin_view
        return [
            path("bring/<slug:kind>/", view(self.bring_view), name="office_fileimport_bring"),
            path("<int:pk>/refused/", view(self.refused_view), name="office_fileimport_refused"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """List the kinds of files that can be uploaded, and the files uploaded so far."""
        context = {
            "title": gettext("Import files"),
            "kinds": import_kinds(request.user),
            "upload_pages": [
                (reverse(view), words, about)
                for room in rooms.installed()
                for view, words, about, permission in room.upload_pages
                if request.user.has_perm(permission)
            ],
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def bring_view(self, request: HttpRequest, kind: str) -> HttpResponse:
        """Ask for a file. On POST, leave it to the worker."""
        asked = import_kind(kind)
        if asked is None:
            raise Http404(gettext("This kind of file doesn’t exist."))
        if not (request.user.has_perm(asked.permission) and self.has_view_permission(request)):
            raise PermissionDenied
        posted = request.method == "POST"
        form = _upload_form(asked, request.POST, request.FILES) if posted else _upload_form(asked)
        if posted and form.is_valid() and self._is_fit(asked, form):
            file = form.cleaned_data["file"]
            options = {
                name: request.POST.getlist(name)
                for name in form.fields
                if name != "file" and name in request.POST
            }
            brought = bring(
                kind=asked, source=file.name, content=file.read(), options=options, by=request.user
            )
            return HttpResponseRedirect(reverse("admin:office_fileimport_change", args=(brought.pk,)))
        return TemplateResponse(
            request,
            "admin/office/fileimport/bring.html",
            {
                **self.admin_site.each_context(request),
                "title": asked.title,
                "opts": self.opts,
                "kind": asked,
                "form": form,
            },
        )

    def _is_fit(self, kind: ImportKind, form: Any) -> bool:
        """Return True if the file can be of this kind; if not, add the reason to the form."""
        file = form.cleaned_data["file"]
        if not has_ending(kind, file.name):
            told = gettext("“%(file)s” must be one of these kinds of file: %(endings)s.")
            words = {"file": readable(file.name), "endings": ", ".join(kind.endings)}
            form.add_error("file", told % words)
        return not form.errors

    def refused_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Download all refused rows of a file, with line and reason, as CSV."""
        brought = FileImport.objects.filter(pk=pk).exclude(refusals="").first()
        if not self.has_view_permission(request, brought):
            raise PermissionDenied
        try:
            stored = opened(brought.refusals) if brought else None
        except FileNotFoundError:
            stored = None
        if brought is None or stored is None:
            raise Http404(gettext("This file has no refused rows, or they were deleted."))
        name = f"{PurePath(brought.source).stem}-refused.csv"
        return FileResponse(stored, as_attachment=True, filename=name, content_type="text/csv; charset=utf-8")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show what the file would do. On POST, apply it, drop it or ask the worker again."""
        brought = self.get_object(request, object_id)
        if brought is None or not self.has_view_permission(request, brought):
            return super().change_view(request, object_id, form_url, extra_context)
        may = request.user.has_perm(kind_of(brought.kind).permission)
        if request.method == "POST":
            if not may:
                raise PermissionDenied
            return self._act(request, brought)
        page = {"title": brought.source, "subtitle": None, "may": may, **_page(brought, request.user)}
        if brought.change_set is not None and brought.change_set.state == ChangeSet.State.APPLIED:
            page |= _brought(brought.change_set, request.user)
        return super().change_view(request, object_id, form_url, {**page, **(extra_context or {})})

    def _act(self, request: HttpRequest, brought: FileImport) -> HttpResponse:
        here = HttpResponseRedirect(request.path)
        try:
            if "apply" in request.POST:
                # The page of the change set says whether another person has to confirm it.
                apply(brought, request.user)
            elif "drop" in request.POST:
                drop(brought)
                told = gettext("File discarded. Nothing was stored.")
                self.message_user(request, told, messages.SUCCESS)
            elif "again" in request.POST or "choose" in request.POST:
                ask_for_rehearsal(brought, request.user, _chosen(brought, request.POST))
            else:
                raise PermissionDenied
        except (ValidationError, OperationalError) as refusal:
            for fault in why_refused(refusal):
                self.message_user(request, fault, messages.ERROR)
        return here


def _chosen(brought: FileImport, posted: Any) -> dict[str, list[str]] | None:
    """Return the posted options, including one chosen by a button. None if the kind has no options."""
    kind = import_kind(brought.kind)
    names = options_of(kind) if kind is not None else []
    options = {name: posted.getlist(name) for name in names if name in posted}
    if (button := posted.get("choose")) in names:
        options[button] = ["on"]
    return options if names else None


def _option_fields(kind: ImportKind | None, brought: FileImport) -> list[Any]:
    """Return form fields with the options chosen for a file, so that they can be changed."""
    if kind is None:
        return []
    form = kind.bind(brought.parameters)
    return [form[name] for name in options_of(kind)]


def _groups(kind: ImportKind | None, report: dict[str, Any], user: Any) -> list[dict[str, Any]]:
    """Return the refused rows grouped by reason, each with a button for the option that would accept them."""
    groups = []
    for one in report.get("groups", []):
        said, button = "", ""
        if one["option"] and kind is not None:
            said, button = kind.offer(one["option"], one["about"])
            button = button if kind.may_choose(one["option"], user) else ""
        groups.append({**one, "said": said, "button": button})
    return groups


def _page(brought: FileImport, user: Any) -> dict[str, Any]:
    """Return the context of the page beyond the fields."""
    kind, shown, change_set = kind_of(brought.kind), Shown(brought.shown), brought.change_set
    groups = _groups(import_kind(brought.kind), brought.report, user)
    may_rehearse = may_be_rehearsed(brought)
    options = _option_fields(import_kind(brought.kind), brought) if may_rehearse else []
    rows = moved_rows(kind, shown.moves)
    standing = standing_of(brought.job if change_set is None else change_set.job)
    lost = brought.is_looked_at and not standing["is_open"]
    return {
        "brought": brought,
        "kind": kind,
        "report": brought.report,
        "groups": groups,
        "more_refused": brought.report.get("refused", 0) - sum(one["number"] for one in groups),
        "options": options,
        "effect": shown,
        "rows": rows,
        "not_shown": shown.moved - len(rows),
        "may_apply": brought.is_ready,
        "may_drop": brought.may_be_dropped,
        "may_rehearse": may_rehearse and (bool(options) or lost or not brought.report or bool(change_set)),
        **standing,
    }


def _brought(change_set: ChangeSet, user: Any) -> dict[str, Any]:
    """Return the rows that an applied file brought, and the decision that undoes it."""
    kind, undo = import_kind(change_set.kind), change_set.undo
    listed = kind.brought(undo["parameters"]) if kind is not None and undo else None
    return {
        "is_applied": True,
        "stored": listed[0][:_STORED] if listed else (),
        "stored_number": listed[0].count() if listed else 0,
        "stored_address": listed[1] if listed else "",
        "undone_by": change_set.undone_by.applied().first(),
        "undo_address": undo_address(change_set),
        "may_undo": undo and user.has_perm(kind_of(undo["kind"]).permission),
    }
