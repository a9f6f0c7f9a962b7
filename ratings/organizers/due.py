"""Files sent by organizers that wait for the office."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ratings.office.due import Due, finds_due
from ratings.organizers.models import Submission

_MOST: Final = 100


@finds_due(_("Sent reports"), "organizers.change_submission")
def reports_due(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the oldest files that this person may receive; a flood leaves room for other work."""
    waiting = Submission.objects.open().select_related("tournament", "team").defer("content").order_by("pk")
    if not user.has_perm("otb.receive_tournament"):
        waiting = waiting.filter(tournament=None, team__isnull=False)
    if not user.has_perm("league.add_board"):
        waiting = waiting.filter(team=None)
    for sent in waiting[:_MOST]:
        words = {"what": sent.what, "file": sent.source}
        yield Due(
            text=gettext("Report received: %(what)s, %(file)s") % words,
            button=ngettext("Review it", "Review them", 1),
            link=reverse("admin:organizers_submission_change", args=(sent.pk,)),
            at=sent.sent_at,
            mine=sent.handled_by_id == user.pk,
        )
