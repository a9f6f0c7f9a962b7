"""URL converters for categories, months and groups of a list. Importing this registers them."""

from __future__ import annotations

from datetime import date

from django.urls import register_converter

from ratings.rbb.lists.leaders import LEADERS
from ratings.rbb.lists.top_lists import GROUPS, Group, of_federation
from ratings.rules.time_controls import Category


class CategoryConverter:
    """A converter for ``rapid``, ``blitz`` or ``bullet`` in an address."""

    regex = "|".join(category.slug for category in Category)

    def to_python(self, value: str) -> Category:
        return Category.from_slug(value)

    def to_url(self, value: str) -> str:
        return value


class MonthConverter:
    """A converter for a month such as ``2026-11`` in an address, as its first day."""

    regex = "[12][0-9]{3}-(?:0[1-9]|1[0-2])"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        return f"{value:%Y-%m}"


class GroupConverter:
    """A converter for the name of a group of a list, such as ``women``, or a federation's code."""

    regex = "|".join((*GROUPS, "[A-Z]{3}"))

    def to_python(self, value: str) -> Group:
        return GROUPS.get(value) or of_federation(value)

    def to_url(self, value: str) -> str:
        return value


class LeadersConverter(GroupConverter):
    """A converter for the same, and ``top``, of live ratings."""

    regex = "|".join((*LEADERS, "[A-Z]{3}"))

    def to_python(self, value: str) -> Group:
        return LEADERS.get(value) or of_federation(value)


register_converter(CategoryConverter, "category")
register_converter(LeadersConverter, "leaders")
register_converter(GroupConverter, "group")
register_converter(MonthConverter, "month")
