"""Forms of cases."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ratings.office.models import ChangeSet

_LONGEST: Final = 5_000


def _text(label: Any, rows: int = 4, **kwargs: Any) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=_LONGEST, widget=widget, **kwargs)


class ComplaintForm(forms.Form):
    """A member's complaint."""

    text = _text(_("What is wrong, and what would be right?"), rows=6)


class ReplyForm(forms.Form):
    """A member's further message."""

    text = _text(_("Message to the office"))


class AnswerForm(forms.Form):
    """A message of the office to the member."""

    prefix = "answer"
    text = _text(_("Message to the member"), help_text=_("The member reads this on their page and by mail."))


class NoteForm(forms.Form):
    """A note for staff alone."""

    prefix = "note"
    text = _text(_("Note for staff"), help_text=_("The member never sees this."))


class DecisionForm(forms.Form):
    """The decision of a case for three kinds of readers, and the change set that carried it out."""

    decision = _text(_("Decision"), help_text=_("For whoever opened the case, with the reasons."))
    public_reasons = _text(
        _("Public reasons"),
        required=False,
        help_text=_(
            "Everybody can read this on the page of the case and of its change set. Name nobody, and accuse"
            " nobody. Leave it empty to publish nothing."
        ),
    )
    staff_reasons = _text(_("Reasons for staff"), required=False, help_text=_("Never public."))
    change_set = forms.IntegerField(
        label=_("Change set"),
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text=_("The number of the change set that carried the decision out, if there is one."),
    )

    def clean_change_set(self) -> ChangeSet | None:
        """Require an applied change set that is in the register and wasn't undone."""
        number = self.cleaned_data["change_set"]
        if number is None:
            return None
        found = ChangeSet.objects.public().filter(pk=number).first()
        if found is None:
            told = _("Change set %(number)d isn't in the register. Is it applied?")
            raise ValidationError(told, params={"number": number})
        if found.undone_by.applied().exists():
            told = _("Change set %(number)d was taken back.")
            raise ValidationError(told, params={"number": number})
        return found
