"""A member's ratings, statistics, titles and chart, now or at a moment; and what other rooms know of them."""

from __future__ import annotations

from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from members.models import Member
from ratings.arena.api.public import USERNAME, member_called
from ratings.arena.api.public_pages import MOMENT, PublicView, asked_moment
from ratings.office.page_sections import Page, facts_on, sections_of
from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.member_figures import (
    RatingCard,
    Review,
    member_statistics,
    rating_cards,
    reviews,
)
from ratings.rbb.models import RatingListEntry, TimeControl
from ratings.rbb.profile import Band, Point, Results, Span
from ratings.rbb.profile.results import Records, Run
from ratings.rbb.serializers import (
    CategoryField,
    PlayerSerializer,
    ResultsSerializer,
    Text,
    change_address,
    exact,
)
from ratings.rbb.summaries import Figures, figures
from ratings.rules.rbb.titles import TitleProgress
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths


class _MemberView(PublicView):
    """Figures of a member. ``now``: the moment they are of, also a past one, which ``as_of`` then is too."""

    def found(self, request: Request, username: str) -> tuple[Member, Figures]:
        """Return the member and the figures; raises NotFound, and ValidationError for a wrong moment."""
        member, self.as_of = member_called(username), asked_moment(request)
        self.now = self.as_of or timezone.now()
        return member, figures(member, self.now, self.as_of)

    def answer(
        self, member: Member, serializer: type[serializers.Serializer[Any]], **values: Any
    ) -> Response:
        """Return the figures, and whose and of when they are."""
        return Response(serializer({"username": member.username, "as_of": self.as_of, **values}).data)


class _OfMemberSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    as_of = serializers.DateTimeField(allow_null=True, help_text="null: now.")


class PublishedRatingSerializer(serializers.Serializer[RatingListEntry]):
    """A member's line on a monthly list."""

    list = serializers.CharField(source="rating_list.get_absolute_url", help_text="Address of the list.")
    rank = serializers.IntegerField()
    members = serializers.IntegerField(source="rating_list.members")
    rating = serializers.IntegerField(source="displayed")
    exact = exact(source="rating")


class MemberRatingSerializer(serializers.Serializer[RatingCard]):
    """A member in a category."""

    category = CategoryField(source="standing.category")
    rating = serializers.IntegerField(
        source="standing.shown", allow_null=True, help_text="As displayed; null while unrated."
    )
    games = serializers.IntegerField(source="standing.games", help_text="Games that count for the rating.")
    games_played = serializers.IntegerField(source="played", help_text="All rated games.")
    live_rank = serializers.IntegerField(
        source="rank",
        allow_null=True,
        help_text="Among the live ratings; null beyond the first 1,000, and with `as_of`.",
    )
    last_30_days = exact(
        source="standing.lately", allow_null=True, help_text="The change in the last 30 days."
    )
    peak = exact(source="standing.peak", allow_null=True, help_text="The highest exact rating.")
    k = serializers.IntegerField(
        source="standing.k", allow_null=True, help_text="For the next game (RBB 3.10)."
    )
    usual_move = serializers.IntegerField(
        source="settled.points",
        default=None,
        allow_null=True,
        help_text="Half of the members with as many games as this one saw their rating change by no more "
        "than this many points over their next 30 games. Null if there are too few such members, or if this "
        "one has played fewer than 10 games.",
    )
    last_event_at = serializers.DateTimeField(
        source="standing.last.occurred_at", default=None, allow_null=True
    )
    last_change = serializers.IntegerField(
        source="standing.last.id",
        default=None,
        allow_null=True,
        help_text="The line of the ledger that explains it.",
    )
    published = PublishedRatingSerializer(
        source="entry", allow_null=True, help_text="On the latest monthly list; null if they aren’t on it."
    )
    change_since_published = exact(source="since", allow_null=True)
    exact = exact(source="standing.rating", allow_null=True)


class MemberRatingsSerializer(_OfMemberSerializer):
    """A member's ratings."""

    categories = MemberRatingSerializer(many=True, help_text="Always all three.")


class RatingsView(_MemberView):
    """A member's ratings."""

    @extend_schema(
        operation_id="member_ratings",
        summary="A member’s ratings: live, published, peaks, ranks and K",
        description="The events behind them are at `/api/v1/members/{username}/history`.",
        parameters=[USERNAME, MOMENT],
        responses=MemberRatingsSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """Return what the profile shows."""
        member, found = self.found(request, username)
        cards = rating_cards(member, found, self.now, self.as_of)
        return self.answer(member, MemberRatingsSerializer, categories=cards)


class ShareSerializer(ResultsSerializer):
    """Games won, drawn and lost, and the score in per cent."""

    percent = serializers.DecimalField(max_digits=4, decimal_places=1, allow_null=True)


class StrengthSerializer(serializers.Serializer[Band]):
    """Games against opponents in a 200-point band, and the score expected by table 4.2."""

    lowest = serializers.IntegerField(help_text="Exact ratings before the game, in whole points.")
    highest = serializers.IntegerField()
    games = serializers.IntegerField()
    score = Text(value=str)
    expected = exact()


class BestWinSerializer(serializers.Serializer[Any]):
    """The win against the highest-rated opponent, by the rating before the game."""

    change = Text(source="line.id", value=change_address, help_text="Address of the ledger line.")
    opponent = PlayerSerializer(allow_null=True)
    rating = exact(help_text="The opponent’s rating.")


class RunSerializer(serializers.Serializer[Run]):
    """Games in a row."""

    games = serializers.IntegerField()
    first_at = serializers.DateTimeField(source="first.occurred_at")
    last_at = serializers.DateTimeField(source="last.occurred_at")


class OwnRecordsSerializer(serializers.Serializer[Records]):
    """A member's records in a category; null without any."""

    longest_winning_run = RunSerializer(source="winning", allow_null=True)
    longest_unbeaten_run = RunSerializer(source="unbeaten", allow_null=True)
    winning_run = RunSerializer(
        source="going_on", allow_null=True, help_text="The current winning streak, if two games or more."
    )
    largest_gain = exact(source="most_gained", allow_null=True)
    most_games_in_a_day = serializers.IntegerField(source="busiest.1", default=None, allow_null=True)


class ControlResultsSerializer(ShareSerializer):
    """Results with a time control."""

    time_control = serializers.CharField()

    def to_representation(self, instance: tuple[TimeControl, Results]) -> dict[str, Any]:
        control, results = instance
        return {"time_control": control.control.notation, **_SHARE.to_representation(results)}


_SHARE: Final = ShareSerializer()


class CategoryStatisticsSerializer(serializers.Serializer[Any]):
    """A member's statistics in a category."""

    category = CategoryField(source="one.found.category")
    all = ShareSerializer(source="one.found.results.both")
    white = ShareSerializer(source="one.found.results.white")
    black = ShareSerializer(source="one.found.results.black")
    games_not_counted = serializers.IntegerField(
        source="one.found.uncounted",
        help_text="Games that count neither for the rating nor towards a first rating (RBB 3.6, 3.8).",
    )
    by_opponents_rating = StrengthSerializer(source="one.found.bands", many=True, help_text="Highest first.")
    time_controls = ControlResultsSerializer(source="one.controls", many=True, help_text="Most games first.")
    best_win = BestWinSerializer(allow_null=True)
    records = OwnRecordsSerializer(source="one.found.records")
    percentile = serializers.IntegerField(
        source="one.place.percentile",
        default=None,
        allow_null=True,
        help_text="Share of members with a lower rating on the latest monthly list, in whole per cent.",
    )


class OpponentResultsSerializer(ShareSerializer):
    """Results against an opponent, in all categories."""

    opponent = PlayerSerializer()

    def to_representation(self, instance: tuple[Member, Results]) -> dict[str, Any]:
        opponent, results = instance
        return {
            "opponent": PlayerSerializer(opponent).data,
            **_SHARE.to_representation(results),
        }


class MonthChangeSerializer(serializers.Serializer[Any]):
    """The change of a rating in a month; null if they were unrated at its end."""

    category = CategoryField()
    change = exact(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        category, change = instance
        return super().to_representation({"category": category, "change": change})


class MonthOfMemberSerializer(serializers.Serializer[Any]):
    """A month in which a member had an event."""

    month = serializers.CharField()
    results = ResultsSerializer(source="found.results")
    changes = MonthChangeSerializer(source="found.gains", many=True, help_text="Categories with an event.")
    best_win = BestWinSerializer(allow_null=True)
    most_frequent_opponent = PlayerSerializer(
        source="often", allow_null=True, help_text="null if they played nobody more than once."
    )


class MemberStatisticsSerializer(_OfMemberSerializer):
    """A member's statistics."""

    categories = CategoryStatisticsSerializer(many=True, help_text="Categories they have played.")
    opponents = OpponentResultsSerializer(many=True, help_text="The ten most frequent.")
    months = MonthOfMemberSerializer(many=True, help_text="Latest first.")


def _win(line: HistoryLine | None, opponent: Member | None) -> dict[str, Any] | None:
    if line is None:
        return None
    rating = from_hundredths(Hundredths(line.opponent_rating or 0))
    return {"line": line, "opponent": opponent, "rating": rating}


class StatisticsView(_MemberView):
    """A member's statistics."""

    @extend_schema(
        operation_id="member_statistics",
        summary="A member’s results by colour, strength, time control, opponent and month; records",
        parameters=[USERNAME, MOMENT],
        responses=MemberStatisticsSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """The figures on the member's statistics and games pages."""
        member, found = self.found(request, username)
        played = member_statistics(member, found, self.now, self.as_of)
        best = [one.found.best_win for one in played]
        named = {line.opponent_id for line in best if line} | {
            key for key, _results in found.summary.opponents
        }
        members = Member.everybody.in_bulk(filter(None, named))
        return self.answer(
            member,
            MemberStatisticsSerializer,
            categories=[
                {"one": one, "best_win": _win(line, line and members.get(line.opponent_id or 0))}
                for one, line in zip(played, best, strict=True)
            ],
            opponents=[(members[key], results) for key, results in found.summary.opponents],
            months=list(map(_month, reviews(found.summary.months))),
        )


def _month(review: Review) -> dict[str, Any]:
    return {
        "month": f"{review.month.first_day:%Y-%m}",
        "found": review.month,
        "best_win": _win(review.month.best_win, review.beaten),
        "often": review.often,
    }


class TitleProgressSerializer(serializers.Serializer[TitleProgress]):
    """Progress towards a title: rated games in a row at or above its rating."""

    title = serializers.CharField()
    rating = exact()
    games_in_a_row = serializers.IntegerField(source="current", help_text="The current run.")
    longest = serializers.IntegerField(source="best", help_text="The longest run ever.")
    needed = serializers.IntegerField()

    def to_representation(self, instance: TitleProgress) -> dict[str, Any]:
        return super().to_representation(instance._replace(rating=from_hundredths(instance.rating)))  # type: ignore[arg-type]  # as shown


class CategoryTitlesSerializer(serializers.Serializer[Any]):
    """A member's progress towards the arena's titles in a category, highest title first."""

    category = CategoryField()
    titles = TitleProgressSerializer(many=True)


class MemberTitlesSerializer(_OfMemberSerializer):
    """A member's progress towards the arena's titles."""

    categories = CategoryTitlesSerializer(many=True, help_text="Always all three.")


class TitlesView(_MemberView):
    """A member's progress towards titles."""

    @extend_schema(
        operation_id="member_titles",
        summary="A member’s progress towards the arena’s titles",
        parameters=[USERNAME, MOMENT],
        responses=MemberTitlesSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """The progress shown on the member's titles page."""
        member, found = self.found(request, username)
        categories = [
            {
                "category": category,
                "titles": [progress[number] for _title, _rating, progress in found.summary.titles],
            }
            for number, category in enumerate(Category)
        ]
        return self.answer(member, MemberTitlesSerializer, categories=categories)


class CategoryPointsSerializer(serializers.Serializer[Any]):
    """The points of a category: events that changed the rating. All arrays have the same length."""

    category = CategoryField()
    moments = serializers.ListField(child=serializers.IntegerField(), help_text="Seconds since 1970, UTC.")
    games = serializers.ListField(child=serializers.IntegerField(), help_text="Games in the category so far.")
    ratings = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), help_text="In hundredths; null: the rating was lost."
    )
    changes = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), help_text="In hundredths."
    )
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers of ledger lines.")
    opponents = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), help_text="The opponents’ `id` in `players`."
    )


class MemberChartSerializer(_OfMemberSerializer):
    """A member's history as the points of a chart."""

    span = serializers.CharField()
    categories = CategoryPointsSerializer(many=True, help_text="Always all three.")
    players = PlayerSerializer(many=True, help_text="The opponents.")


_COLUMNS: Final = {
    "moments": "moment",
    "games": "games",
    "ratings": "rating",
    "changes": "change",
    "lines": "line",
    "opponents": "opponent",
}


def _points(category: Category, points: list[Point]) -> dict[str, Any]:
    columns = {name: [getattr(point, one) for point in points] for name, one in _COLUMNS.items()}
    return {"category": category, **columns}


class ChartView(_MemberView):
    """The points of a member's chart."""

    @extend_schema(
        operation_id="member_chart",
        summary="A member’s rating history, as points for a chart",
        description=(
            "At most 400 points per category; with more events, each stretch keeps its highest and "
            "lowest rating. The first point may be before the span. All events are at "
            "`/api/v1/members/{username}/history`."
        ),
        parameters=[
            USERNAME,
            OpenApiParameter(
                "span",
                enum=[span.slug for span in Span],
                description="One month, three months, one year or everything. Default: everything.",
            ),
            MOMENT,
        ],
        responses=MemberChartSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """Return the points of the chart on the profile."""
        asked = request.query_params.get("span") or Span.ALL.slug
        span = next((span for span in Span if span.slug == asked), None)
        if span is None:
            raise ValidationError({"span": _("“span” can be 1m, 3m, 1y or all.")})
        member, found = self.found(request, username)
        lines = found.charts[span].lines
        opponents = {point.opponent for points in lines.values() for point in points if point.opponent}
        return self.answer(
            member,
            MemberChartSerializer,
            span=span.slug,
            categories=[_points(category, points) for category, points in lines.items()],
            players=list(Member.everybody.in_bulk(opponents).values()),
        )


class MemberOverTheBoardSerializer(serializers.Serializer[Any]):
    """A member's over-the-board ratings and results today, by source; null where there are none."""

    username = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a field for each room that knows something of members."""
        rooms = {name: facts(allow_null=True) for name, facts in facts_on(Page.OVER_THE_BOARD).items()}
        return super().get_fields() | rooms


class OverTheBoardView(PublicView):
    """A member over the board."""

    @extend_schema(
        operation_id="member_over_the_board",
        summary="A member over the board: FIDE’s ratings, our tournaments, leagues",
        parameters=[USERNAME],
        responses=MemberOverTheBoardSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """Everything on the member's over-the-board page."""
        member = member_called(username)
        known = {part.context["source"]: part.context for part in sections_of(Page.OVER_THE_BOARD, member)}
        answer = dict.fromkeys(facts_on(Page.OVER_THE_BOARD)) | known | {"username": member.username}
        return Response(MemberOverTheBoardSerializer(answer).data)
