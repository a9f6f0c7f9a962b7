"""B.02 0.5: an organizer's appeal, which waits for the office as a proposal of its own decision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from foa.locking import lock_row
from ratings.office.deciding import Proposal, confirm, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.organizers.models import Scope
from ratings.otb.models import Tournament

DECISION = "receive-appeal"


def has_waiting_appeal(tournament: Tournament) -> bool:
    """Return True if an appeal was sent and waits for the office to note it."""
    waiting = ChangeSet.objects.open().filter(kind=DECISION).values_list("parameters", flat=True)
    return any(asked.get("tournament") == [str(tournament.pk)] for asked in waiting)


def appeal(*, scope: Scope, tournament: Tournament, text: str, by: Any, at: datetime) -> ChangeSet:
    """Propose to note the appeal of today. Somebody of the office confirms that, also after the seven days.

    Raises ValidationError if the tournament isn't refused, the days are over, or an appeal was sent already.
    """
    asked = {"tournament": [str(tournament.pk)], "appealed_on": [str(at.date())], "appeal": [text]}
    proposal = Proposal(kind=kind_of(DECISION), parameters=asked, by=by, waits=True)
    with transaction.atomic():
        if lock_row(Scope.objects, scope.pk).ended_at is not None:
            raise ValidationError(_("The office has ended your right to send reports here."))
        # Two organizers of one tournament wait for each other here.
        lock_row(Tournament.objects, tournament.pk)
        if has_waiting_appeal(tournament):
            raise ValidationError(_("An appeal was sent already. The office will decide about it."))
        return confirm(proposal, preview(proposal, at=at).shown())
