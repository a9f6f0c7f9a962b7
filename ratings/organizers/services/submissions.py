"""Sent files: organizers send, withdraw and confirm them, and appeal; the office takes or returns them.

Each function raises ValidationError with a translated message if it can't be done.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from foa.locking import lock_row
from ratings.formats.problems import file_name
from ratings.office.deciding import Proposal, confirm, preview
from ratings.office.decision_types import kind_of
from ratings.office.importing import ImportKind, bring
from ratings.office.models import ChangeSet, FileImport
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.checking import Found, check, check_report, check_round
from ratings.organizers.services.mails import Mail, send_mail
from ratings.otb.models import Tournament, TournamentReport
from ratings.otb.services.receiving import read_report

PER_DAY: Final = 50
"""Maximum number of files that are sent under one scope within a day."""


def send(
    *, scope: Scope, tournament: Tournament | None, by: Any, content: bytes, source: str, at: datetime
) -> Submission:
    """Send a file to the office. The sender gets a receipt by mail.

    The same file that waits already is sent once. Another one for the same tournament takes the place of the
    one that waits. The report isn't rated here: findings don't keep it from being sent. Raises FileFaults for
    a file that can't be read.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        stored = lock_row(Scope.objects, scope.pk)
        if stored.ended_at is not None:
            raise ValidationError(_("You can no longer send reports."))
        waiting = stored.submissions.filter(state=Submission.State.SENT)
        if same := waiting.filter(sha256=sha256).first():
            return same
        if stored.submissions.filter(sent_at__gt=at - timedelta(days=1)).count() >= PER_DAY:
            raise ValidationError(_("Too many files were sent today. Please send this one tomorrow."))
        facts: dict[str, Any] = {"team": stored.team}
        if stored.team is not None:
            check_round(stored.team, content)
        else:
            found = check_report(
                read_report,
                tournament=tournament,
                federation=stored.federation,
                content=content,
                source=source,
                at=at,
            )
            facts |= {
                "tournament": found.before,
                "name": found.tournament.name,
                "first_day": found.tournament.first_day,
                "federation": found.federation,
            }
            # A new tournament is known by its name and first day, as the office knows it.
            named = ("tournament",) if found.before else ("tournament", "name", "first_day")
            before = waiting.filter(**{name: facts[name] for name in named})
            before.update(state=Submission.State.WITHDRAWN, closed_at=at, handled_by=by)
            administrators = Scope.objects.administrators_of(facts["federation"], at.date())
            if administrators.filter(pk=stored.pk).exists():
                facts |= {"confirmed_at": at, "confirmed_by": by}
        submission = Submission.objects.create(
            scope=stored,
            source=file_name(source),
            content=content,
            sha256=sha256,
            sent_by=by,
            sent_at=at,
            **facts,
        )
        LogEntry.objects.log_actions(by.pk, [submission], ADDITION, change_message="Sent.")
        send_mail.enqueue(submission=submission.pk, what=Mail.SENT)
    return submission


def withdraw(submission: Submission, *, by: Any, at: datetime) -> None:
    """Withdraw a file that the office hasn't taken up yet."""
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        if stored.state != Submission.State.SENT:
            told = _("This report is %(state)s, so it can no longer be withdrawn.")
            raise ValidationError(told % {"state": stored.get_state_display()})
        stored.state, stored.closed_at, stored.handled_by = Submission.State.WITHDRAWN, at, by
        stored.save(update_fields=["state", "closed_at", "handled_by"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Withdrawn.")


def confirm_submission(submission: Submission, *, scope: Scope, by: Any, at: datetime) -> None:
    """B.02 9.3: confirm, as the federation's rating administrator, what an organizer has sent."""
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        if not Submission.objects.to_confirm(scope, at.date()).filter(pk=stored.pk).exists():
            raise ValidationError(_("This report isn’t waiting for your confirmation."))
        stored.confirmed_at, stored.confirmed_by = at, by
        stored.save(update_fields=["confirmed_at", "confirmed_by"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Confirmed.")


DECISION = "receive-appeal"


def has_waiting_appeal(tournament: Tournament) -> bool:
    """Return True if an appeal was sent and waits for the office to note it."""
    waiting = ChangeSet.objects.open().filter(kind=DECISION).values_list("parameters", flat=True)
    return any(asked.get("tournament") == [str(tournament.pk)] for asked in waiting)


def appeal(*, scope: Scope, tournament: Tournament, text: str, by: Any, at: datetime) -> ChangeSet:
    """Propose to note today's appeal. The office may confirm that after the seven days, too.

    Raises ValidationError if the tournament isn't refused, the days are over, or an appeal was sent already.
    """
    asked = {"tournament": [str(tournament.pk)], "appealed_on": [str(at.date())], "appeal": [text]}
    proposal = Proposal(kind=kind_of(DECISION), parameters=asked, by=by, waits=True)
    with transaction.atomic():
        if lock_row(Scope.objects, scope.pk).ended_at is not None:
            raise ValidationError(_("You can no longer send reports."))
        # Two organizers of one tournament wait for each other here.
        lock_row(Tournament.objects, tournament.pk)
        if has_waiting_appeal(tournament):
            raise ValidationError(_("An appeal has already been sent. We’ll decide on it."))
        return confirm(proposal, preview(proposal, at=at).shown())


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
        raise ValidationError(_("Say what the sender has to correct."))
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        _refuse_closed(stored)
        stored.state, stored.closed_at = Submission.State.RETURNED, at
        stored.handled_by, stored.reason = by, reason.strip()
        stored.save(update_fields=["state", "closed_at", "handled_by", "reason"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Returned.")
        send_mail.enqueue(submission=stored.pk, what=Mail.RETURNED)


def note_report(report: TournamentReport) -> None:
    """Mark open files as received that are this report of its tournament, however the office got it."""
    rows = Submission.objects.open().filter(sha256=report.sha256)
    of_tournament = rows.filter(Q(tournament=report.tournament_id) | Q(tournament=None, team=None))
    _receive(of_tournament, report.received_at, report.received_by, tournament=report.tournament)


def note_import(file_import: FileImport, at: datetime) -> None:
    """Mark the file as received from which the office has stored matches."""
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
        told = _("This report is %(state)s, so it can’t be changed.")
        raise ValidationError(told % {"state": submission.get_state_display()})
