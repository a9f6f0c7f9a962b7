"""Columns of the office: exact ratings, keys that are computed, and text in the order of its bytes."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import ExpressionWrapper, F
from django.utils.translation import gettext_lazy as _

from ratings.rules.rounding import from_hundredths, points_or_none, to_hundredths
from ratings.rules.units import Hundredths

if TYPE_CHECKING:
    _BigIntegerField = models.BigIntegerField[Any, Any]
    _CharField = models.CharField[Any, Any]
    _IntegerField = models.IntegerField[Any, Any]
else:
    _BigIntegerField = models.BigIntegerField
    _CharField = models.CharField
    _IntegerField = models.IntegerField


class HundredthsField(_IntegerField):
    """RBB 3.1: points with two decimals, a Decimal in Python and whole hundredths in the database.

    Integers are exact on every database, where SQLite would keep a decimal column as a binary float.
    """

    description = _("Points with two decimals, stored as hundredths")

    if TYPE_CHECKING:
        # What a model's constructor takes: a Decimal too, unlike other integer fields.
        _pyi_private_set_type: Any

    def from_db_value(self, value: Hundredths | None, expression: Any, connection: Any) -> Decimal | None:
        return points_or_none(value)

    def to_python(self, value: Any) -> Decimal | None:
        """Points from what a form or a caller gives; raises ValidationError beyond two places."""
        if value is None or value == "":
            return None
        try:
            return from_hundredths(to_hundredths(Decimal(str(value))))
        except (InvalidOperation, ValueError):
            fault = _("“%(value)s” is not a number with at most two decimals (RBB 3.1).")
            raise ValidationError(fault, params={"value": value}) from None

    def get_prep_value(self, value: Any) -> Hundredths | None:
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


class BytewiseField(_CharField):
    """Text ordered by its bytes on every database, so that one index serves order and prefix."""

    def db_parameters(self, connection: Any) -> Any:
        """SQLite orders so by itself, PostgreSQL under the collation C."""
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
