"""The form of the answers. docs/json.md explains the fields, which have the same names as in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers

from foa.list_rows import Column, Kind, ListRows
from members.exporting import MEMBERS
from members.models import AccountClosure, Member
from ratings.rbb.lists.lines import Standing, standings_of
from ratings.rbb.serializers import CategoryField, exact


class RowSerializer(serializers.Serializer[Sequence[Any]]):
    """A row of a list: the values of the fields in their order, as the list's files have them."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        # Lines of lists that were published earlier end before the newest fields.
        return dict(zip(self.fields, instance, strict=False))


_FIELDS: Final[Mapping[Kind, Callable[..., serializers.Field[Any, Any, Any, Any]]]] = {
    Kind.TEXT: serializers.CharField,
    Kind.WHOLE: serializers.IntegerField,
    Kind.EXACT: exact,
    Kind.MOMENT: serializers.DateTimeField,
    Kind.DAY: serializers.DateField,
    Kind.MONTH: partial(serializers.RegexField, "^[0-9]{4}-[0-9]{2}$"),
    Kind.YES_OR_NO: serializers.BooleanField,
}


@cache
def row_serializer(name: str, rows: ListRows) -> Any:
    """Return the serializer of a list's rows. ``name``: that of a row in the schema."""
    fields = {one: _field(column) for one, column in rows.columns.items()}
    return type(name, (RowSerializer,), {**fields, "__doc__": rows.about})


def _field(column: Column) -> serializers.Field[Any, Any, Any, Any]:
    options = {"allow_null": column.null, "allow_blank": column.blank, "help_text": column.help}
    given: dict[str, Any] = {name: value for name, value in options.items() if value}
    if column.added_later:
        given["required"] = False
    if column.choices:
        return serializers.ChoiceField(list(column.choices), **given)
    return _FIELDS[column.kind](**given)


class StandingSerializer(serializers.Serializer[Standing]):
    """Where a member stands in a category."""

    category = CategoryField()
    rating = serializers.IntegerField(
        source="displayed", allow_null=True, help_text="As it is displayed; null while unrated."
    )
    exact = exact(source="rating", allow_null=True)
    games = serializers.IntegerField()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class ClosureSerializer(serializers.Serializer[AccountClosure]):
    """When an account is closed for rated play: from its first moment up to, not including, its last."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields; one of their names is a Python keyword."""
        return {
            "from": serializers.DateTimeField(source="closed_from"),
            "until": serializers.DateTimeField(
                source="closed_until", allow_null=True, help_text="null: without an end."
            ),
            "reason": serializers.ChoiceField(AccountClosure.Category.values, source="category"),
        }


class MemberDetailsSerializer(row_serializer("MemberRow", MEMBERS)):  # type: ignore[misc]  # made from the list
    """A member, and where they stand in each category in which they have played."""

    url = serializers.CharField(help_text="The address of the page.")
    full_member = serializers.BooleanField(help_text="Whether they are a full member now (RBB 2.1).")
    closures = ClosureSerializer(many=True, help_text="Rated games that start then are void.")
    standings = StandingSerializer(many=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        (row,) = MEMBERS.of(Member.objects.filter(pk=instance.pk))
        is_full = Member.objects.full(at=timezone.now()).filter(pk=instance.pk).exists()
        closures = ClosureSerializer(instance.closures.order_by("closed_from"), many=True)
        standings = StandingSerializer(standings_of([instance.pk])[instance.pk], many=True)
        found: dict[str, Any] = super().to_representation(
            (*row, instance.get_absolute_url(), is_full, closures.data, standings.data)
        )
        return found
