"""Two kinds of column: an exact rating and a category."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import ExpressionWrapper, F
from django.utils.translation import gettext_lazy as _

from ratings.labels import CATEGORY_NAMES
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.time_controls import Category

__all__ = ["CategoryField", "ComputedKeyField", "HundredthsField", "hundredths"]

if TYPE_CHECKING:
    _BigIntegerField = models.BigIntegerField[Any, Any]
    _IntegerField = models.IntegerField[Any, Any]
    _SmallIntegerField = models.PositiveSmallIntegerField[Any, Any]
else:
    _BigIntegerField = models.BigIntegerField
    _IntegerField = models.IntegerField
    _SmallIntegerField = models.PositiveSmallIntegerField


class HundredthsField(_IntegerField):
    """RBB 3.1: points with two decimals, a Decimal in Python and whole hundredths in the database.

    Integers are exact on every database, where SQLite would keep a decimal column as a binary float.
    """

    description = _("Points with two decimals, stored as hundredths")

    def from_db_value(self, value: int | None, expression: Any, connection: Any) -> Decimal | None:
        """Hundredths as points."""
        return None if value is None else from_hundredths(value)

    def to_python(self, value: Any) -> Decimal | None:
        """Points from what a form or a caller gives; raises ValidationError beyond two places."""
        if value is None or value == "":
            return None
        try:
            return from_hundredths(to_hundredths(Decimal(str(value))))
        except (InvalidOperation, ValueError):
            fault = _("“%(value)s” is not a number with at most two decimals (RBB 3.1).")
            raise ValidationError(fault, params={"value": value}) from None

    def get_prep_value(self, value: Any) -> int | None:
        """Points as hundredths."""
        points = self.to_python(value)
        return None if points is None else to_hundredths(points)

    def formfield(self, **kwargs: Any) -> Any:
        """A decimal input with two places."""
        return models.Field.formfield(
            self, **{"form_class": forms.DecimalField, "max_digits": 7, "decimal_places": 2, **kwargs}
        )


def hundredths(column: str) -> Any:
    """A column of points in a query as it is stored: whole hundredths, which the database counts with."""
    return ExpressionWrapper(F(column), models.IntegerField())


class ComputedKeyField(_BigIntegerField):
    """A primary key that follows from other columns, so that a rebuild gives every row the key it had."""

    description = _("Computed key")

    def db_type(self, connection: Any) -> str | None:
        """On SQLite a key of the type "integer" is the number of the row itself, any other one index more."""
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)


class CategoryField(_SmallIntegerField):
    """RBB 1.1: rapid, blitz or bullet."""

    description = _("Rating category")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["choices"] = [(category.value, name) for category, name in CATEGORY_NAMES.items()]
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        """Leave the choices to the rules, not to the migrations."""
        name, path, args, kwargs = super().deconstruct()
        del kwargs["choices"]
        return name, path, args, kwargs

    def from_db_value(self, value: int | None, expression: Any, connection: Any) -> Category | None:
        """The category of this number."""
        return None if value is None else Category(value)

    def to_python(self, value: Any) -> Category | None:
        """The category of a number from a form; raises ValidationError for any other."""
        number = super().to_python(value)
        try:
            return None if number is None else Category(number)
        except ValueError:
            fault = _("“%(value)s” is no category (RBB 1.1).")
            raise ValidationError(fault, params={"value": value}) from None
