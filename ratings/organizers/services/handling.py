"""What the office does with sent files: take them up and return them; and what follows from its decisions.

Each function raises ValidationError with a translated message if it can't be done.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from foa.locking import lock_row
from ratings.office.decision_types import kind_of
from ratings.office.importing import ImportKind, bring
from ratings.office.models import FileImport
from ratings.organizers.models import Submission
from ratings.organizers.services.checking import Found, check
from ratings.organizers.services.mails import Mail, send_mail
from ratings.otb.models import Tournament, TournamentReport

IMPORT = "import-rounds"
"""The kind of file of a league's matches."""


def found_in(submission: Submission) -> Found:
    """Return what the office finds in a sent file now. Raises FileFaults.

    A new tournament is registered on the day on which its report was sent (B.02 0.4).
    """
    return check(
        tournament=submission.tournament,
        # Of a tournament that is known, the office decides what its report may change.
        federation=submission.federation if submission.tournament_id is None else "",
        team=submission.team,
        content=bytes(submission.content),
        source=submission.source,
        at=submission.sent_at,
    )


def take(submission: Submission, *, by: Any) -> Submission:
    """Take a file up: the sender can no longer withdraw it. Matches of a league are left to the worker."""
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        _refuse_closed(stored)
        stored.state, stored.handled_by = Submission.State.TAKEN, by
        if stored.team is not None:
            kind = kind_of(IMPORT)
            if not isinstance(kind, ImportKind):
                raise ValidationError(_("This kind of file is no longer supported."))
            if stored.file_import is None or not stored.file_import.may_be_dropped:
                stored.file_import = bring(
                    kind=kind,
                    source=stored.source,
                    content=bytes(stored.content),
                    options={"season": [str(stored.team.season_id)]},
                    by=by,
                )
        stored.save(update_fields=["state", "handled_by", "file_import"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Taken up.")
    return stored


def give_back(submission: Submission, *, reason: str, by: Any, at: datetime) -> None:
    """Return a file to its sender with a reason, which they get by mail."""
    if not reason.strip():
        raise ValidationError(_("Write what the sender has to correct."))
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        _refuse_closed(stored)
        stored.state, stored.closed_at = Submission.State.RETURNED, at
        stored.handled_by, stored.reason = by, reason.strip()
        stored.save(update_fields=["state", "closed_at", "handled_by", "reason"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Returned.")
        send_mail.enqueue(submission=stored.pk, what=Mail.RETURNED)


def note_report(report: TournamentReport) -> None:
    """Let every open file be received that is this report of its tournament, however the office got it."""
    rows = Submission.objects.open().filter(sha256=report.sha256)
    of_tournament = rows.filter(Q(tournament=report.tournament_id) | Q(tournament=None, team=None))
    _receive(of_tournament, report.received_at, report.received_by, tournament=report.tournament)


def note_import(file_import: FileImport, at: datetime) -> None:
    """Let the file be received from which the office has stored matches."""
    rows = Submission.objects.open().filter(file_import=file_import.pk)
    _receive(rows, at, file_import.brought_by)


def _receive(rows: Any, at: datetime, by: Any, **more: Any) -> None:
    received = {"state": Submission.State.RECEIVED, "closed_at": at, "handled_by": by, **more}
    for key in rows.values_list("pk", flat=True):
        # Somebody may have returned or withdrawn it since.
        if Submission.objects.open().filter(pk=key).update(**received):
            send_mail.enqueue(submission=key, what=Mail.RECEIVED)


def tell_of_lists() -> None:
    """Tell senders once that the tournament of their report was rated, and for which list."""
    rated = Submission.objects.filter(
        state=Submission.State.RECEIVED,
        tournament__status=Tournament.Status.RATED,
        tournament__report__sha256=F("sha256"),
    )
    untold = rated.filter(Q(told_for=None) | ~Q(told_for=F("tournament__rated_for")))
    for sent in untold.select_related("tournament").defer("content"):
        with transaction.atomic():
            same = Submission.objects.filter(pk=sent.pk, told_for=sent.told_for)
            if same.update(told_for=sent.tournament.rated_for if sent.tournament else None):
                send_mail.enqueue(submission=sent.pk, what=Mail.RATED)


def _refuse_closed(submission: Submission) -> None:
    if not submission.is_open:
        told = _("This report is %(state)s: nothing more can be done with it.")
        raise ValidationError(told % {"state": submission.get_state_display()})
