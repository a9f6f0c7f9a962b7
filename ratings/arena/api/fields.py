"""Fields that insist on JSON types: 5 isn't a text, and "5" isn't a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from ratings.formats.problems import readable

RATING_PATTERN: Final = r"^(([1-9][0-9]{2}|[1-3][0-9]{3})(\.[0-9]{1,2})?|4000(\.0{1,2})?)$"
"""Exact ratings from 100 to 4000, such as 1500.00."""


class TextField(serializers.CharField):
    """A field for text. Other types aren't converted."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the text; raises ValidationError for another type."""
        if not isinstance(data, str):
            raise serializers.ValidationError(_("This must be text."))
        return super().to_internal_value(data)


class WholeNumberField(serializers.IntegerField):
    """A field for whole numbers. Numbers in text aren't accepted."""

    def to_internal_value(self, data: Any) -> int:
        """Return the number; raises ValidationError for another type."""
        if type(data) is not int:
            raise serializers.ValidationError(_("This must be a whole number."))
        return super().to_internal_value(data)


class TruthField(serializers.BooleanField):
    """A field for true or false. Words for them aren't accepted."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the value; raises ValidationError for another type."""
        if not isinstance(data, bool):
            raise serializers.ValidationError(_("This must be true or false."))
        return data


class StrictSerializer(serializers.Serializer[Any]):
    """An object that has these fields only."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the values; raises ValidationError naming each unknown field."""
        if isinstance(data, Mapping) and (unknown := [name for name in data if name not in self.fields]):
            known = _("This field doesn’t exist here. The fields are %(names)s.") % {
                "names": ", ".join(self.fields)
            }
            raise serializers.ValidationError({readable(name[:40]): [known] for name in unknown})
        return super().to_internal_value(data)


class WithoutEmpty(serializers.Serializer[Any]):
    """An answer without optional fields that are empty."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        answer = super().to_representation(instance)
        return {name: value for name, value in answer.items() if value or self.fields[name].required}
