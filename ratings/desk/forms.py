"""Forms of cases, and the texts that an officer's answers begin with."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from foa.account.language import language_of
from foa.text import number_in, utc
from ratings.desk.models import Case
from ratings.desk.services import cases as services
from ratings.office.models import ChangeSet

LARGEST_KEY: Final = 2**63 - 1
_LONGEST: Final = 5_000
_LISTED: Final = 10
"""Maximum number of change sets to choose from; others are found by their number."""


def _text(label: Any, rows: int = 4, **kwargs: Any) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=_LONGEST, widget=widget, **kwargs)


class ComplaintForm(forms.Form):
    """A member's complaint."""

    text = _text(_("What is wrong, and what should it be?"), rows=6)


class AskForLoginForm(forms.Form):
    """The request for a login of somebody who comes from the arena."""

    text = _text(
        _("Anything that helps us confirm it’s you"),
        required=False,
        help_text=_("For example your FIDE ID, or the email address we have for you."),
    )


class ReplyForm(forms.Form):
    """A member's further message."""

    text = _text(_("Message to the office"))


class AnswerForm(forms.Form):
    """A message of the office to the member."""

    prefix = "answer"
    text = _text(
        _("Message to the member"),
        help_text=_("The member can read this on their page, and gets it by email if we have an address."),
    )


class NoteForm(forms.Form):
    """A note for staff alone."""

    prefix = "note"
    text = _text(_("Note for staff"), help_text=_("The member never sees this."))


class DecisionForm(forms.Form):
    """The decision of a case for three kinds of readers, and the change set that carried it out."""

    decision = _text(
        _("Decision"), help_text=_("The person who opened the case will read this. Include the reasons.")
    )
    public_reasons = _text(
        _("Public reasons"),
        required=False,
        help_text=_(
            "Shown publicly on the case page and the change set page. Don’t name or accuse "
            "anybody. Leave blank to publish nothing."
        ),
    )
    staff_reasons = _text(_("Reasons (staff only)"), required=False, help_text=_("Never public."))
    change_set = forms.IntegerField(
        label=_("Change set with the correction"),
        required=False,
        min_value=1,
        max_value=LARGEST_KEY,
        widget=forms.RadioSelect,
        help_text=_("Change sets about this case, newest first. Open one to check it before you choose it."),
    )
    number = forms.IntegerField(
        label=_("Number of another change set"),
        required=False,
        min_value=1,
        max_value=LARGEST_KEY,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        help_text=_("Press “Find” to add it to the list above. It must be about this case."),
    )

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.case = case
        self.offer(self["change_set"].value())

    def offer(self, chosen: Any) -> None:
        """List the latest change sets about the case, and the chosen one."""
        listed = list(services.change_sets_about(self.case)[:_LISTED])
        number = number_in(str(chosen or ""))
        if number is not None and number not in [one.pk for one in listed]:
            with suppress(ValidationError):
                listed.insert(0, services.find_change_set(self.case, number))
        widget: Any = self.fields["change_set"].widget
        widget.choices = [
            ("", _("None needed")),
            *((one.pk, _linked(one)) for one in listed),
        ]

    def clean_change_set(self) -> ChangeSet | None:
        """Require a change set that may carry the decision out."""
        number = self.cleaned_data["change_set"]
        return None if number is None else services.find_change_set(self.case, number)

    def find(self) -> None:
        """Choose the change set whose number was typed, or say why it can't be chosen.

        Other errors are left out, since nothing is decided yet.
        """
        number = None if "number" in self.errors else self.cleaned_data["number"]
        for name in set(self.errors) - {"number"}:
            del self.errors[name]
        if number is None:
            return
        try:
            found = services.find_change_set(self.case, number)
        except ValidationError as refusal:
            self.add_error("number", refusal)
            return
        posted: Any = self.data.copy()  # type: ignore[attr-defined]  # what is posted is a QueryDict
        posted["change_set"], posted["number"] = str(found.pk), ""
        self.data = posted
        self.offer(found.pk)


class CorrectionForm(DecisionForm):
    """The corrected decision of a case. ``corrections``: how many there were when the form was opened."""

    corrections = forms.IntegerField(widget=forms.HiddenInput)


def _linked(change_set: ChangeSet) -> str:
    address = reverse("admin:office_changeset_change", args=(change_set.pk,))
    number, what = change_set.for_staff.split(" ", 1)
    applied = utc(change_set.applied_at) if change_set.applied_at else ""
    return format_html('<a href="{}">{}</a> {}, {}', address, number, what, applied)


class Answer(NamedTuple):
    """A template. ``name``: for the officer; ``text``: for the member, in their language."""

    name: str | Promise
    text: str | Promise


ANSWERS: Final = {
    "corrected": Answer(
        _("Corrected"),
        _(
            "Thank you for writing. You were right: we’ve corrected this and recalculated every "
            "rating that depended on it. The register shows what changed."
        ),
    ),
    "stands": Answer(
        _("Confirmed as correct"),
        _(
            "Thank you for writing. We’ve checked this and found no error, so nothing will change. The "
            "page of the rating change shows every step and the article behind it."
        ),
    ),
    "unproven": Answer(
        _("Not enough evidence"),
        _(
            "Thank you for writing. We don’t have enough evidence that this is wrong. If you have "
            "more, such as the moves or a screenshot, please reply here."
        ),
    ),
    "elsewhere": Answer(
        _("A matter for the arena"),
        _(
            "Thank you for writing. The arena decides about results and fair play. Please contact "
            "them; if they change the result, your rating will follow."
        ),
    ),
}
"""Templates by the word in the address of the page that decides."""


def answer_text(answer: Answer | None, case: Any) -> str:
    """Return the text of an answer in the language of whoever opened the case, or "" for no template."""
    if answer is None:
        return ""
    user = case.opener.user if case.opener is not None else None
    with translation.override(language_of(user) if user is not None else translation.get_language()):
        return str(answer.text)
