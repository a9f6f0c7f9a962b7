"""Cases that are due for staff."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from ratings.desk.models import Case
from ratings.office.due import ClosingStep, Due, Looked, finds_due, looks_at

_MOST: Final = 100


@finds_due(_("Cases"), "desk.handle_case", step=ClosingStep.CASES)
def cases_due(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the most urgent open cases that this person owns or could claim.

    Their number is limited, so that many cases leave room for other work.
    """
    for case in Case.objects.waiting_for(user)[:_MOST]:
        mine = case.owner_id == user.pk
        yield Due(
            text=f"{case}: {case.kind.case}",
            button=gettext("Work on it") if mine else gettext("Claim"),
            link=reverse("admin:desk_case_change", args=(case.pk,)),
            at=case.deadline,
            mine=mine,
        )


@looks_at(ClosingStep.CASES)
def cases_decided(month: datetime, now: datetime) -> Looked:
    """Say how many cases were decided since the month began."""
    decided = Case.objects.filter(state=Case.State.DECIDED, closed_at__gte=month)
    number = decided.count()
    text = ngettext(
        "%(number)d case decided since %(day)s; none is waiting for you.",
        "%(number)d cases decided since %(day)s; none is waiting for you.",
        number,
    )
    words = {"number": number, "day": date_text(month)}
    return Looked(number > 0, text % words)
