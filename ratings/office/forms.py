"""Form fields for decisions, and conversion of values to parameters.

Objects are named by their keys, whatever is typed into an address. Values are text that is the same in every
language.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.text import utc_text
from foa.web.admin import is_value


class OneOf(forms.ModelChoiceField[Any]):
    """Hidden field for one object."""

    queryset: Any

    def __init__(self, queryset: QuerySet[Any], **kwargs: Any) -> None:
        gone = {"invalid_choice": _("This no longer exists.")}
        super().__init__(queryset, **{"widget": forms.HiddenInput, "error_messages": gone, **kwargs})

    def to_python(self, value: Any) -> Any:
        """Return the object. A key that the column can't hold finds none."""
        if value and not isinstance(value, self.queryset.model) and not is_value(_key(self.queryset), value):
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice")
        return super().to_python(value)


class SomeOf(forms.ModelMultipleChoiceField[Any]):
    """Hidden field for several objects."""

    def __init__(self, queryset: QuerySet[Any], **kwargs: Any) -> None:
        gone = {"invalid_choice": _("One of these no longer exists.")}
        super().__init__(queryset, **{"widget": forms.MultipleHiddenInput, "error_messages": gone, **kwargs})

    def clean(self, value: Any) -> QuerySet[Any]:
        """Return all of the objects; one that can't be found is an error."""
        if not all(is_value(_key(self.queryset), one) for one in value or ()):
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice")
        found: QuerySet[Any] = super().clean(value)
        return found


def _key(queryset: Any) -> Any:
    return queryset.model._meta.pk


def value_text(value: Any) -> str:
    """Convert a value to text that is the same in every language; "" for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return f"{value:.2f}" if isinstance(value, Decimal) else str(value)


def as_parameters(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Convert values to parameters: nothing for None and False, “on” for True, keys for objects."""
    return {
        name: ["on" if value is True else value_text(getattr(value, "pk", value))]
        for name, value in values.items()
        if value is not None and value is not False and value != ""
    }
