"""Filters of the API's lists. Members are named by username, controls in PGN notation."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import OfficeFilterSet
from members.models import Member
from ratings.formats.controls import read_control
from ratings.formats.game_details import MAX_EVENT_ID
from ratings.rbb.filters import ChangeFilter, GameFilter, MemberFilter
from ratings.rules.time_controls import MAX_WRITTEN


class AllGamesFilter(GameFilter):
    """Filters for games; ``player`` may have either colour."""

    player = CharFilter(label=_("The username of a player"), max_length=150, method="filter_username")
    control = CharFilter(
        label=_("Time control, such as 180+2"), max_length=MAX_WRITTEN, method="filter_control"
    )
    event = CharFilter(
        label=_("The id of an event, such as arena/spring-2026"),
        max_length=MAX_EVENT_ID,
        field_name="event__external_id",
    )

    def filter_username(self, queryset: Any, name: str, value: str) -> Any:
        """Keep this member's games, with either colour."""
        member = Member.objects.called(value)
        return queryset.none() if member is None else queryset.filter(Q(white=member) | Q(black=member))

    def filter_control(self, queryset: Any, name: str, value: str) -> Any:
        """Keep games with this control."""
        try:
            control = read_control(value)
        except ValueError:
            return queryset.none()
        return queryset.filter(**{f"time_control__{name}": part for name, part in control._asdict().items()})


class OwnGamesFilter(OfficeFilterSet):
    """Filters for a server's games. ``state`` is required, because ended games may number in the millions."""

    state = ChoiceFilter(
        label=_("Which games"), choices=[("playing", _("in progress"))], method="filter_state", required=True
    )

    def filter_state(self, queryset: Any, name: str, value: str) -> Any:
        """Keep games that have neither ended nor been voided."""
        return queryset.filter(ended_at=None, voided_at=None)


class HistoryFilter(ChangeFilter):
    """Filters for the ledger lines of the member in the address."""

    member = player = None  # type: ignore[assignment]  # so a filter is left out


class MembersFilter(MemberFilter):
    """Filters for members; ``username`` ignores case and finds one member."""

    username = CharFilter(label=_("Username"), max_length=150, method="filter_username")

    def filter_username(self, queryset: Any, name: str, value: str) -> Any:
        """Keep the member with this username."""
        member = Member.objects.called(value)
        return queryset.none() if member is None else queryset.filter(pk=member.pk)
