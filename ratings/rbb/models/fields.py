"""Columns for categories, references of derived rows, and an index on a column that may be empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.time_controls import Category

if TYPE_CHECKING:
    _SmallIntegerField = models.PositiveSmallIntegerField[Any, Any]
else:
    _SmallIntegerField = models.PositiveSmallIntegerField


class CategoryField(_SmallIntegerField):
    """RBB 1.1: rapid, blitz or bullet."""

    description = _("Rating category")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["choices"] = [(category.value, name) for category, name in CATEGORY_NAMES.items()]
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        """Leave the choices out of migrations; they belong to the rules."""
        name, path, args, kwargs = super().deconstruct()
        del kwargs["choices"]
        return name, path, args, kwargs

    def from_db_value(self, value: int | None, expression: Any, connection: Any) -> Category | None:
        """Return the category of this number."""
        return None if value is None else Category(value)

    def to_python(self, value: Any) -> Category | None:
        """Return the category of a number from a form; raises ValidationError for any other."""
        number = super().to_python(value)
        try:
            return None if number is None else Category(number)
        except ValueError:
            fault = _("“%(value)s” isn't a category (RBB 1.1).")
            raise ValidationError(fault, params={"value": value}) from None


Set = TypeVar("Set")
Get = TypeVar("Get")


class UncheckedKey(models.ForeignKey[Set, Get]):
    """A foreign key of derived rows, without an index and without a constraint in the database.

    The inputs have the foreign keys; millions of rows derived at once don't need a second check.
    """

    def __init__(
        self, to: Any, on_delete: Any = models.PROTECT, related_name: str = "+", **kwargs: Any
    ) -> None:
        kwargs |= {"db_index": False, "db_constraint": False}
        super().__init__(to, on_delete, related_name, **kwargs)

    def deconstruct(self) -> Any:
        """Be a usual foreign key in migrations."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, kwargs


class EmptyFirstIndex(models.Index):
    """An index with the empty values of its first column first, on every database.

    PostgreSQL puts them last, and can't read such an index for a list that has them last when descending.
    """

    def create_sql(self, model: Any, schema_editor: Any, *args: Any, **kwargs: Any) -> Any:
        """Add the order to PostgreSQL's statement; SQLite has it by default, and no syntax for it."""
        if schema_editor.connection.vendor != "postgresql":
            return super().create_sql(model, schema_editor, *args, **kwargs)
        index = models.Index(*self.expressions, fields=self.fields, name=self.name, condition=self.condition)
        (first, _order), *others = index.fields_orders
        index.fields_orders = [(first, "NULLS FIRST"), *others]
        return index.create_sql(model, schema_editor, *args, **kwargs)
