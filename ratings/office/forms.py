"""Form fields for decisions, and conversion of values to parameters.

Objects are named by their keys, whatever is typed into an address. Values are text that is the same in every
language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext_lazy as _

from foa.locking import lock_rows
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


def lock_named(form: forms.BaseForm) -> bool:
    """Lock the rows that a valid form names, table by table; return whether it names any."""
    keys: defaultdict[type[Model], set[Any]] = defaultdict(set)
    for name, field in form.fields.items():
        if isinstance(field, forms.ModelChoiceField) and (named := form.cleaned_data.get(name)):
            rows = named if isinstance(field, forms.ModelMultipleChoiceField) else [named]
            for row in rows:
                keys[type(row)].add(row.pk)
    # Members before their games and lists, as everywhere.
    for model in sorted(keys, key=lambda one: one._meta.label):
        lock_rows(model._base_manager.only("pk"), keys[model])
    return bool(keys)


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
