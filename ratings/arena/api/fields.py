"""Fields that take the types of JSON as they are: 5 is no text, and "5" is no number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from ratings.formats.problems import readable


class TextField(serializers.CharField):
    """A text, and nothing that could be turned into one."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the text; raises ValidationError for another type."""
        if not isinstance(data, str):
            raise serializers.ValidationError(_("A text is expected."))
        return super().to_internal_value(data)


class WholeNumberField(serializers.IntegerField):
    """A whole number, not a text that shows one."""

    def to_internal_value(self, data: Any) -> int:
        """Return the number; raises ValidationError for another type."""
        if type(data) is not int:
            raise serializers.ValidationError(_("A whole number is expected."))
        return super().to_internal_value(data)


class TruthField(serializers.BooleanField):
    """true or false, and no word for them."""

    def to_internal_value(self, data: Any) -> bool:
        """Return it; raises ValidationError for another type."""
        if not isinstance(data, bool):
            raise serializers.ValidationError(_("true or false is expected."))
        return data


class StrictSerializer(serializers.Serializer[Any]):
    """An object with these fields and no other."""

    def to_internal_value(self, data: Any) -> Any:
        """Return what is said; raises ValidationError naming each field that the object doesn't have."""
        if isinstance(data, Mapping) and (unknown := [name for name in data if name not in self.fields]):
            known = _("This is not a field here. Known are %(names)s.") % {"names": ", ".join(self.fields)}
            raise serializers.ValidationError({readable(name[:40]): [known] for name in unknown})
        return super().to_internal_value(data)


def without_empty(serializer: serializers.Serializer[Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a serializer without optional fields that are empty."""
    return {name: value for name, value in answer.items() if value or serializer.fields[name].required}
