"""Files that staff upload, and what the worker finds in one before anything of it is stored.

Each kind of file is a kind of decision. The worker rehearses it, which makes the preview: what every row
would do, which rows are refused, and whose ratings move. Applying the file confirms that preview.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any, BinaryIO, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django_tasks import TaskContext, task

from foa.locking import lock_row
from foa.repeatable import repeatable
from foa.said import gettext, ngettext
from foa.spreadsheet import csv_pieces
from ratings.formats.problems import FileRefused, Problem, Remark
from ratings.office.deciding import Proposal, confirm, preview
from ratings.office.decision_types import Decision, DecisionType, Parameters, kind_of, kinds
from ratings.office.effects import Effect, Fact
from ratings.office.jobs import enqueue, is_lost, running
from ratings.office.models import ChangeSet, FileImport
from ratings.office.upkeep import hourly
from ratings.office.uploads import content_of, discard_unless_wanted, keep, keep_for_decision

NAMED: Final = 100
"""Maximum number of remarks that a page shows."""

KEPT: Final = timedelta(days=30)
"""Time for which an uploaded file and the findings in it are kept."""

_IN_AN_ANSWER: Final = 20
"""Maximum number of refused rows in a response."""


class FileForm(forms.Form):
    """Form of a file that waits as an upload. Fields for further options are visible."""

    upload = forms.CharField(max_length=32, widget=forms.HiddenInput)
    sha256 = forms.CharField(max_length=64, widget=forms.HiddenInput)
    source = forms.CharField(max_length=255, widget=forms.HiddenInput)


@dataclass(slots=True)
class FileReport:
    """Findings in a file, row by row. ``said``: sentences about what happens to its rows.

    ``offers``: options of the form that would take more of the file, with the texts of their buttons.
    """

    read_as: str = ""
    refused: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    offers: list[tuple[str, str]] = field(default_factory=list)


class RowsRefusedError(ValidationError):
    """The whole file is refused because some of its rows are."""

    def __init__(self, report: FileReport) -> None:
        told = ngettext(
            "%d row was refused, so nothing was stored.",
            "%d rows were refused, so nothing was stored.",
            len(report.refused),
        )
        super().__init__([told % len(report.refused), *map(str, _by_line(report.refused)[:_IN_AN_ANSWER])])
        self.report = report


class ImportKind(DecisionType):
    """A decision to import a file.

    ``columns``: those of the file and of the file of its refused rows; ``optional`` ones may be missing.
    ``endings``: allowed endings of the file name. ``is_whole``: nothing is stored if a row is refused.
    ``lists``: models whose lists link to the import. ``also_needs``: permissions that an option of the form
    needs in addition to that of the kind.
    """

    as_job = True
    asks_reason = False
    form: ClassVar[Any] = FileForm
    columns: ClassVar[tuple[str, ...]]
    optional: ClassVar[tuple[str, ...]] = ()
    endings: ClassVar[tuple[str, ...]] = (".csv", ".txt", ".xlsx")
    about: ClassVar[str | Promise]
    is_whole: ClassVar[bool] = False
    lists: ClassVar[tuple[str, ...]] = ()
    also_needs: ClassVar[Mapping[str, str]] = {}

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        """Store the contents of the file and add the findings to the report. No facts: nothing to do."""
        raise NotImplementedError

    def brought(self, parameters: Parameters) -> tuple[QuerySet[Any], str] | None:
        """Return what an applied file stored, and the address of its list, or "".

        ``parameters``: those of the decision that undoes it. None if the page doesn't list what was stored.
        """
        return None

    def offer(self, option: str, number: int) -> tuple[str, str]:
        """Say why rows are refused that an option would accept, and return the text of its button.

        ``number``: number of names that the option would be used for.
        """
        raise NotImplementedError

    def subject(self, asked: Mapping[str, Any]) -> str:
        return PurePath(asked["source"]).name

    def apply(self, decision: Decision) -> Effect:
        """Import all valid rows; with ``is_whole``, all rows or none."""
        self.check_rights(decision.asked, decision.by)
        report = FileReport()
        file = io.BytesIO(content_of(decision.asked["upload"], decision.asked["sha256"]))
        try:
            effect = self.take(file, decision, report)
        except FileRefused as refusal:
            raise ValidationError(f"{refusal}.") from refusal
        except ValidationError:
            if not report.refused:
                raise
        if report.refused and self.is_whole:
            raise RowsRefusedError(report)
        effect.report = report
        if not effect.is_empty:
            effect.facts += _warnings(report)
        return effect

    def may_choose(self, option: str, by: Any) -> bool:
        """Return True if this person may choose an option; None is the system, which may choose any."""
        permission = self.also_needs.get(option)
        return permission is None or by is None or by.has_perm(permission)

    def check_rights(self, asked: Mapping[str, Any], by: Any) -> None:
        """Raise ValidationError for an option that this person may not choose."""
        for option in self.also_needs:
            if asked[option] and not self.may_choose(option, by):
                label = self.form.base_fields[option].label
                raise ValidationError(
                    gettext("You aren’t allowed to choose “%(option)s”.") % {"option": label}
                )


def import_kinds(user: Any, of_list: str = "") -> list[ImportKind]:
    """Return the kinds of files that this person may upload.

    ``of_list``: only the kinds of this list, which is a model's label.
    """
    return [
        kind
        for kind in kinds()
        if isinstance(kind, ImportKind)
        and user.has_perm(kind.permission)
        and (not of_list or of_list in kind.lists)
    ]


def import_kind(name: str) -> ImportKind | None:
    """Return the kind of file with this name, or None."""
    kind = kind_of(name)
    return kind if isinstance(kind, ImportKind) else None


def bring(
    *, kind: ImportKind, source: str, content: bytes, options: Mapping[str, list[str]], by: Any
) -> FileImport:
    """Keep a file and ask the worker what it would do."""
    kept = keep_for_decision(content, source)
    with transaction.atomic():
        brought = FileImport.objects.create(
            kind=kind.name,
            parameters={**options, **{name: [value] for name, value in kept.items()}},
            source=kept["source"],
            brought_by=by,
            brought_at=timezone.now(),
        )
        ask_for_rehearsal(brought, by)
    return brought


def ask_for_rehearsal(brought: FileImport, by: Any, options: Mapping[str, list[str]] | None = None) -> None:
    """Ask the worker again: it died over the file, or the facts or the options have changed.

    ``options``: the new options of the form. Raises ValidationError for options that aren't valid or that
    this person may not choose.
    """
    with transaction.atomic():
        locked = _locked(brought)
        if options is not None:
            locked.parameters = _with_options(locked, options, by)
            locked.save(update_fields=["parameters"])
        if not may_be_rehearsed(locked):
            raise ValidationError(gettext("The file is being checked, or was already applied or discarded."))
        title = gettext("Check %(file)s") % {"file": locked.source}
        locked.job = enqueue(rehearse_file, title=title[:200], by=by, file_import=locked.pk)
        locked.change_set, locked.shown, locked.report = None, {}, {}
        locked.save(update_fields=["job", "change_set", "shown", "report"])
    brought.refresh_from_db()


def _with_options(brought: FileImport, options: Mapping[str, list[str]], by: Any) -> dict[str, list[str]]:
    """Return the parameters of a file with its options replaced by these."""
    kind = import_kind(brought.kind)
    if kind is None:
        raise ValidationError(gettext("This kind of file is no longer supported."))
    kept = {name: values for name, values in brought.parameters.items() if name not in options_of(kind)}
    parameters = {**kept, **options}
    form = kind.bind(parameters)
    if not form.is_valid():
        raise ValidationError(
            [
                f"{form.fields[name].label}: {fault}" if name in form.fields else fault
                for name, faults in form.errors.items()
                for fault in faults
            ]
        )
    kind.check_rights(form.cleaned_data, by)
    return parameters


def options_of(kind: ImportKind) -> list[str]:
    """Return the names of the options that people choose with a file of this kind."""
    fields = kind.form.base_fields
    return [name for name, field in fields.items() if not field.widget.is_hidden]


def may_be_rehearsed(brought: FileImport) -> bool:
    """Return True if the worker may be asked what the file would do, also after it died over the file."""
    if brought.is_looked_at:
        return brought.job is not None and is_lost(brought.job)
    return brought.may_be_dropped


def rehearse(brought: FileImport, tell: Callable[..., None]) -> None:
    """Find out what a file would do and keep that. Nothing in the file is stored."""
    report, fault, shown = FileReport(), "", {}
    kind = import_kind(brought.kind)
    if kind is None:
        raise ValidationError(gettext("This kind of file is no longer supported."))
    proposal = Proposal(kind=kind, parameters=brought.parameters, by=brought.brought_by)
    try:
        effect = preview(proposal, tell=tell)
        report = effect.report
        shown = {} if effect.is_empty else effect.shown()
    except RowsRefusedError as refusal:
        report, fault = refusal.report, refusal.messages[0]
    except ValidationError as refusal:
        fault = "\n".join(refusal.messages)
    refused = _by_line(report.refused)
    before, kept = (
        brought.refusals,
        keep(_refused_file((*kind.columns, *kind.optional), refused)) if refused else "",
    )
    found = {
        "read_as": report.read_as,
        "fault": fault,
        "said": report.said,
        "refused": len(refused),
        "groups": shown_groups(refused),
        "offers": report.offers,
        "remarks": len(report.remarks),
        "first_remarks": [str(one) for one in report.remarks[:NAMED]],
    }
    # Somebody may have dropped the file meanwhile.
    open_one = FileImport.objects.filter(pk=brought.pk, dropped_at=None)
    open_one.update(refusals=kept, shown=shown, report=found)
    brought.refresh_from_db()
    for name in filter(None, (before, kept)):
        discard_unless_wanted(name)


def apply(brought: FileImport, by: Any) -> ChangeSet:
    """Apply what the rehearsal has shown, or propose it. Raises ValidationError if there is nothing to do."""
    with transaction.atomic():
        locked = _locked(brought)
        if not locked.is_ready:
            raise ValidationError(gettext("Nothing to apply: the file was already applied or discarded."))
        proposal = Proposal(kind=kind_of(locked.kind), parameters=locked.parameters, by=by)
        locked.change_set = confirm(proposal, locked.shown)
        locked.save(update_fields=["change_set"])
    brought.refresh_from_db()
    return locked.change_set


def drop(brought: FileImport) -> None:
    """Drop a file of which nothing was stored. Raises ValidationError if it was applied or soon will be."""
    with transaction.atomic():
        locked = _locked(brought)
        if not locked.may_be_dropped:
            raise ValidationError(gettext("The file was already applied, or is about to be."))
        locked.dropped_at = timezone.now()
        locked.report, locked.shown = {}, {}
        locked.save(update_fields=["dropped_at", "report", "shown"])
    brought.refresh_from_db()
    for name in (*locked.parameters["upload"], *filter(None, [locked.refusals])):
        discard_unless_wanted(name)


@hourly
def forget_old_files(at: datetime) -> None:
    """Delete old uploads with their findings. Their change sets stay."""
    FileImport.objects.filter(brought_at__lt=at - KEPT).delete()


def has_ending(kind: ImportKind, source: str) -> bool:
    """Return True if the file name has an ending that this kind allows."""
    return PurePath(source).suffix.lower() in kind.endings


def _locked(brought: FileImport) -> FileImport:
    """Lock the row and return it as it is stored now."""
    return lock_row(FileImport.objects, brought.pk)


def _by_line(refused: list[Problem]) -> list[Problem]:
    return sorted(refused, key=lambda problem: problem.line)


def _refused_file(columns: tuple[str, ...], refused: list[Problem]) -> Iterator[bytes]:
    """Return the refused rows as a CSV file with line and reason. Corrected, it can be uploaded again."""
    rows = (one.cells(columns) for one in refused)
    return map(str.encode, csv_pieces((*columns, "line", "reason"), rows))


def _warnings(report: FileReport) -> Iterator[Fact]:
    """Yield warnings about the rows left out, and the remarks about what the file says but isn't used."""
    if number := len(report.refused):
        lines = "\n".join(map(str, _by_line(report.refused)))
        told = ngettext("%d refused row left out", "%d refused rows left out", number)
        digest = hashlib.sha256(lines.encode()).hexdigest()
        yield Fact("warnings", f"refused {digest}", told % number, after=str(number))
    yield from limited_warnings("remark", list(map(str, report.remarks)))


def limited_warnings(key: str, told: Sequence[str]) -> Iterator[Fact]:
    """Yield the first of many remarks, and a count of the rest."""
    for number, text in enumerate(told[:NAMED], 1):
        yield Fact("warnings", f"{key} {number}", text)
    if (more := len(told) - NAMED) > 0:
        said = ngettext("%d more remark", "%d more remarks", more)
        yield Fact("warnings", f"more {key}s", said % more, after=str(more))


@task(takes_context=True)
@repeatable
def rehearse_file(context: TaskContext, file_import: int) -> None:
    """Rehearse a file and store nothing of it."""
    with running(context) as work:
        brought = FileImport.objects.select_related("change_set").filter(pk=file_import).first()
        if brought is None or not brought.may_be_dropped:
            raise ValidationError(gettext("The file was already applied or discarded."))
        FileImport.objects.filter(pk=file_import).update(job=work.job)
        work.tell(0, None, gettext("Checking the file."))
        rehearse(brought, work.tell)
        page = reverse("admin:office_fileimport_change", args=(brought.pk,))
        work.add(gettext("Nothing has been stored yet."), (gettext("What this file would change"), page))


_VALUES: Final = re.compile(r"“[^”]*”|[0-9]+")
"""Parts of a reason that vary between rows with the same fault: names and numbers."""

_GROUPS: Final = 100
"""Maximum number of groups on a page."""

_ROWS: Final = 20
"""Maximum number of rows of a group on a page."""


@dataclass(slots=True)
class Refusals:
    """Rows rejected for the same reasons, in the order of their lines.

    ``option``: option of the import that would accept all of them, or "". ``about``: the names it would be
    used for.
    """

    option: str
    rows: list[Problem] = field(default_factory=list)
    about: set[str] = field(default_factory=set)

    def shown(self) -> dict[str, Any]:
        """Return what the page of a file shows of the group."""
        return {
            "option": self.option,
            "about": len(self.about),
            "number": len(self.rows),
            "rows": [str(one) for one in self.rows[:_ROWS]],
            "more": max(0, len(self.rows) - _ROWS),
        }


def grouped(refused: Iterable[Problem]) -> list[Refusals]:
    """Group rows by their reasons. The group with the first line comes first."""
    groups: dict[frozenset[str], Refusals] = {}
    for problem in refused:
        causes, option = _causes(problem)
        group = groups.setdefault(causes, Refusals(option))
        group.rows.append(problem)
        group.about.update(fault.about for fault in problem.faults if fault.option)
    return list(groups.values())


def shown_groups(refused: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return the groups as the page of a file shows them."""
    return [one.shown() for one in grouped(refused)[:_GROUPS]]


def _causes(problem: Problem) -> tuple[frozenset[str], str]:
    """Return what is wrong with a row, and the option that would accept it."""
    if not problem.faults:
        return frozenset((_VALUES.sub("", problem.reason),)), ""
    causes = frozenset(fault.option or _VALUES.sub("", fault.text) for fault in problem.faults)
    options = {fault.option for fault in problem.faults}
    return causes, options.pop() if len(options) == 1 else ""
