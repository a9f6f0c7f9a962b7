"""Entries of the register for late facts that moved ratings without a decision."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from foa.text import date_text
from ratings.office.decision_types import Parameters, register
from ratings.rbb.decisions.base import LedgerKind
from ratings.rbb.ledger.causes import Cause
from ratings.rbb.ledger.late_facts import LATE_FACTS

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)


@register
class LateFacts(LedgerKind):
    """Games or other facts that arrived late, or behind a published list, and moved ratings."""

    name = LATE_FACTS
    title = _("Late facts")
    button = ""
    permission = "office.no_such_right"
    is_decided = False

    def public_heading(self, parameters: Parameters) -> str:
        """Say what arrived, from where and how late."""
        told = {name: values[0] for name, values in parameters.items()}
        number = int(told["number"])
        day = date_text(datetime.fromisoformat(told["since"]))
        if told["cause"] == Cause.REBUILD:
            return gettext("Ratings rebuilt from the games")
        if told["cause"] == Cause.FACTS:
            what = ngettext("%d rating or change", "%d ratings or changes", number) % number
        else:
            what = ngettext("%d game", "%d games", number) % number
        if "file" in told:
            words = {"file": told["file"], "what": what, "day": day}
            return gettext("File %(file)s: %(what)s, the oldest of %(day)s") % words
        words = {"what": what, "late": _late(timedelta(seconds=int(told["late"])))}
        if "server" in told:
            words["server"] = told["server"]
            return gettext("%(what)s of server %(server)s, %(late)s") % words
        return gettext("%(what)s, %(late)s") % words


def _late(late: timedelta) -> str:
    """Say how late, in whole days or hours, rounded up."""
    if late > _DAY:
        days = -(-late // _DAY)
        return ngettext("up to %d day late", "up to %d days late", days) % days
    hours = max(1, -(-late // _HOUR))
    return ngettext("up to %d hour late", "up to %d hours late", hours) % hours
