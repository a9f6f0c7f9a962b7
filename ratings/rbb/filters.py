"""Filters of games, ledger lines, ratings and members."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django_filters import CharFilter, ChoiceFilter, DateFilter, ModelChoiceFilter, NumberFilter

from foa.moments import beginning_of, end_of
from foa.web.days import DayInput
from foa.web.listing import ANY, OfficeFilterSet
from foa.web.suggestions import SearchInput
from members.filters import FederationFilter, MemberTextFilter, TitleFilter, YesFilter
from members.models import Member, named
from members.models import MemberQuerySet as Members
from members.words import with_words_anywhere
from ratings.formats.game_details import MAX_EVENT_NAME
from ratings.office.publications import RevisionFilter
from ratings.rbb.labels import CATEGORY_NAMES, REASON_CHOICES
from ratings.rbb.ledger.activity import active, active_members
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.lists.top_lists import below_the_highest, members_near_a_title, near_a_title, unrated_members
from ratings.rbb.models import ArenaEvent, Game, TimeControl
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.games import STATES
from ratings.rbb.models.games import GameQuerySet as Games
from ratings.rbb.models.ledger import RatingChangeQuerySet as Changes
from ratings.rules.rbb.editions import K_PREVIOUSLY_UNRATED
from ratings.rules.time_controls import Category

_KINDS = [(kind.slug, kind.label) for kind in EventType]


def _whole_number(label: object, field: str, lookup: str, *, least: int = 0, most: int) -> NumberFilter:
    return NumberFilter(
        label=label, field_name=field, lookup_expr=lookup, min_value=least, max_value=most, decimal_places=0
    )


class _CategoryFilter(ChoiceFilter):  # type: ignore[misc]
    """A choice of one category."""

    def __init__(self, field_name: str = "category") -> None:
        choices = [(category.slug, name) for category, name in CATEGORY_NAMES.items()]
        super().__init__(field_name, empty_label=ANY, label=_("Category"), choices=choices)

    def filter(self, qs: Any, value: str) -> Any:
        return super().filter(qs, value and Category.from_slug(value))


class _DayFilter(DateFilter):  # type: ignore[misc]
    """A choice of rows from the first moment of a day (``gte``) or up to its last one (``lte``), UTC."""

    def __init__(self, field_name: str, lookup: str, label: object) -> None:
        super().__init__(field_name, lookup, label=label, widget=DayInput())

    def filter(self, qs: Any, value: date | None) -> Any:
        moment_of = beginning_of if self.lookup_expr == "gte" else end_of
        return super().filter(qs, value and moment_of(value))


def _one_member() -> ModelChoiceFilter:
    """Return a filter for exactly one member. Links set it, so it isn't a visible field."""
    return ModelChoiceFilter(
        queryset=Member.objects.all(), method="filter_player", widget=forms.HiddenInput(), label=_("Player")
    )


class GameFilter(OfficeFilterSet):
    member = MemberTextFilter(method="filter_member", pick="player")
    player = _one_member()
    category = _CategoryFilter("time_control__category")
    control = ModelChoiceFilter(
        empty_label=ANY,
        label=_("Time control"),
        queryset=TimeControl.objects.all(),
        field_name="time_control",
    )
    rated = ChoiceFilter(
        empty_label=ANY,
        label=_("Rated"),
        choices=[("yes", _("yes")), ("no", _("no, void or in progress"))],
        method="filter_rated",
    )
    state = ChoiceFilter(empty_label=ANY, label=_("Status"), choices=STATES, method="filter_state")
    result = ChoiceFilter(empty_label=ANY, label=_("Result"), choices=Game.Result.choices)
    since = _DayFilter("ended_at", "gte", _("Ended on or after"))
    until = _DayFilter("ended_at", "lte", _("Ended on or before"))
    event = ModelChoiceFilter(
        queryset=ArenaEvent.objects.all(),
        widget=forms.HiddenInput(),
        label=pgettext_lazy("of an arena", "Event"),
    )

    @property
    def subject(self) -> Any:
        """The one member or event to whose games a link has restricted the list."""
        event = self.form.cleaned_data.get("event") if self.is_bound and self.is_valid() else None
        return super().subject or event

    def filter_member(self, queryset: QuerySet[Game], name: str, value: str) -> QuerySet[Game]:
        members = Member.objects.matching(value).order_by()
        return queryset.filter(Q(white__in=members) | Q(black__in=members))

    def filter_player(self, queryset: QuerySet[Game], name: str, value: Member) -> QuerySet[Game]:
        """Keep games of this member, with either colour."""
        return queryset.filter(Q(white=value) | Q(black=value))

    def filter_rated(self, queryset: Games, name: str, value: str) -> Games:
        """Keep games that count, or those that don't."""
        if value == "yes":
            return queryset.counting()
        return queryset.filter(Q(rated=False) | Q(ended_at=None) | Q(voided_at__isnull=False))

    def filter_state(self, queryset: Games, name: str, value: str) -> Games:
        """Keep games that have ended, may be in progress now, or whose end wasn't reported."""
        return queryset.in_state(value, timezone.now())


class EventFilter(OfficeFilterSet):
    name = CharFilter(
        label=_("Name of the event"),
        max_length=MAX_EVENT_NAME,
        method="filter_name",
        widget=SearchInput("events"),
    )

    def filter_name(self, queryset: QuerySet[ArenaEvent], name: str, value: str) -> QuerySet[ArenaEvent]:
        """Keep events with all these words in their names, as the search finds them."""
        return with_words_anywhere(queryset, value)


class ChangeFilter(OfficeFilterSet):
    member = MemberTextFilter(method="filter_member", pick="player")
    player = _one_member()
    category = _CategoryFilter()
    kind = ChoiceFilter(empty_label=ANY, label=_("Kind"), choices=_KINDS, method="filter_kind")
    since = _DayFilter("occurred_at", "gte", _("From"))
    until = _DayFilter("occurred_at", "lte", _("Until"))
    reason = ChoiceFilter(empty_label=ANY, label=_("Reason"), choices=REASON_CHOICES)
    k = ChoiceFilter(
        empty_label=ANY,
        label="K",
        choices=[("40", _("40 (RBB 3.10.3)")), ("other", _("other than 40"))],
        method="filter_k",
    )
    # As lists and the scale take a month: its first midnight belongs to the one before.
    month = DateFilter(widget=forms.HiddenInput(), label=_("Month"), method="filter_month")

    def filter_member(self, queryset: Changes, name: str, value: str) -> Changes:
        return queryset.filter(member__in=Member.objects.matching(value).order_by())

    def filter_player(self, queryset: Changes, name: str, value: Member) -> Changes:
        return queryset.filter(member=value)

    def filter_kind(self, queryset: Changes, name: str, value: str) -> Changes:
        return queryset.of_kind(EventType[value.upper()])

    def filter_month(self, queryset: Changes, name: str, value: date) -> Changes:
        end = beginning_of(next_month(value))
        return queryset.filter(occurred_at__gt=beginning_of(value.replace(day=1)), occurred_at__lte=end)

    def filter_k(self, queryset: Changes, name: str, value: str) -> Changes:
        """Keep games at the K for new players, or games at any other K."""
        newcomers = Q(k=K_PREVIOUSLY_UNRATED)
        return queryset.filter(newcomers if value == "40" else Q(k__isnull=False) & ~newcomers)


class PublishedListFilter(OfficeFilterSet):
    """Filters for the lines of a published list, by the facts on the list and not by today's.

    Only names are searched among present and former ones, too.
    """

    member = MemberTextFilter(method="filter_member", pick="player")
    player = _one_member()
    federation = FederationFilter()
    title = TitleFilter()
    sex = ChoiceFilter(empty_label=ANY, label=_("Sex"), choices=Member.Sex.choices)
    born_from = _whole_number(_("Born in or after"), "birth_year", "gte", most=2100)
    born_until = _whole_number(_("Born in or before"), "birth_year", "lte", most=2100)
    games = _whole_number(_("Minimum number of rated games"), "games", "gte", most=1_000_000)
    active = YesFilter(_("Rated game in the last 12 months"), "filter_active")
    near = YesFilter(_("Near a title (up to 50 points below)"), "filter_near")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Exclude members who hide birth year and sex from filters by these, also on earlier lists."""
        found: QuerySet[Any] = super().filter_queryset(queryset)
        if not any(self.form.cleaned_data.get(name) for name in ("sex", "born_from", "born_until")):
            return found
        return found.exclude(member__in=Member.objects.filter(hides_birth=True).order_by().values("pk"))

    def filter_member(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Keep members by their present or former names; if none match, by the names on the list."""
        found = queryset.filter(member__in=Member.everybody.matching(value).order_by())
        return found if found.order_by().exists() else queryset.filter(named(value))

    def filter_player(self, queryset: QuerySet[Any], name: str, value: Member) -> QuerySet[Any]:
        """Keep the lines of this member, also those of an account that was merged into theirs since."""
        accounts = Member.everybody.filter(Q(pk=value.pk) | Q(merged_into=value)).order_by()
        return queryset.filter(member__in=accounts.values("pk"))

    def filter_active(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Keep members who played in the twelve months before the list."""
        return queryset.filter(year_games__gt=0)

    def filter_near(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        return queryset.filter(near_a_title(title="title"))


class LiveRatingFilter(PublishedListFilter):
    """Filters for a category's rated members now or, in ledger lines, ``as_of`` a moment."""

    def __init__(self, *args: Any, as_of: datetime | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.as_of = as_of
        for name in ("federation", "title", "sex", "born_from", "born_until"):
            self.filters[name].field_name = f"member__{self.filters[name].field_name}"

    def filter_member(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        return queryset.filter(member__in=Member.objects.matching(value).order_by())

    def filter_active(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Keep members who played in the twelve months before."""
        return active(queryset, self.as_of or timezone.now())

    def filter_near(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        rating = "after" if self.as_of else "rating"
        return queryset.filter(below_the_highest(rating), near_a_title(rating))


class ArchiveFilter(OfficeFilterSet):
    category = _CategoryFilter()
    # Dates have no year 0.
    year = _whole_number(_("Year"), "month", "year", least=1, most=2999)
    revisions = RevisionFilter()


class MemberFilter(OfficeFilterSet):
    """Filters for members, also by their ratings."""

    member = MemberTextFilter(method="filter_member")
    federation = FederationFilter()
    title = TitleFilter()
    sex = ChoiceFilter(empty_label=ANY, label=_("Sex"), choices=Member.Sex.choices)
    full = ChoiceFilter(
        empty_label=ANY,
        label=_("Full member now"),
        choices=[("yes", _("yes")), ("no", _("no"))],
        method="filter_full",
    )
    rated = ChoiceFilter(
        empty_label=ANY,
        label=_("Rated in"),
        choices=[
            ("rapid", _("Rapid")),
            ("blitz", _("Blitz")),
            ("bullet", _("Bullet")),
            ("none", _("no category (unrated)")),
        ],
        method="filter_rated",
    )

    active = YesFilter(_("Rated game in the last 12 months"), "filter_active")
    near = YesFilter(_("Near a title (up to 50 points below)"), "filter_near")

    def filter_queryset(self, queryset: Members) -> Members:
        """Filter; leave out members who hide their sex if the filter asks for one."""
        found: Members = super().filter_queryset(queryset)
        return found.filter(hides_birth=False) if self.form.cleaned_data.get("sex") else found

    def filter_member(self, queryset: Members, name: str, value: str) -> Members:
        return queryset.matching(value)

    def filter_full(self, queryset: Members, name: str, value: str) -> Members:
        """Return members who are, or aren't, full members now (RBB 2.1)."""
        full = Member.objects.full(at=timezone.now()).order_by()
        return queryset.filter(pk__in=full) if value == "yes" else queryset.exclude(pk__in=full)

    def filter_rated(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        """Return members with a rating in this category (RBB 1.1), or without any rating."""
        if value == "none":
            return unrated_members(queryset)
        return queryset.filter(ratings__category=Category.from_slug(value), ratings__rating__isnull=False)

    def filter_active(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        return active_members(queryset, timezone.now())

    def filter_near(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        return members_near_a_title(queryset)
