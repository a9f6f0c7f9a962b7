"""The ledger anew from the inputs, and late facts that changed ratings without a decision."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from foa.text import date_text
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact
from ratings.rbb.decisions.base import LedgerKind, categories_field, effect_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.ledger.late_facts import LATE_FACTS
from ratings.rbb.ledger.replay import replay
from ratings.rbb.ledger.summaries import Cause


class ReplayForm(forms.Form):
    category = categories_field()


@register
class ReplayLedger(LedgerKind):
    """Decision to rewrite the rows of ledger and ratings that don't match the inputs."""

    name = "replay-ledger"
    title = _("Rebuild ratings from the games")
    register_title = _("Ratings rebuilt from the games")
    button = _("Rebuild")
    permission = "ratings.change_game"
    form = ReplayForm
    as_job = True

    def subject(self, asked: Mapping[str, Any]) -> str:
        return ", ".join(category.slug for category in asked["category"])

    def apply(self, decision: Decision) -> Effect:
        """Replay each category; do nothing if every row is right."""
        effect = Effect()
        for done, category in enumerate(decision.asked["category"]):
            decision.tell(done, len(decision.asked["category"]), str(CATEGORY_NAMES[category]))
            summary = replay(categories=(category,))
            one = effect_of(summary)
            effect.moves += one.moves
            effect.facts += one.facts
            if summary.differences:
                told = ngettext(
                    "%(category)s: %(number)d row of ledger and ratings changes",
                    "%(category)s: %(number)d rows of ledger and ratings change",
                    summary.differences,
                ) % {"category": CATEGORY_NAMES[category], "number": summary.differences}
                effect.facts.append(
                    Fact("inputs", f"ledger {category.slug}", told, after=str(summary.differences))
                )
        return effect


_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)


@register
class LateFacts(LedgerKind):
    """Games or other facts that arrived late, or behind a published list, and changed ratings."""

    name = LATE_FACTS
    title = _("Late results and changes")
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
            return gettext("File %(file)s: %(what)s, the oldest from %(day)s") % words
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
