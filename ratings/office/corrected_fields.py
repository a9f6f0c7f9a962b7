"""The fields that a correction changed: taking it back restores these alone, unless they changed again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from foa.said import gettext
from ratings.office.decision_types import Parameters


class _Replaced(forms.Field):
    """Hidden field for values that a correction replaces: each is a field, an equals sign and its text."""

    widget = forms.MultipleHiddenInput

    def __init__(self, fields: Collection[str]) -> None:
        super().__init__(required=False)
        self.fields = fields

    def to_python(self, value: Any) -> dict[str, str]:
        """Return the text by the name of the field; empty for no value."""
        return {name: text for name, _equals, text in (one.partition("=") for one in value or ())}

    def validate(self, value: Any) -> None:
        if not value.keys() <= set(self.fields):
            raise ValidationError(gettext("This no longer exists."))


def keep_others(form: Any, fields: Collection[str], parameters: Parameters) -> None:
    """Add ``replaces`` to the form of a correction: the fields to take back, while others stay as stored."""
    form.fields["replaces"] = replaces = _Replaced(fields)
    if own := replaces.to_python(parameters.get("replaces")):
        for name in set(fields) - own.keys():
            form.fields[name].disabled = True


def refuse_later(what: str, model: Any, stands: Parameters, own: Mapping[str, str]) -> None:
    """Raise ValidationError for fields that have changed since the correction that is taken back."""
    later = [name for name, text in own.items() if text_of(stands, name) != text]
    if later:
        fields = [str(model._meta.get_field(name).verbose_name) for name in later]
        told = gettext(
            "%(what)s has changed again since that correction: %(fields)s. Reverse the later correction "
            "first, or correct the values yourself."
        )
        raise ValidationError(told % {"what": what, "fields": ", ".join(fields)})


def to_take_back(was: Parameters, now: Parameters, fields: Iterable[str]) -> dict[str, list[str]]:
    """Return the parameters that take a correction back: what stood, and its own fields as they are."""
    own = [f"{name}={text_of(now, name)}" for name in fields if text_of(now, name) != text_of(was, name)]
    return {**was, "replaces": own}


def text_of(parameters: Parameters, name: str) -> str:
    """Return the only value of a parameter, or an empty text."""
    (text, *_more) = parameters.get(name) or [""]
    return text
