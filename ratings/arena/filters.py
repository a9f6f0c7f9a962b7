"""Filters of the API's lists. Members are named by username, controls in PGN notation."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import OfficeFilterSet
from members.models import Member
from ratings.arena.services.reconciling import STATES
from ratings.formats.controls import read_control
from ratings.formats.game_details import MAX_EVENT_ID
from ratings.formats.games import in_utc
from ratings.formats.problems import shown
from ratings.rbb.filters import ChangeFilter, GameFilter, LiveRatingFilter, MemberFilter, PublishedListFilter
from ratings.rbb.models import TimeControl
from ratings.rules.time_controls import MAX_WRITTEN, Control


def member_of_username(username: str) -> Member:
    """Return the member who has or had this username; raises ValidationError if there is none."""
    found = Member.objects.called(username)
    if found is None:
        raise ValidationError(gettext("No member has the username “%s”.") % username[:150])
    return found


class _UsernameField(forms.CharField):
    def clean(self, value: Any) -> Member | None:
        """Return the member, None without a username; raises ValidationError for an unknown one."""
        username = super().clean(value)
        return member_of_username(username) if username else None


class _UsernameFilter(CharFilter):
    """Filter for one member by username, in any case."""

    field_class = _UsernameField

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=150, **kwargs)


class _ControlField(forms.CharField):
    def clean(self, value: Any) -> Control | None:
        """Return the control, None without one; raises ValidationError for any other text."""
        text = super().clean(value)
        if not text:
            return None
        try:
            control = read_control(text)
        except ValueError as fault:
            raise ValidationError(str(fault)) from fault
        if control.written and not TimeControl.objects.filter(**control._asdict()).exists():
            told = gettext("No games have the time control “%s”. Write it as seconds and increment: 180+2.")
            raise ValidationError(told % text)
        return control


class _ControlFilter(CharFilter):
    """Filter for one time control, also one that isn't for rated games, as its server wrote it."""

    field_class = _ControlField


class AllGamesFilter(GameFilter):
    """Filters for games; ``player`` may have either colour."""

    player = _UsernameFilter(label=_("The username of a player"), method="filter_player")
    control = _ControlFilter(
        label=_("Time control, such as 180+2"), max_length=MAX_WRITTEN, method="filter_control"
    )
    event = CharFilter(
        label=_("The id of an event, such as arena/spring-2026"),
        max_length=MAX_EVENT_ID,
        field_name="event__external_id",
    )

    def filter_player(self, queryset: Any, name: str, value: Member) -> Any:
        """Keep this member's games, with either colour."""
        return queryset.filter(Q(white=value) | Q(black=value))

    def filter_control(self, queryset: Any, name: str, value: Control) -> Any:
        """Keep games with this control."""
        return queryset.filter(**{f"time_control__{name}": part for name, part in value._asdict().items()})


def moment_with_offset(text: str) -> datetime:
    """Return a moment in UTC; raises ValueError for one that doesn't say its offset from UTC."""
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError
    return in_utc(text)


class MomentField(forms.CharField):
    """A field for a moment with its offset from UTC."""

    def clean(self, value: Any) -> datetime | None:
        """Return the moment in UTC, None without one; raises ValidationError."""
        text = super().clean(value)
        try:
            return moment_with_offset(text) if text else None
        except ValueError:
            told = gettext("%(text)s isn’t a date and time with an offset, such as 2026-01-31T18:30:00Z.")
            raise ValidationError(told % {"text": shown(text)}) from None


class _MomentFilter(CharFilter):
    field_class = MomentField


class _OwnGamesForm(forms.Form):
    """A form that needs a moment for all games but those in progress, which are few."""

    def clean(self) -> dict[str, Any]:
        """Return the values; raises ValidationError without a moment."""
        asked = super().clean() or {}
        if asked.get("state", "playing") != "playing" and not (asked.get("since") or "since" in self.errors):
            told = gettext(
                "Add since=, such as since=2026-03-01T00:00:00Z. Only state=playing works without it."
            )
            raise ValidationError({"since": told})
        return asked


class OwnGamesFilter(OfficeFilterSet):
    """Filters for a server's games. Those that have ended may number in the millions: ``since`` is needed."""

    state = ChoiceFilter(
        label=_("Which games"),
        choices=[*((one, one) for one in STATES), ("all", "all")],
        method="filter_state",
        required=True,
    )
    since = _MomentFilter(
        label=_("Only games that ended at this time or later, and games in progress"),
        max_length=40,
        method="filter_since",
    )

    class Meta:
        form = _OwnGamesForm

    def filter_state(self, queryset: Any, name: str, value: str) -> Any:
        """Keep games in this state."""
        return queryset if value == "all" else queryset.filter(STATES[value])

    def filter_since(self, queryset: Any, name: str, value: datetime) -> Any:
        """Keep games that ended then or later, and those in progress."""
        return queryset.filter(Q(ended_at__gte=value) | Q(ended_at=None))


class AllChangesFilter(ChangeFilter):
    """Filters for the ledger lines of all members."""

    player = _UsernameFilter(label=_("The username of a member"), method="filter_player")


class HistoryFilter(ChangeFilter):
    """Filters for the ledger lines of the member in the address."""

    member = player = reason = k = month = None  # type: ignore[assignment]  # so a filter is left out


class MembersFilter(MemberFilter):
    """Filters for members; ``username`` ignores case and finds one member."""

    username = _UsernameFilter(label=_("Username"), method="filter_username")

    def filter_username(self, queryset: Any, name: str, value: Member) -> Any:
        """Keep this member."""
        return queryset.filter(pk=value.pk)


class LiveRatingsFilter(LiveRatingFilter):
    """Filters for the ratings of a category."""

    player = None  # so the filter is left out


class ListLinesFilter(PublishedListFilter):
    """Filters for the lines of a published list."""

    player = None  # so the filter is left out
