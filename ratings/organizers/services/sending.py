"""What organizers do with their files: send, withdraw and confirm them.

Each function raises ValidationError with a translated message if it can't be done.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from foa.locking import lock_row
from ratings.formats.problems import file_name
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.checking import check
from ratings.organizers.services.mails import Mail, send_mail
from ratings.otb.models import Tournament

PER_DAY: Final = 50
"""Maximum number of files that are sent under one scope within a day."""


def send(
    *, scope: Scope, tournament: Tournament | None, by: Any, content: bytes, source: str, at: datetime
) -> Submission:
    """Send a file to the office, which is told what it would find in it; the sender gets a receipt by mail.

    The same file that waits already is sent once. Another one for the same tournament takes the place of the
    one that waits. Raises FileFaults for a file that can't be read.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        stored = lock_row(Scope.objects, scope.pk)
        if stored.ended_at is not None:
            raise ValidationError(_("The office has ended your right to send reports here."))
        waiting = stored.submissions.filter(state=Submission.State.SENT)
        if same := waiting.filter(sha256=sha256).first():
            return same
        if stored.submissions.filter(sent_at__gt=at - timedelta(days=1)).count() >= PER_DAY:
            raise ValidationError(_("Too many files were sent within a day. Send this one tomorrow."))
        found = check(
            tournament=tournament,
            federation=stored.federation,
            team=stored.team,
            content=content,
            source=source,
            at=at,
        )
        name, first_day = found.named
        # A new tournament is known by its name and first day, as the office knows it.
        before = (
            waiting.filter(tournament=None, name=name, first_day=first_day)
            if found.stored is None
            else waiting.filter(tournament=found.stored.pk)
        )
        if stored.team_id is None:
            before.update(state=Submission.State.WITHDRAWN, closed_at=at, handled_by=by)
        of_administrator = Scope.objects.administrators_of(found.federation, at.date()).filter(pk=stored.pk)
        is_confirmed = of_administrator.exists()
        submission = Submission.objects.create(
            scope=stored,
            tournament=found.stored,
            name=name,
            first_day=first_day,
            federation=found.federation,
            team=stored.team,
            source=file_name(source),
            content=content,
            sha256=sha256,
            sent_by=by,
            sent_at=at,
            confirmed_at=at if is_confirmed else None,
            confirmed_by=by if is_confirmed else None,
        )
        LogEntry.objects.log_actions(by.pk, [submission], ADDITION, change_message="Sent.")
        send_mail.enqueue(submission=submission.pk, what=Mail.SENT)
    return submission


def withdraw(submission: Submission, *, by: Any, at: datetime) -> None:
    """Take a file back that the office hasn't taken up yet."""
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        if stored.state != Submission.State.SENT:
            told = _("This report is %(state)s, so it can’t be withdrawn any more.")
            raise ValidationError(told % {"state": stored.get_state_display()})
        stored.state, stored.closed_at, stored.handled_by = Submission.State.WITHDRAWN, at, by
        stored.save(update_fields=["state", "closed_at", "handled_by"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Withdrawn.")


def confirm(submission: Submission, *, scope: Scope, by: Any, at: datetime) -> None:
    """B.02 9.3: confirm, as the federation's rating administrator, what an organizer has sent."""
    with transaction.atomic():
        stored = lock_row(Submission.objects, submission.pk)
        if not Submission.objects.to_confirm(scope, at.date()).filter(pk=stored.pk).exists():
            raise ValidationError(_("This report doesn’t wait for your confirmation."))
        stored.confirmed_at, stored.confirmed_by = at, by
        stored.save(update_fields=["confirmed_at", "confirmed_by"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Confirmed.")
