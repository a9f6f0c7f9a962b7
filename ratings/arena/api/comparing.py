"""Members against each other, what a game between them would change, and first ratings ahead; read-only."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from members.models import Member
from ratings.arena.api.fields import RATING_PATTERN
from ratings.arena.api.public import USERNAME, member_called
from ratings.arena.api.public_pages import PublicView, in_path
from ratings.arena.filters import member_of_username
from ratings.rbb.comparing import MOST, compare, results_between
from ratings.rbb.explanation.lines import Prospect, prospects_between
from ratings.rbb.forecasts import PossibleFirstRating, forecast
from ratings.rbb.lists.columns import CATEGORIES
from ratings.rbb.models import Rating
from ratings.rbb.profile import Results
from ratings.rbb.profile.results import ResultsByColour
from ratings.rbb.serializers import (
    CategoryField,
    ComparisonSerializer,
    PlayerSerializer,
    ResultsSerializer,
    exact,
)
from ratings.rules.rbb.rating import FIRST_RATING_GAMES
from ratings.rules.time_controls import Category

_CATEGORY_ASKED: Final = OpenApiParameter(
    "category",
    enum=CATEGORIES,
    description="Default: the one in which they have played each other most.",
)
_USERNAMES: Final = OpenApiParameter(
    "members",
    {"type": "string", "pattern": rf"^[^\x00,]+(,[^\x00,]+){{1,{MOST - 1}}}$", "maxLength": MOST * 151},
    required=True,
    description=f"2 to {MOST} usernames, separated by commas.",
    examples=[OpenApiExample("anna,bert", value="anna,bert")],
)


class CompareMembersView(PublicView):
    """Members side by side."""

    @extend_schema(
        operation_id="compare",
        summary="Compare members",
        description="Their ratings, and their results against each other and against up to 20 common "
        "opponents.",
        parameters=[_USERNAMES, _CATEGORY_ASKED],
        responses=ComparisonSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return what the page `/compare/` shows."""
        names = [name for name in request.query_params.get("members", "").split(",") if name]
        try:
            members = list(dict.fromkeys(map(member_of_username, names[: MOST + 1])))
        except DjangoValidationError as error:
            raise ValidationError({"members": error.messages}) from None
        if not 2 <= len(members) <= MOST:
            told = _("Give the usernames of 2 to %(most)d different members, separated by commas.")
            raise ValidationError({"members": told % {"most": MOST}})
        asked = request.query_params.get("category") or None
        if asked is not None and asked not in CATEGORIES:
            raise ValidationError({"category": _("Choose the category rapid, blitz or bullet.")})
        category = None if asked is None else Category.from_slug(asked)
        return Response(ComparisonSerializer(compare(members, category, timezone.now())).data)


class ProspectSerializer(serializers.Serializer[Prospect]):
    """The change for each result; null where it would give a first rating."""

    win = exact(allow_null=True)
    draw = exact(allow_null=True)
    loss = exact(allow_null=True)


_NONE: Final = ResultsByColour(Results(), Results(), Results())


class CategoryBetween(NamedTuple):
    """Two members in a category."""

    category: Category
    results: ResultsByColour
    member_would_change: Prospect
    opponent_would_change: Prospect

    @classmethod
    def of(cls, category: Category, one: Member, other: Member, results: ResultsByColour) -> CategoryBetween:
        return cls(category, results, *prospects_between(category, one.pk, other.pk))


class CategoryBetweenSerializer(serializers.Serializer[CategoryBetween]):
    """Two members in a category: their games so far, and what the next one would change (RBB 3.9)."""

    category = CategoryField()
    white = ResultsSerializer(source="results.white", help_text="The first member’s results with White.")
    black = ResultsSerializer(source="results.black")
    both = ResultsSerializer(source="results.both")
    member_would_change = ProspectSerializer(help_text="For each result, from the first member’s side.")
    opponent_would_change = ProspectSerializer(help_text="For each result, from the opponent’s side.")


class HeadToHeadSerializer(serializers.Serializer[Any]):
    """Two members head to head."""

    member = PlayerSerializer()
    opponent = PlayerSerializer()
    categories = CategoryBetweenSerializer(many=True, help_text="Always all three.")


class AgainstView(PublicView):
    """Two members head to head."""

    @extend_schema(
        operation_id="head_to_head",
        summary="Two members head to head, and what each result would change",
        description=(
            "Results by category and colour from the first member’s side, and how a win, draw or loss in "
            "a rated game now would change both ratings. Their games are at `/api/v1/all-games?player=…`."
        ),
        parameters=[USERNAME, in_path("opponent", "bert", "The opponent’s username.")],
        responses=HeadToHeadSerializer,
    )
    def get(self, request: Request, username: str, opponent: str) -> Response:
        """Return the results, and what the next one would change."""
        member, other = member_called(username), member_called(opponent)
        if member == other:
            raise ValidationError(
                {"opponent": _("A member can’t play against themselves. Name another member.")}
            )
        played = dict(results_between(member.rating_changes.filter(opponent=other)))
        found = [CategoryBetween.of(one, member, other, played.get(one, _NONE)) for one in Category]
        return Response(HeadToHeadSerializer({"member": member, "opponent": other, "categories": found}).data)


class PossibleFirstRatingSerializer(serializers.Serializer[PossibleFirstRating]):
    """A score in the remaining games, and the first rating it gives (RBB 3.7)."""

    score = serializers.CharField()
    rating = exact(allow_null=True, help_text="null: they would still be unrated.")
    displayed = serializers.IntegerField(allow_null=True)
    article = serializers.CharField()


class FirstRatingForecastSerializer(serializers.Serializer[Any]):
    """An unrated member's progress towards a first rating in a category."""

    username = serializers.CharField()
    category = CategoryField()
    rating = exact(
        allow_null=True, help_text="The rating of a member who already has one; the rest is then empty."
    )
    needed = serializers.IntegerField(help_text="Results needed for a first rating.")
    to_go = serializers.IntegerField(help_text="Results still missing.")
    score = serializers.CharField(allow_null=True, help_text="The score so far.")
    average_so_far = exact(
        allow_null=True, help_text="The average of the opponents so far; null without a result."
    )
    average = exact(
        allow_null=True, help_text="The average of the remaining opponents, as requested or by default."
    )
    outcomes = PossibleFirstRatingSerializer(many=True, help_text="One for each score, lowest first.")


_AVERAGE: Final = OpenApiParameter(
    "average",
    {"type": "string", "pattern": RATING_PATTERN},
    description=(
        "Average rating of the remaining opponents, from 100 to 4000. Default: the average of the "
        "opponents so far, or 1500 if there are none."
    ),
)


class FirstRatingView(PublicView):
    """The first ratings that are possible."""

    @extend_schema(
        operation_id="first_rating_forecast",
        summary="What an unrated member’s first rating could be",
        description="The results so far (RBB 3.6), and the first rating for each score in the remaining "
        "games.",
        parameters=[USERNAME, in_path("category", "rapid", "The category.", of=CATEGORIES), _AVERAGE],
        responses=FirstRatingForecastSerializer,
    )
    def get(self, request: Request, username: str, category: Category) -> Response:
        """Return what the page of the first rating shows."""
        asked = request.query_params.get("average")
        if asked and not re.fullmatch(RATING_PATTERN, asked):
            raise ValidationError({"average": _("Use a rating from 100 to 4000, such as 1500.00.")})
        member = member_called(username)
        found = forecast(member, category)
        answer: dict[str, Any] = {
            "username": member.username,
            "category": category,
            "rating": None,
            "needed": FIRST_RATING_GAMES,
            "to_go": 0,
            "score": None,
            "average_so_far": None,
            "average": None,
            "outcomes": [],
        }
        if isinstance(found, Rating):
            answer["rating"] = found.rating
        else:
            average = Decimal(asked) if asked else found.usual_average
            answer |= {
                "to_go": found.to_go,
                "score": found.score,
                "average_so_far": found.average_so_far,
                "average": average,
                "outcomes": found.outcomes(average),
            }
        return Response(FirstRatingForecastSerializer(answer).data)
