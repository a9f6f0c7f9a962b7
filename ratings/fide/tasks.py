"""Jobs of FIDE lists (see ``ratings.office.jobs``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date
from typing import Final

from django.contrib.admin.models import ADDITION
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from foa.repeatable import repeatable
from foa.text import utc
from ratings.fide.decisions.watch import told_watched
from ratings.fide.models import FideList
from ratings.fide.services.lists import ListDoubtful, Listeners, ListFile, ListImported, import_frl
from ratings.fide.services.watch import watched
from ratings.formats.frl import FideControl
from ratings.formats.problems import FileRefused, Problem, Remark
from ratings.office.jobs import Work, running
from ratings.office.uploads import taken

_NAMED: Final = 100
"""Maximum number of refused rows, and of remarks, on the page of the job."""


class _Named:
    """The reader's first hundred messages, and the number of all."""

    def __init__(self) -> None:
        self.count = 0
        self.named: list[str] = []

    def __call__(self, said: Problem | Remark) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.named.append(str(said))

    def tell(self, work: Work, heading: str) -> None:
        """Add a sentence to the outcome, then a line for each message."""
        if not self.count:
            return
        lines = [heading % {"count": self.count}, *self.named]
        if more := self.count - len(self.named):
            lines.append(gettext("… and %(more)d more.") % {"more": more})
        work.add("\n".join(lines))


def _tell_rows(work: Work, refused: _Named, remarks: _Named) -> None:
    refused.tell(work, ngettext("%(count)d row was refused:", "%(count)d rows were refused:", refused.count))
    remarks.tell(
        work,
        ngettext(
            "%(count)d remark on accepted rows:",
            "%(count)d remarks on accepted rows:",
            remarks.count,
        ),
    )


@task(takes_context=True)
@repeatable
def import_list(
    context: TaskContext, upload: str, source: str, month: str, control: str, force: bool
) -> None:
    """Put an uploaded FIDE list in force, all of it or nothing."""
    with running(context) as work, taken(upload) as stream:
        work.tell(0, None, gettext("Checking the file."))
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        stream.seek(0)
        refused, remarks = _Named(), _Named()
        try:
            with transaction.atomic():
                result = import_frl(
                    ListFile(
                        stream=stream,
                        source=source,
                        sha256=sha256,
                        period=date.fromisoformat(month),
                        control=FideControl(control) if control else None,
                    ),
                    at=timezone.now(),
                    by=work.job.asked_by,
                    force=force,
                    told=Listeners(refused=refused, remark=remarks, progress=_progress(work, control)),
                )
                _tell_imported(work, result)
                _tell_rows(work, refused, remarks)
        except FileRefused as refusal:
            _tell_rows(work, refused, remarks)
            told = gettext("The list was refused, and nothing was stored: %(reason)s.")
            if isinstance(refusal, ListDoubtful):
                told += " " + gettext(
                    "If it is the right file, import it again and tick “Import despite warnings”."
                )
            raise ValidationError(told % {"reason": refusal}) from refusal


def _progress(work: Work, control: str) -> Callable[[int], None]:
    """Return a function that reports how many rows were read, out of those of the last such list."""
    last = FideList.objects.filter(control=control).values_list("rows", flat=True).first()

    def tell(rows: int) -> None:
        doing = gettext(
            "Rows read so far: %(rows)s. They will be checked and stored once all have been read."
        )
        total = None if last is None or rows > last else last
        work.tell(rows, total, doing % {"rows": number_format(rows, force_grouping=True)})

    return tell


def _tell_imported(work: Work, result: ListImported) -> None:
    fide_list = result.fide_list
    links = [
        (gettext("List"), reverse("admin:fide_fidelist_change", args=(fide_list.pk,))),
        (gettext("All FIDE lists"), reverse("fide:lists")),
    ]
    named = {
        "list": fide_list,
        "moment": utc(fide_list.imported_at),
        "rows": fide_list.rows,
        "players": fide_list.rows - fide_list.refused,
        "refused": fide_list.refused,
        "controls": ", ".join(result.put_in_force),
        "added": fide_list.added,
        "changed": fide_list.changed,
        "removed": fide_list.removed,
    }
    if result.history_added:
        text = gettext(
            "%(list)s: the list was imported on %(moment)s. The ratings of %(members)d FIDE IDs "
            "registered since then were added to the members’ "
            "history."
        )
        watch = (gettext("First-rating check"), reverse("admin:fide_fidelist_watch"))
        work.add(text % {**named, "members": result.history_added}, *links, watch)
        return
    if not result.is_new:
        work.add(gettext("%(list)s: this file was already imported on %(moment)s.") % named, *links)
        return
    text = gettext("%(list)s: rows read: %(rows)d, players: %(players)d, rows refused: %(refused)d.")
    work.add(text % named, *links)
    if result.twice:
        text = ngettext(
            "%(twice)d of the refused rows repeats the FIDE ID of a row that was kept.",
            "%(twice)d of the refused rows repeat the FIDE ID of a row that was kept.",
            result.twice,
        )
        work.add(text % {"twice": result.twice})
    if result.put_in_force:
        text = gettext(
            "In force now for %(controls)s. Players added: %(added)d, changed: %(changed)d, removed: "
            "%(removed)d."
        )
        work.add(text % named, (gettext("Players"), reverse("fide:players")))
        announcing = f"{reverse('admin:fide_fidelist_announce')}?period={fide_list.period:%Y-%m}"
        work.add(
            gettext(
                "Next: first ratings for members who are waiting, then the month’s over-the-board changes."
            ),
            (gettext("Waiting for first ratings"), reverse("admin:fide_fidelist_waiting")),
            (gettext("Announce"), announcing),
        )
    else:
        work.add(gettext("A later list is in force, so this one was only added to the members’ history."))
    if watching := sum(1 for _one in watched(at=fide_list.imported_at)):
        watch = (gettext("First-rating check"), reverse("admin:fide_fidelist_watch"))
        work.add(told_watched(watching), watch)
    work.log(fide_list, ADDITION)
