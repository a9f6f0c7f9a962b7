"""Updating ledger and ratings to match the inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from foa.said import ngettext
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact
from ratings.rbb.decisions.base import LedgerKind, categories_field, effect_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.ledger.replay import replay


class ReplayForm(forms.Form):
    category = categories_field()


@register
class ReplayLedger(LedgerKind):
    """Decision to rewrite the rows of ledger and ratings that don't match games, openings and adjustments."""

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
