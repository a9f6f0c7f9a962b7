"""Figures of lists and months, as pages show them: distributions, leaders, months, records; the calendar."""

from __future__ import annotations

from datetime import UTC, date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from foa.text import number_in
from ratings.arena.api.lists import CATEGORY, LIST, MONTH, in_group, published_or_404
from ratings.arena.api.public_pages import PublicView, in_path
from ratings.office.due import Dated, coming_dates
from ratings.rbb.edition_words import amendment_text
from ratings.rbb.lists.distribution import Distribution, list_distribution, live_distribution
from ratings.rbb.lists.files import list_facts
from ratings.rbb.lists.leaders import LEADERS, leaders
from ratings.rbb.lists.report import CategoryRecords, all_records
from ratings.rbb.lists.top_lists import Group
from ratings.rbb.models import Rating, RatingChange, RatingList, RatingListEntry, RuleEdition
from ratings.rbb.serializers import CategoryField, PlayerSerializer, Text, Whole, address, exact, or_null
from ratings.rbb.views.months import InCategory, month_in_review
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category


class BandSerializer(serializers.Serializer[Any]):
    """A 50-point band of a distribution."""

    lowest = serializers.IntegerField(help_text="Displayed ratings, including both limits.")
    highest = serializers.IntegerField()
    members = serializers.IntegerField()


class DistributionSerializer(serializers.Serializer[Any]):
    """The distribution of the ratings on a list."""

    category = CategoryField()
    as_of = serializers.DateTimeField()
    month = serializers.CharField(
        allow_null=True, help_text="Month of the published list; null for live ratings."
    )
    revision = serializers.IntegerField(allow_null=True)
    federation = serializers.CharField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)
    checksum = serializers.CharField(allow_null=True)
    members = serializers.IntegerField()
    median = serializers.IntegerField(
        allow_null=True,
        help_text="The displayed rating that half of the members have or exceed; null if there are no "
        "members.",
    )
    bands = BandSerializer(many=True)
    rating = serializers.IntegerField(allow_null=True, help_text="The rating you asked about.")
    percentile = serializers.IntegerField(
        allow_null=True, help_text="Share of members with a lower rating, in whole per cent, rounded down."
    )


_HIGHEST_ASKED = 9999
_RATING = OpenApiParameter(
    "rating",
    {"type": "integer", "minimum": 0, "maximum": _HIGHEST_ASKED},
    description="A displayed rating; `percentile` says where it ranks.",
)


class LiveDistributionView(PublicView):
    """The distribution of the live ratings of a category."""

    @extend_schema(
        operation_id="live_distribution",
        summary="The distribution of the live ratings",
        description="Updated about once a minute, less often for a long list.",
        parameters=[CATEGORY, _RATING],
        responses=DistributionSerializer,
    )
    def get(self, request: Request, category: Category) -> Response:
        """The figures on the list's distribution page."""
        return _distribution(request, live_distribution(category), category)


class ListDistributionView(PublicView):
    """The distribution of the ratings on a published list."""

    @extend_schema(
        operation_id="list_distribution",
        summary="The distribution of the ratings on a published list",
        parameters=[*LIST, _RATING],
        responses=DistributionSerializer,
    )
    def get(self, request: Request, category: Category, month: date, revision: int) -> Response:
        """The figures on the list's distribution page."""
        published = published_or_404(category, month, revision)
        return _distribution(request, list_distribution(published), category, published)


def _distribution(
    request: Request, found: Distribution, category: Category, published: RatingList | None = None
) -> Response:
    text = request.query_params.get("rating", "")
    asked = number_in(text, 4)
    if text and asked is None:
        told = _("Use a whole number from 0 to %(most)d.")
        raise ValidationError({"rating": told % {"most": _HIGHEST_ASKED}})
    moment = published.as_of if published else timezone.now()
    answer = list_facts(category, moment, published) | {
        "members": found.members,
        "median": found.median,
        "bands": found.bands,
        "rating": asked,
        "percentile": None if asked is None else found.percentile(asked),
    }
    return Response(DistributionSerializer(answer | {"category": category}).data)


class LeaderSerializer(serializers.Serializer[Rating]):
    """A member of a group of leaders, with their rank in it."""

    rank = serializers.IntegerField()
    member = PlayerSerializer()
    federation = Text(source="member.federation", value=or_null, allow_null=True)
    rating = serializers.IntegerField(source="displayed")
    change = exact(default=None, allow_null=True, help_text="For `improved`: the gain in the last 30 days.")
    games = serializers.IntegerField(
        source="period_games",
        default=None,
        allow_null=True,
        help_text="For `active`: games in the last 30 days.",
    )
    exact = exact(source="rating")


class GroupLeadersSerializer(serializers.Serializer[Any]):
    """The top hundred of a group by live rating."""

    category = CategoryField()
    group = serializers.CharField()
    leaders = LeaderSerializer(many=True)


class LeadersView(PublicView):
    """The first hundred of a group."""

    @extend_schema(
        operation_id="leaders",
        summary="The live leaders of a group, with ranks",
        description=(
            "`top` ranks all members; `improved` and `active` are for the last 30 days. Updated about "
            "once a minute. Members whose accounts are closed are left out."
        ),
        parameters=[
            CATEGORY,
            in_group("top", LEADERS),
        ],
        responses=GroupLeadersSerializer,
    )
    def get(self, request: Request, category: Category, group: Group) -> Response:
        """Return the rows of the page."""
        found = leaders(category, group, timezone.now())
        answer = {"category": category, "group": group.slug, "leaders": found}
        return Response(GroupLeadersSerializer(answer).data)


class UpsetSerializer(serializers.Serializer[RatingChange]):
    """A win against a higher-rated opponent; both ratings are those before the game."""

    change = Text(source="*", value=address, help_text="The address of the winner’s line of the ledger.")
    member = PlayerSerializer()
    rating = exact(source="before")
    opponent = PlayerSerializer(allow_null=True)
    opponent_rating = exact()
    difference = exact()


class BusiestDaySerializer(serializers.Serializer[tuple[date, int]]):
    """A day and the number of rated games that ended on it."""

    day = serializers.DateField()
    games = serializers.IntegerField()

    def to_representation(self, instance: tuple[date, int]) -> dict[str, Any]:
        return {"day": instance[0].isoformat(), "games": instance[1]}


class MovedSerializer(serializers.Serializer[RatingListEntry]):
    """A member on the list at the end of the month, and the change since the previous list."""

    member = PlayerSerializer()
    rating = serializers.IntegerField(source="displayed")
    change = serializers.IntegerField()


class ActiveSerializer(serializers.Serializer[RatingListEntry]):
    """A member on the list at the end of the month, and their games in the period."""

    member = PlayerSerializer()
    rating = serializers.IntegerField(source="displayed")
    games = serializers.IntegerField(source="period_games")


class CategoryMonthSerializer(serializers.Serializer[InCategory]):
    """A month in a category, according to the list at its end."""

    category = CategoryField(source="published.category")
    list = Text(
        source="published", value=lambda one: one.get_absolute_url(), help_text="Address of the list."
    )
    members = serializers.IntegerField(source="published.members")
    games = serializers.IntegerField(help_text="Rated games that ended in the month.")
    new = serializers.IntegerField(
        source="report.new.count", help_text="Members who weren’t on any earlier list."
    )
    left = serializers.IntegerField(
        source="report.left.count", help_text="Members who fell below the floor (RBB 3.3)."
    )
    gains = MovedSerializer(source="report.risers", many=True)
    losses = MovedSerializer(source="report.fallers", many=True)
    active = ActiveSerializer(source="report.active", many=True, help_text="Most games first.")
    upsets = UpsetSerializer(source="report.upsets", many=True)
    busiest = BusiestDaySerializer(source="report.busiest", allow_null=True)


class MonthInReviewSerializer(serializers.Serializer[Any]):
    """A month in review."""

    month = serializers.CharField()
    games = serializers.IntegerField(help_text="In all categories.")
    categories = CategoryMonthSerializer(
        many=True, help_text="Categories with a list for the following month."
    )


class MonthView(PublicView):
    """A month in review."""

    @extend_schema(
        operation_id="month",
        summary="A month in review",
        description="Published with the lists of the following month.",
        parameters=[in_path("month", "2026-03", "The month, such as 2026-03.", kind=MONTH)],
        responses=MonthInReviewSerializer,
    )
    def get(self, request: Request, month: date) -> Response:
        """Return what its page shows."""
        found = month_in_review(month)
        games = sum(one.games for one in found)
        answer = {"month": f"{month:%Y-%m}", "games": games, "categories": found}
        return Response(MonthInReviewSerializer(answer).data)


class HighestSerializer(serializers.Serializer[Rating]):
    """A member's highest rating ever."""

    member = PlayerSerializer()
    rating = Whole(
        source="peak", value=lambda peak: displayed(to_hundredths(peak)), help_text="As displayed."
    )


def _list_address(entry: RatingListEntry) -> str:
    return entry.rating_list.get_absolute_url()


class GainRecordSerializer(MovedSerializer):
    """A member's gain between two lists."""

    list = Text(source="*", value=_list_address, help_text="Address of the later list.")


class ActiveRecordSerializer(ActiveSerializer):
    """A member's rated games between two lists."""

    list = Text(source="*", value=_list_address, help_text="Address of the later list.")


class MonthGamesSerializer(serializers.Serializer[Any]):
    """A month and the number of rated games that ended in it."""

    month = serializers.CharField()
    games = serializers.IntegerField()

    def to_representation(self, instance: tuple[date, int, Any]) -> dict[str, Any]:
        return {"month": f"{instance[0]:%Y-%m}", "games": instance[1]}


class CategoryRecordsSerializer(serializers.Serializer[CategoryRecords]):
    """The records of a category."""

    category = CategoryField()
    highest = HighestSerializer(many=True)
    gains = GainRecordSerializer(many=True)
    active = ActiveRecordSerializer(many=True)
    upsets = UpsetSerializer(many=True)
    months = MonthGamesSerializer(many=True, help_text="Most games first.")
    busiest = BusiestDaySerializer(allow_null=True)


class RecordsSerializer(serializers.Serializer[Any]):
    """The records up to the latest published lists."""

    categories = CategoryRecordsSerializer(many=True, help_text="Categories that have a list.")


class RecordsView(PublicView):
    """The records of all categories."""

    @extend_schema(
        operation_id="records",
        summary="Records: highest ratings, upsets, busiest months and days",
        responses=RecordsSerializer,
    )
    def get(self, request: Request) -> Response:
        """The records on the page `/records/`."""
        return Response(RecordsSerializer({"categories": all_records()}).data)


class CalendarDateSerializer(serializers.Serializer[Dated]):
    """A date in the calendar."""

    day = serializers.DateField()
    key = serializers.CharField(help_text="Always the same for the same entry.")
    text = serializers.CharField()
    url = serializers.CharField(source="link", help_text="Address of the page about it.")


class CalendarSerializer(serializers.Serializer[Any]):
    """Upcoming dates."""

    dates = CalendarDateSerializer(many=True, help_text="From today to a year from now, in order.")


class CalendarView(PublicView):
    """The calendar."""

    @extend_schema(
        operation_id="calendar",
        summary="When lists are published and periods close",
        description="`/calendar.ics` also covers the last few weeks.",
        responses=CalendarSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return the days of the page."""
        return Response(
            CalendarSerializer({"dates": coming_dates(timezone.now().astimezone(UTC).date())}).data
        )


class EditionSerializer(serializers.Serializer[RuleEdition]):
    """Numbers in RBB section 3 that differ from the printed ones, starting on a given day."""

    since = serializers.DateField(help_text="The first day, from 00:00 UTC.")
    text = serializers.SerializerMethodField(help_text="Everything it changes; the rest stays the same.")
    toml = serializers.CharField(help_text="The same, for programs to read.")
    decision = serializers.CharField(
        source="change_set.get_absolute_url", allow_null=True, help_text="Its page in the register."
    )

    def get_text(self, edition: RuleEdition) -> str:
        """Return it in a line."""
        return amendment_text(edition.amendment)


class DecidedEditionsSerializer(serializers.Serializer[Any]):
    """The editions of the RBB that we have introduced."""

    editions = EditionSerializer(many=True, help_text="By date. Empty: the printed regulations apply.")


class EditionsView(PublicView):
    """The editions of RBB."""

    @extend_schema(
        operation_id="editions",
        summary="Editions of the arena’s regulations (RBB), by date",
        description="In an explanation, step `k` names the `edition` it uses, if we have changed the "
        "printed numbers.",
        responses=DecidedEditionsSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return all of them, also those to come."""
        decided = RuleEdition.objects.select_related("change_set")
        return Response(DecidedEditionsSerializer({"editions": decided}).data)
