"""What the worker does with FIDE lists and tournaments (see ``ratings.services.jobs``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Final

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from foa.web.text import utc
from ratings.fide.models import FideList, OtbList, Tournament
from ratings.fide.services.announcing import announce, undo_announcement
from ratings.fide.services.changes import NotAnnounced
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.fide.services.judging import NotPossible
from ratings.fide.services.lists import ListDoubtful, ListImported, import_frl
from ratings.fide.services.periods import Closing, NothingToClose, close_period
from ratings.fide.services.reports import Upload, receive
from ratings.fide.services.revisions import ratings_moved
from ratings.formats.frl import FideControl
from ratings.formats.problems import FileRefused, Problem
from ratings.rules.fide_b02_parts import Kind
from ratings.services.jobs import Work, running
from ratings.services.uploads import taken

__all__ = [
    "announce_list",
    "close_otb_period",
    "determine_waiting",
    "import_list",
    "replace_otb_report",
    "undo_list",
]

_NAMED: Final = 100
"""So many refused rows the page of the job names."""


class _Refused:
    """The rows that were refused: the first hundred, and how many there are."""

    def __init__(self) -> None:
        self.count = 0
        self.named: list[str] = []

    def __call__(self, problem: Problem) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.named.append(str(problem))

    def tell(self, work: Work) -> None:
        """One sentence, then a line for each."""
        if not self.count:
            return
        lines = [
            ngettext("%(count)d row is refused:", "%(count)d rows are refused:", self.count)
            % {"count": self.count},
            *self.named,
        ]
        if more := self.count - len(self.named):
            lines.append(gettext("… and %(more)d more.") % {"more": more})
        work.add("\n".join(lines))


@task(takes_context=True)
def import_list(
    context: TaskContext, upload: str, source: str, month: str, control: str, force: bool
) -> None:
    """Put an uploaded FIDE list in force, all of it or nothing."""
    with running(context) as work, taken(upload) as stream:
        work.tell(0, None, gettext("The file is looked at."))
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        stream.seek(0)
        refused = _Refused()
        try:
            with transaction.atomic():
                result = import_frl(
                    stream=stream, source=source, sha256=sha256, period=date.fromisoformat(month),
                    at=timezone.now(), control=FideControl(control) if control else None,
                    by=work.job.asked_by, force=force, on_refused=refused, progress=_progress(work, control),
                )  # fmt: skip
                _tell_imported(work, result)
                refused.tell(work)
        except FileRefused as refusal:
            refused.tell(work)
            told = gettext("The list was refused, and nothing was stored: %(reason)s.")
            if isinstance(refusal, ListDoubtful):
                told += " " + gettext(
                    "If it is the right file all the same, import it again and choose to go on although it"
                    " looks doubtful."
                )
            raise ValidationError(told % {"reason": refusal}) from refusal


@task(takes_context=True)
def announce_list(context: TaskContext, month: str) -> None:
    """RBB 3.15: add the over-the-board changes of a list, once."""
    period = date.fromisoformat(month)
    with running(context) as work, _answered(), transaction.atomic():
        result = announce(period=period, at=timezone.now(), by=work.job.asked_by)
        named = {"period": f"{period:%Y-%m}", "count": result.announcement.count}
        links = [(gettext("Changes"), f"{reverse('ratings:changes')}?kind=adjustment")]
        if not result.is_new:
            named["moment"] = utc(result.announcement.announced_at)
            work.add(gettext("%(period)s was announced on %(moment)s: nothing to do.") % named, *links)
            return
        text = ngettext(
            "%(period)s is announced: %(count)d adjustment.",
            "%(period)s is announced: %(count)d adjustments.",
            result.announcement.count,
        )
        work.add(text % named, *links)
        _tell_left(work, result.unrated, result.entered, result.contained)


@task(takes_context=True)
def undo_list(context: TaskContext, month: str) -> None:
    """Take back the adjustments of an announcement, these and no others."""
    period = date.fromisoformat(month)
    with running(context) as work, _answered(), transaction.atomic():
        count, summary = undo_announcement(period=period)
        text = ngettext(
            "%(period)s: %(count)d adjustment was taken back, and %(moved)d ratings moved.",
            "%(period)s: %(count)d adjustments were taken back, and %(moved)d ratings moved.",
            count,
        )
        work.add(text % {"period": f"{period:%Y-%m}", "count": count, "moved": len(summary.moved)})


@task(takes_context=True)
def determine_waiting(context: TaskContext) -> None:
    """RBB 3.4: first ratings for the members who wait for them."""
    with running(context) as work, transaction.atomic():
        result = determine_first_ratings(at=timezone.now())
        work.add(
            gettext(
                "Members looked up: %(members)d. First ratings given: %(openings)d. Members without any"
                " (RBB 3.5): %(unrated)d."
            )
            % {"members": result.members, "openings": len(result.openings), "unrated": result.unrated},
            (gettext("Changes"), f"{reverse('ratings:changes')}?kind=opening"),
        )
        for month, members in sorted(result.not_known.items()):
            text = gettext(
                "Still waiting: %(members)d full members since %(month)s. No complete FIDE list of that month"
                " or before was imported; import one, it only adds to the history."
            )
            work.add(text % {"members": members, "month": f"{month:%Y-%m}"})


@task(takes_context=True)
def close_otb_period(context: TaskContext, until: str) -> None:
    """B.02 7.13: rate the tournaments that were received in time, and publish their list."""
    with running(context) as work, transaction.atomic():

        def progress(done: int, total: int) -> None:
            doing = gettext("Tournaments rated: %(done)d of %(total)d. When all are, the list is written.")
            work.tell(done, total, doing % {"done": done, "total": total})

        try:
            closing = close_period(
                until=date.fromisoformat(until), at=timezone.now(), by=work.job.asked_by, progress=progress
            )
        except (NothingToClose, FileRefused) as refusal:
            told = gettext("There is nothing to close: %(reason)s.")
            raise ValidationError(told % {"reason": refusal}) from refusal
        _tell_closed(work, closing)


@task(takes_context=True)
def replace_otb_report(
    context: TaskContext,
    upload: str,
    sha256: str,
    source: str,
    tournament: int,
    kind: int | None,
    registered_on: str | None,
    skip_unknown_federations: bool,
) -> None:
    """Replace the report of a rated tournament, and rate its period and every later one again."""
    with running(context) as work, taken(upload) as stream, transaction.atomic():
        work.tell(0, None, gettext("The period of the tournament, and every later one, are rated again."))
        content = stream.read()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ValidationError(gettext("The file is not the one that was looked at. Nothing was stored."))
        target = Tournament.objects.filter(pk=tournament).first()
        if target is None:
            raise ValidationError(gettext("There is no such tournament any more."))
        brought = Upload(
            content=content, source=source, kind=None if kind is None else Kind(kind),
            registered_on=None if registered_on is None else date.fromisoformat(registered_on),
            skip_unknown_federations=skip_unknown_federations,
        )  # fmt: skip
        try:
            received = receive(brought, at=timezone.now(), by=work.job.asked_by, tournament=target)
        except (FileRefused, NotPossible) as refusal:
            told = gettext("Nothing was stored: %(reason)s")
            raise ValidationError(told % {"reason": refusal}) from refusal
        link = (gettext("Tournament"), target.get_absolute_url())
        if not received.is_new:
            work.add(gettext("It had this report already: nothing to do."), link)
            return
        work.add(gettext("%(tournament)s has its new report.") % {"tournament": received.tournament}, link)
        if received.tournament.status != Tournament.Status.RATED:
            work.add(
                gettext("With this report it cannot be rated, and counts for no list any more."),
                (gettext("Findings"), reverse("admin:fide_tournament_judge", args=(target.pk,))),
            )
        _tell_revised(work, received.revised)
        if not received.revised:
            work.add(gettext("No published list says anything else for it."))
        _log(work, received.tournament, CHANGE)


@contextmanager
def _answered() -> Iterator[None]:
    """What stands against an announcement is an answer of the job."""
    try:
        yield
    except NotAnnounced as refusal:
        raise ValidationError(f"{refusal}.") from refusal


def _progress(work: Work, control: str) -> Callable[[int], None]:
    """How many rows were read, of as many as the last such list had."""
    last = FideList.objects.filter(control=control).values_list("rows", flat=True).first()

    def tell(rows: int) -> None:
        doing = gettext("Rows read: %(rows)s. When all are, they are checked and stored.")
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
        "list": fide_list, "moment": utc(fide_list.imported_at), "rows": fide_list.rows,
        "players": fide_list.rows - fide_list.refused, "refused": fide_list.refused,
        "controls": ", ".join(result.put_in_force), "added": fide_list.added, "changed": fide_list.changed,
        "removed": fide_list.removed,
    }  # fmt: skip
    if not result.is_new:
        work.add(gettext("%(list)s: this file was imported on %(moment)s: nothing to do.") % named, *links)
        return
    text = gettext("%(list)s: %(rows)d rows read, %(players)d players, %(refused)d rows refused.")
    work.add(text % named, *links)
    if result.put_in_force:
        text = gettext(
            "In force now for %(controls)s: %(added)d players added, %(changed)d changed, %(removed)d"
            " removed."
        )
        work.add(text % named, (gettext("Players"), reverse("fide:players")))
        announcing = f"{reverse('admin:fide_fidelist_announce')}?period={fide_list.period:%Y-%m}"
        work.add(
            gettext("Next: first ratings for who waits, then the over-the-board changes of the month."),
            (gettext("Waiting for first ratings"), reverse("admin:fide_fidelist_waiting")),
            (gettext("Announce"), announcing),
        )
    else:
        work.add(gettext("A later list is in force: only the history of members was added to."))
    _log(work, fide_list, ADDITION)


def _tell_closed(work: Work, closing: Closing) -> None:
    otb_list = closing.otb_list
    named = {
        "list": otb_list, "rated": len(closing.rated), "players": otb_list.players,
        "new": otb_list.new_players, "delisted": otb_list.delisted,
    }  # fmt: skip
    text = gettext(
        "%(list)s is published. Tournaments rated: %(rated)d. Players: %(players)d, new: %(new)d, delisted:"
        " %(delisted)d."
    )
    work.add(text % named, (gettext("List"), otb_list.get_absolute_url()))
    for rated in closing.refused[:_NAMED]:
        tournament = rated.tournament
        told = (
            gettext("Refused: %(tournament)s.")
            if tournament.status == Tournament.Status.REFUSED
            else gettext("Not rated, it waits for the next list: %(tournament)s.")
        )
        work.add(
            told % {"tournament": tournament},
            (gettext("Findings"), reverse("admin:fide_tournament_judge", args=(tournament.pk,))),
        )
    if more := len(closing.refused[_NAMED:]):
        work.add(gettext("… and %(more)d more.") % {"more": more})
    if closing.revised:
        _tell_revised(work, closing.revised)
    _log(work, otb_list, ADDITION)


def _tell_revised(work: Work, revised: Iterable[OtbList]) -> None:
    for one in revised:
        moved = ratings_moved(one)
        text = ngettext(
            "%(list)s is published: %(moved)d rating moved.",
            "%(list)s is published: %(moved)d ratings moved.",
            moved,
        )
        work.add(text % {"list": one, "moved": moved}, (gettext("List"), one.get_absolute_url()))


def _log(work: Work, what: Model, flag: int) -> None:
    if by := work.job.asked_by:
        LogEntry.objects.log_actions(by.pk, [what], flag, change_message=work.job.title)


def _tell_left(work: Work, unrated: int, entered: int, contained: int) -> None:
    work.add(
        gettext(
            "Left as they are: %(unrated)d unrated, %(entered)d entered before, %(contained)d with a first"
            " rating of this list or a later one."
        )
        % {"unrated": unrated, "entered": entered, "contained": contained}
    )
