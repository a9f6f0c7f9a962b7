"""Forms of organizers for files and appeals."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.office.uploads import content_of
from ratings.organizers.services.checking import MOST_OF_REPORT, MOST_OF_ROUND


class FileForm(forms.Form):
    """A file to check. ``most``: bytes that it may have."""

    file = forms.FileField(label=_("File"), max_length=200, allow_empty_file=True)

    def __init__(self, *args: Any, is_round: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most = MOST_OF_ROUND if is_round else MOST_OF_REPORT
        self.fields["file"].help_text = (
            gettext("The boards of a round as CSV, at most 1 MB.")
            if is_round
            else gettext("A tournament report (TRF16 or TRF26), at most 8 MB.")
        )

    def clean_file(self) -> Any:
        """Refuse a file that is too large; the reader says what else is wrong with it."""
        file = self.cleaned_data["file"]
        if file.size > self.most:
            told = _("The file is larger than %(most)d MB. Choose a smaller one.")
            raise ValidationError(told, params={"most": self.most >> 20})
        return file


class CheckedFileForm(forms.Form):
    """A file that was checked and is kept until it is sent."""

    upload = forms.CharField(max_length=32, widget=forms.HiddenInput)
    sha256 = forms.CharField(max_length=64, widget=forms.HiddenInput)
    source = forms.CharField(max_length=255, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """Read the file; raise ValidationError if it has expired."""
        kept = super().clean() or {}
        if not self.errors:
            kept["content"] = content_of(kept["upload"], kept["sha256"])
        return kept


class AppealForm(forms.Form):
    """B.02 0.5: an appeal, in the organizer's words."""

    text = forms.CharField(
        label=_("Appeal"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_("Shown publicly on the tournament’s page."),
    )
