"""The one-off change of 1 March 2024 for players below 2000, as a decision on one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from foa.web.days import DayInput
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact
from ratings.otb.decisions.base import OtbKind, chapter_field, moves_of_revisions, revisions_of
from ratings.otb.models import OtbList
from ratings.otb.services.publishing import NothingToClose, raise_ratings


class RaisingForm(forms.Form):
    """Which list the change is made on."""

    chapter = chapter_field()
    list_day = forms.DateField(
        label=_("List of"),
        widget=DayInput(),
        help_text=_(
            "A list that the office has published. FIDE made the change on its list of 1 March 2024."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Find the list; raises ValidationError if the office has not published it."""
        cleaned = super().clean() or {}
        if {"chapter", "list_day"} <= cleaned.keys():
            lists = OtbList.objects.in_chapter(cleaned["chapter"]).published()
            cleaned["otb_list"] = lists.latest_of(cleaned["list_day"])
            if cleaned["otb_list"] is None:
                raise ValidationError(gettext("The office has not published a list of this day."))
        return cleaned


class _OfRaising(OtbKind):
    """A decision about the one-off change."""

    permission = "otb.close_otblist"
    form = RaisingForm
    as_job = True
    back = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the list."""
        return str(asked["otb_list"])

    def apply(self, decision: Decision) -> Effect:
        """Revise the list, and every later one that this changes."""
        asked = decision.asked
        try:
            lists = raise_ratings(asked["otb_list"], at=decision.at, by=decision.by, back=self.back)
        except NothingToClose as refusal:
            raise ValidationError(
                gettext("Nothing to change: %(reason)s.") % {"reason": refusal}
            ) from refusal
        revised = revisions_of(lists)
        slug, day = asked["chapter"].slug, asked["list_day"].isoformat()
        pair = ("yes", "no") if self.back else ("no", "yes")
        fact = Fact("inputs", f"raised {slug} {day}", gettext("One-off change of March 2024"), *pair)
        other = "raise-ratings" if self.back else "take-back-raise"
        return Effect(
            moves=moves_of_revisions(revised),
            facts=[fact, *(one.fact for one in revised)],
            outcome=[one.told for one in revised],
            objects=[*lists],
            undo=(other, {"chapter": [slug], "list_day": [day]}),
        )


@register
class RaiseRatings(_OfRaising):
    """Raise ratings below 2000 by 0.40 × (2000 − rating), rounded half up, as FIDE did on 1 March 2024."""

    name = "raise-ratings"
    title = _("Raise ratings below 2000 once, as FIDE did in March 2024")
    register_title = _("Ratings below 2000 raised once, as FIDE did in March 2024")
    button = _("Raise the ratings and revise the list")


@register
class TakeBackRaise(_OfRaising):
    """Take the one-off change back."""

    name = "take-back-raise"
    title = _("Take back the one-off change of ratings below 2000")
    register_title = _("One-off change of ratings below 2000 reversed")
    button = _("Take back and revise the list")
    back = True
