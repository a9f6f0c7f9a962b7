"""Columns of the office: exact ratings, months, keys that are computed, text in the order of its bytes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import ExpressionWrapper, F
from django.db.models.lookups import Exact
from django.utils.translation import gettext_lazy as _

from ratings.rules.rounding import from_hundredths, points_or_none, to_hundredths
from ratings.rules.units import Hundredths

if TYPE_CHECKING:
    _BigIntegerField = models.BigIntegerField[Any, Any]
    _CharField = models.CharField[Any, Any]
    _DateField = models.DateField[Any, Any]
    _IntegerField = models.IntegerField[Any, Any]
else:
    _BigIntegerField = models.BigIntegerField
    _CharField = models.CharField
    _DateField = models.DateField
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


class MonthFormField(forms.DateField):
    """A month in a form: any of its days is taken for the first."""

    def to_python(self, value: Any) -> date | None:
        """Its first day; raises ValidationError for what is no date."""
        return first_of_month(super().to_python(value))


class MonthField(_DateField):
    """A month, such as the period of a list: its first day, whichever of its days is written.

    The model that has one adds :func:`is_month` as a constraint, for what is written without Django.
    """

    description = _("Month, stored as its first day")

    def to_python(self, value: Any) -> date | None:
        """The first day of the month; raises ValidationError for what is no date."""
        return first_of_month(super().to_python(value))

    def pre_save(self, model_instance: models.Model, add: bool) -> date | None:
        """The object says afterwards what was stored."""
        month = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, month)
        return month

    def formfield(self, **kwargs: Any) -> Any:
        """A date, of which the month counts."""
        return super().formfield(**{"form_class": MonthFormField, **kwargs})


class DayOfMonth(models.Func):
    """Which day of its month a date is, in words that SQLite knows without Django too."""

    output_field = models.IntegerField()
    template = "CAST(EXTRACT(DAY FROM %(expressions)s) AS integer)"

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """The end of 2026-02-01."""
        template = "CAST(substr(%(expressions)s, 9, 2) AS integer)"
        return self.as_sql(compiler, connection, template=template, **extra)


def is_month(column: str) -> Any:
    """The condition of a constraint: the column has first days of months and no other dates."""
    return Exact(DayOfMonth(F(column)), 1)


def first_of_month(day: date | None) -> date | None:
    """The first day of the month in which a day lies."""
    return day.replace(day=1) if day is not None else None


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
