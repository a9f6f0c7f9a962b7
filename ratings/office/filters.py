"""Filters of the register."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter, NumberFilter

from foa.web.listing import ANY, OfficeFilterSet
from ratings.office.models import MovedRating, PublicReason


class RegisterFilter(OfficeFilterSet):
    """Filters of the list of decisions."""

    reason = ChoiceFilter(
        empty_label=ANY, label=_("Reason"), field_name="public_reason", choices=PublicReason.choices
    )


class MovedFilter(OfficeFilterSet):
    """Filters of the ratings that a decision moved."""

    least = NumberFilter(
        label=_("Moved by at least (points)"), min_value=0, max_value=4_000, method="filter_least"
    )

    def filter_least(self, queryset: QuerySet[MovedRating], name: str, value: Any) -> QuerySet[MovedRating]:
        """Keep ratings that moved at least this far, and those lost or gained."""
        far = int(100 * value)
        return queryset.filter(
            Q(before=None) | Q(after=None) | Q(after__gte=F("before") + far) | Q(after__lte=F("before") - far)
        )
