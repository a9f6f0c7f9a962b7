"""Columns and keys of projections. Keys are derived from what a row is about: a rebuild gives the same."""

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
from django.db import models


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
            fault = _("“%(value)s” isn’t a category (RBB 1.1).")
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


_KIND_SHIFT = 50
_RANK_SHIFT = 35


class EventType(models.IntegerChoices):
    """Kinds of events in the ledger, in the order in which events of the same moment are processed."""

    OPENING = 0, _("Starting rating")
    ADJUSTMENT = 1, _("Over-the-board adjustment")
    GAME = 2, _("Game")

    @property
    def slug(self) -> str:
        """Name in addresses, files and JSON."""
        return self.name.lower()


def change_id(kind: EventType, event_id: int, black: bool = False, *, tie_rank: int = 0) -> int:
    """Return the key of a ledger row: its kind, the game's tie rank, its event, and White before Black.

    So an event has one row for each member, a rebuild gives every row the same key, and the order of events
    (moment, kind, tie rank, event) is the order of (occurred_at, id). ``event_id`` stays below 2**34 and
    ``tie_rank`` below 2**15, so the key stays below 2**53 and is exact in JavaScript as well.
    """
    return (kind << _KIND_SHIFT) + (tie_rank << _RANK_SHIFT) + 2 * event_id + black


def keys_of_kind(kind: EventType) -> range:
    """Return the range of keys for rows of this kind."""
    return range(kind << _KIND_SHIFT, (kind + 1) << _KIND_SHIFT)


def kind_of(row_id: int) -> EventType:
    """Return the kind of this row's event."""
    return EventType(row_id >> _KIND_SHIFT)


def event_key(row_id: int) -> int:
    """Return the key of the first row of this row's event: White's, if it is a game."""
    return row_id & ~1


def event_id(row_id: int) -> int:
    """Return the id of the input that is this row's event."""
    return (row_id & ((1 << _RANK_SHIFT) - 1)) >> 1


def tie_rank_of(row_id: int) -> int:
    """Return the tie rank of the game of this row; 0 for other events."""
    return (row_id & ((1 << _KIND_SHIFT) - 1)) >> _RANK_SHIFT


def is_black(row_id: int) -> bool:
    """Return whether a game's row is Black's; the other player's key differs only in this bit."""
    return bool(row_id & 1)


def rating_id(member_id: int, category: Category) -> int:
    """Return the key of a member's ``Rating`` row in a category."""
    return 4 * member_id + category
