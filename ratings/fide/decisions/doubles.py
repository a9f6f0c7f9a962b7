"""RBB 3.4, 3.15: choosing one of several ratings that a FIDE list gives one FIDE ID."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from members.models import Member
from ratings.fide.decisions.watch import watch_warning
from ratings.fide.models import CONTROL_NAMES, DoubleRating
from ratings.fide.services.doubles import choose
from ratings.fide.services.watch import watched
from ratings.formats.frl import FideControl
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.rbb.decisions.base import LedgerKind


class RowForm(forms.Form):
    row = OneOf(DoubleRating.objects.select_related("fide_list"))


class _OfRow(LedgerKind):
    """A decision about the ratings of one FIDE ID in one list."""

    permission = "fide.import_fidelist"
    form = RowForm
    asks_reason = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the FIDE ID, the control and the list."""
        row = asked["row"]
        return f"{row.fide_id}, {row.control}, {row.fide_list.period:%Y-%m}"

    def effect(self, row: DoubleRating, chosen: DoubleRating | None) -> Effect:
        """Choose a row or none. Differences that follow for members wait for a rating officer."""
        before = DoubleRating.objects.beside(row).filter(is_chosen=True).select_related("fide_list").first()
        if before == chosen:
            raise ValidationError(gettext("This is decided already."))
        choose(chosen, row)
        words = {"fide_id": row.fide_id, "control": CONTROL_NAMES[FideControl(row.control)]}
        label = gettext("FIDE ID %(fide_id)d, %(control)s: rating (line of the file)") % words
        key = f"double {row.fide_list_id} {row.fide_id} {row.control}"
        facts = [Fact("inputs", key, label, *("" if one is None else _text(one) for one in (before, chosen)))]
        members = Member.objects.filter(fide_id=row.fide_id)
        if differing := sum(1 for _one in watched(at=timezone.now(), members=members)):
            facts.append(watch_warning(differing))
        return Effect(
            facts=facts,
            objects=[row],
            undo=("take-back-double-rating", {"row": [str(row.pk)]})
            if before is None
            else ("choose-double-rating", {"row": [str(before.pk)]}),
        )


def _text(row: DoubleRating) -> str:
    return f"{row.rating} ({row.line})"


@register
class ChooseDoubleRating(_OfRow):
    """Decision that one of the ratings counts."""

    name = "choose-double-rating"
    title = _("Choose a rating that a FIDE list gives twice")
    register_title = _("Rating chosen that a FIDE list gives twice")
    button = _("Choose this rating")

    def apply(self, decision: Decision) -> Effect:
        row = decision.asked["row"]
        effect = self.effect(row, row)
        told = gettext("FIDE ID %(fide_id)d: the rating %(rating)d counts.")
        effect.outcome = [Sentence(told % {"fide_id": row.fide_id, "rating": row.rating})]
        return effect


@register
class TakeBackDoubleRating(_OfRow):
    """Decision that withdraws the choice. A rating may still count because a later list has it."""

    name = "take-back-double-rating"
    title = _("Take back the choice of a rating that a FIDE list gives twice")
    register_title = _("Choice of a rating that a FIDE list gives twice reversed")
    button = _("Take the choice back")

    def apply(self, decision: Decision) -> Effect:
        row = decision.asked["row"]
        effect = self.effect(row, None)
        told = gettext("FIDE ID %(fide_id)d: none of its ratings in this list is chosen.")
        effect.outcome = [Sentence(told % {"fide_id": row.fide_id})]
        return effect
