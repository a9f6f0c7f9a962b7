"""Model fields of the office: exact ratings, months, computed keys, and text ordered by its bytes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
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

    Integers are exact on every database; SQLite would store a decimal column as a binary float.
    """

    description = _("Points with two decimals, stored as hundredths")

    if TYPE_CHECKING:
        # Types that a model's constructor accepts: unlike other integer fields, also Decimal.
        _pyi_private_set_type: Any

    def from_db_value(self, value: Hundredths | None, expression: Any, connection: Any) -> Decimal | None:
        return points_or_none(value)

    def to_python(self, value: Any) -> Decimal | None:
        """Convert a value from a form or a caller to points. Raises ValidationError beyond two decimals."""
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
        """Return a decimal input with two decimals."""
        return models.Field.formfield(
            self, **{"form_class": forms.DecimalField, "max_digits": 7, "decimal_places": 2, **kwargs}
        )


def hundredths(column: str) -> Any:
    """Return a column of points as stored in a query: whole hundredths, which the database can add up."""
    return ExpressionWrapper(F(column), models.IntegerField())


def displayed_in(column: str) -> Any:
    """Return a column of points in a query as whole points, a half rounded upwards (RBB 3.12, 3.13).

    For ratings, which are positive: dividing, databases round towards 0.
    """
    return (hundredths(column) + 50) / 100


class MonthFormField(forms.DateField):
    """A month in a form. Any day of the month is accepted."""

    def to_python(self, value: Any) -> date | None:
        """Return the first day of the month. Raises ValidationError if the value isn't a date."""
        return first_of_month(super().to_python(value))


class MonthField(_DateField):
    """A month, such as the period of a list, stored as its first day. Any day of the month is accepted.

    Models with such a field add :func:`is_month` as a constraint, for writes that bypass Django.
    """

    description = _("Month, stored as its first day")

    def to_python(self, value: Any) -> date | None:
        """Return the first day of the month. Raises ValidationError if the value isn't a date."""
        return first_of_month(super().to_python(value))

    def pre_save(self, model_instance: models.Model, add: bool) -> date | None:
        """Set the attribute to the first day, so that the object shows what was stored."""
        month = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, month)
        return month

    def formfield(self, **kwargs: Any) -> Any:
        """Return a date input. Only the month counts."""
        return super().formfield(**{"form_class": MonthFormField, **kwargs})


class DayOfMonth(models.Func):
    """The day of the month of a date, in SQL that SQLite can also run without Django."""

    output_field = models.IntegerField()
    template = "CAST(EXTRACT(DAY FROM %(expressions)s) AS integer)"

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Take the last two characters of a date such as 2026-02-01."""
        template = "CAST(substr(%(expressions)s, 9, 2) AS integer)"
        return self.as_sql(compiler, connection, template=template, **extra)


def is_month(column: str) -> Any:
    """Return the condition of a constraint: all dates in the column are the first of a month."""
    return Exact(DayOfMonth(F(column)), 1)


def first_of_month(day: date | None) -> date | None:
    """Return the first day of the month of a date."""
    return day.replace(day=1) if day is not None else None


def user_field(
    verbose_name: Any, *, on_delete: Any = models.SET_NULL, **options: Any
) -> models.ForeignKey[Any, Any]:
    """Return a column for the login of who did something. By default the row outlives the login."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=on_delete,
        related_name="+",
        verbose_name=verbose_name,
        **options,
    )


class ComputedKeyField(_BigIntegerField):
    """A primary key computed from other columns, so that a rebuild gives every row the same key."""

    description = _("Computed key")

    def db_type(self, connection: Any) -> str | None:
        """Return the column type.

        On SQLite, a key of the type "integer" is the row id itself; any other type needs one more index.
        """
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)


class BytewiseField(_CharField):
    """Text ordered by its bytes on every database, so that one index serves order and prefix search."""

    def db_parameters(self, connection: Any) -> Any:
        """Set the collation C on PostgreSQL. SQLite orders by bytes anyway."""
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
