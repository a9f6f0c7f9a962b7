"""The calculators in the API: the same forms and results as on the pages, from JSON to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import RegexValidator
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.fields import RATING_PATTERN, StrictSerializer, TextField, WholeNumberField
from ratings.arena.api.games import problem_of
from ratings.arena.api.public_pages import PublicView
from ratings.calculators import views
from ratings.calculators.forms import PointsField
from ratings.calculators.games import MOST_GAMES, GamesField
from ratings.rbb.serializers import CATEGORIES, StepSerializer, exact
from ratings.rules.fide_page.estimates import KReason, Unplayed
from ratings.rules.rbb.rating import Reason

_SCORES: Final = ("1", "0.5", "0")
_UNPLAYED: Final = tuple(one.value for one in Unplayed)
_NO_LINE_ENDS: Final = RegexValidator(
    r"^[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f\u2028\u2029]*$",
    gettext_lazy("Write it on one line, without a space in front."),
)


class ArenaGameSerializer(StrictSerializer):
    """A hypothetical game in the arena."""

    opponent = TextField(
        allow_null=True,
        max_length=150,
        trim_whitespace=False,
        validators=[_NO_LINE_ENDS],
        help_text="A member’s username, FIDE ID or name, taken at their current rating; or a rating, "
        "such as “1850” or “1799.60”; null if unrated.",
    )
    result = serializers.ChoiceField(_SCORES, help_text="The player’s own score.")


class BoardGameSerializer(StrictSerializer):
    """A hypothetical game over the board."""

    opponent = WholeNumberField(allow_null=True, help_text="Their rating; null if unrated.")
    result = serializers.ChoiceField(
        (*_SCORES, *_UNPLAYED), help_text="The player’s own score, or why there was no game."
    )


def _request_of(name: str, form: type[forms.Form]) -> Any:
    """Return the serializer of a form's fields, with their limits. ``name``: that of the object."""
    fields = {one: _field(field) for one, field in form.base_fields.items()}
    return type(name, (StrictSerializer,), {**fields, "__doc__": form.__doc__})


def _field(field: forms.Field) -> serializers.Field[Any, Any, Any, Any]:
    told: dict[str, Any] = {"help_text": str(field.help_text or field.label)}
    if isinstance(field, GamesField):
        game = ArenaGameSerializer() if field.arena else BoardGameSerializer()
        return serializers.ListField(child=game, min_length=1, max_length=MOST_GAMES, help_text="In order.")
    if not field.required:
        told |= {"required": False, "allow_null": True}
    if isinstance(field, PointsField):
        wrong = RegexValidator(
            RATING_PATTERN, gettext_lazy("Use a rating from 100 to 4000, such as 1500.00.")
        )
        return TextField(validators=[wrong], **told)
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        return serializers.ChoiceField([value for value, _label in choices], **told)
    if isinstance(field, forms.IntegerField):
        return WholeNumberField(min_value=field.min_value, max_value=field.max_value, **told)
    if isinstance(field, forms.CharField):
        return TextField(max_length=field.max_length, **told)
    raise TypeError(field)


def _as_typed(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields as somebody would fill in the form."""
    typed = {name: str(value) for name, value in data.items() if value is not None and name != "games"}
    if "games" in data:
        games = (f"{one['opponent'] or '-'} {one['result']}" for one in data["games"])
        typed["games"] = "\n".join(games)
    return typed


class PerformanceSerializer(serializers.Serializer[Any]):
    """A performance by table 4.1."""

    average = exact(help_text="The opponents’ average.")
    p = exact()
    dp = serializers.IntegerField()
    rating = exact()


class StartSerializer(serializers.Serializer[Any]):
    """Where the player stands before the games."""

    member = serializers.CharField(allow_null=True, help_text="A username.")
    rating = exact(allow_null=True)
    displayed = serializers.IntegerField(allow_null=True)
    games = serializers.IntegerField()
    previously_unrated = serializers.BooleanField()


class WhatIfGameSerializer(serializers.Serializer[Any]):
    """A hypothetical game, with the fields that its line of the ledger would have."""

    number = serializers.IntegerField()
    opponent = serializers.CharField(allow_null=True, help_text="A username.")
    opponent_rating = exact(allow_null=True)
    score = serializers.CharField()
    reason = serializers.ChoiceField([reason.slug for reason in Reason])
    articles = serializers.ListField(child=serializers.CharField())
    before = exact(allow_null=True)
    after = exact(allow_null=True)
    change = exact(allow_null=True)
    displayed_before = serializers.IntegerField(allow_null=True)
    displayed_after = serializers.IntegerField(allow_null=True)
    difference = serializers.IntegerField(allow_null=True)
    expected = exact(allow_null=True)
    k = serializers.IntegerField(allow_null=True)
    games = serializers.IntegerField()
    titles_reached = serializers.ListField(child=serializers.CharField())
    titles_left = serializers.ListField(child=serializers.CharField())
    k_40_ends = serializers.BooleanField(help_text="Whether this is the 30th game (RBB 3.10.3).")
    sentence = serializers.CharField()
    steps = StepSerializer(many=True)


class FinalSerializer(serializers.Serializer[Any]):
    """Where the player stands after the games."""

    rating = exact(allow_null=True)
    displayed = serializers.IntegerField(allow_null=True)
    change = exact(allow_null=True)
    games = serializers.IntegerField()
    next_k = serializers.IntegerField(allow_null=True)
    first_rating_games_to_go = serializers.IntegerField(allow_null=True)


class _ResultSerializer(serializers.Serializer[Any]):
    url = serializers.CharField(
        allow_blank=True, help_text="Address of the page with this result; empty if it would be too long."
    )


class _ArenaResultSerializer(_ResultSerializer):
    edition = serializers.DateField(
        required=False,
        help_text="First day of the RBB edition that applies; missing under the printed regulations.",
    )


class WhatIfSerializer(_ArenaResultSerializer):
    """Hypothetical games, and what they would change."""

    category = serializers.ChoiceField(CATEGORIES)
    start = StartSerializer()
    games = WhatIfGameSerializer(many=True)
    final = FinalSerializer()


class NeededScoreSerializer(serializers.Serializer[Any]):
    """The lowest score that is enough."""

    games = serializers.IntegerField()
    score = serializers.CharField(allow_null=True, help_text="null: no score is enough.")
    in_best_order = serializers.CharField(
        allow_null=True, help_text="The score that is enough if the results fall in the best order."
    )
    rating_after_wins = exact(allow_null=True)


class ScoreToReachSerializer(_ArenaResultSerializer):
    """The score that reaches the target, and the one that keeps the rating."""

    rule_book = serializers.CharField()
    category = serializers.ChoiceField(CATEGORIES, required=False)
    start = StartSerializer(allow_null=True)
    opponents = exact()
    target = exact(allow_null=True)
    rating = exact(required=False)
    first_rating = serializers.BooleanField()
    needed = NeededScoreSerializer(allow_null=True)
    break_even = NeededScoreSerializer(allow_null=True)


class CountedGameSerializer(serializers.Serializer[Any]):
    """A game, and whether it counts towards a first rating."""

    number = serializers.IntegerField()
    opponent_rating = exact(allow_null=True)
    score = serializers.CharField()
    reason = serializers.ChoiceField([reason.slug for reason in Reason], allow_null=True)
    articles = serializers.ListField(child=serializers.CharField())


class NewRatingSerializer(serializers.Serializer[Any]):
    """A first rating (RBB 3.7)."""

    average = exact()
    score = serializers.CharField()
    added = exact()
    rating = exact()
    displayed = serializers.IntegerField()
    article = serializers.CharField()


class FirstRatingResultSerializer(_ArenaResultSerializer):
    """An unrated player's results, performance and first rating."""

    games = CountedGameSerializer(many=True)
    counted = serializers.IntegerField()
    score = serializers.CharField()
    performance = PerformanceSerializer(allow_null=True)
    first_rating = NewRatingSerializer(allow_null=True)


class BoardGameResultSerializer(serializers.Serializer[Any]):
    """A game over the board, and what it would change."""

    number = serializers.IntegerField()
    opponent = serializers.IntegerField(allow_null=True)
    result = serializers.ChoiceField((*_SCORES, *_UNPLAYED))
    reason = serializers.CharField(required=False)
    article = serializers.CharField(required=False)
    difference = serializers.IntegerField(required=False, allow_null=True)
    expected = exact(required=False, allow_null=True)
    change = exact(required=False, allow_null=True)


class NewPlayerSerializer(serializers.Serializer[Any]):
    """The rating of a player who had none."""

    games = serializers.IntegerField()
    score = serializers.CharField()
    average = exact()
    article = serializers.CharField()
    p = exact()
    dp = serializers.IntegerField(allow_null=True, help_text="null where the article needs none.")
    rating = serializers.IntegerField()


class TournamentResultSerializer(_ResultSerializer):
    """A tournament over the board, rated as if it were the only one of its period."""

    rule_book = serializers.CharField()
    rating_before = serializers.IntegerField(allow_null=True)
    needs_fide_id = serializers.BooleanField()
    games = BoardGameResultSerializer(many=True)
    k = serializers.IntegerField(allow_null=True)
    counted = serializers.IntegerField()
    score = serializers.CharField()
    average = exact(required=False, allow_null=True)
    expected = exact(allow_null=True)
    change = exact(allow_null=True)
    sum_of_games = exact(required=False, allow_null=True)
    rating = exact(allow_null=True)
    displayed = serializers.IntegerField(required=False, allow_null=True)
    performance = PerformanceSerializer(required=False, allow_null=True)
    outcome = serializers.CharField(allow_null=True)
    new_player = NewPlayerSerializer(allow_null=True)


class FideEstimateSerializer(_ResultSerializer):
    """An estimate by the formula on FIDE's page."""

    rating_before = serializers.IntegerField()
    games = BoardGameResultSerializer(many=True)
    k = serializers.IntegerField()
    k_reason = serializers.ChoiceField([one.value for one in KReason])
    counted = serializers.IntegerField()
    score = serializers.CharField()
    expected = exact()
    change = exact()
    sum_of_games = exact()
    rating = exact()
    displayed = serializers.IntegerField()
    performance = PerformanceSerializer(allow_null=True)
    provisional = serializers.BooleanField(allow_null=True)
    floor_held = serializers.BooleanField()
    time_class = serializers.CharField(allow_null=True)


_IMPOSSIBLE: Final = problem_of(
    "It can’t be calculated. `errors` names each field and, for a game, its line."
)


class _CalculatorView(PublicView):
    """A calculator. It only reads, so everybody may use it.

    ``page``: the view of its page. ``asked``, ``answered``: serializers of the request and the answer.
    """

    page: ClassVar[type[views.CalculatorView]]
    asked: ClassVar[Any]
    answered: ClassVar[type[_ResultSerializer]]

    def post(self, request: Request) -> Response:
        """Return what the page shows; raises ValidationError with its faults."""
        asked = self.asked(data=request.data)
        asked.is_valid(raise_exception=True)
        typed = _as_typed(asked.validated_data)
        form = self.page.form_class(typed)
        if not form.is_valid():
            raise DjangoValidationError(form.errors.as_data())
        result = self.page().calculate(form.cleaned_data)["result"]
        url = f"{reverse(f'calculators:{self.page.name}')}?{urlencode(typed)}"
        return Response(
            self.answered({"url": url if len(url) <= views.LONGEST_ADDRESS else "", **result}).data
        )


def _calculator(
    page: type[views.CalculatorView],
    answered: type[_ResultSerializer],
    summary: str,
    example: Mapping[str, Any],
    description: str = "",
) -> URLPattern:
    """Return the address of a calculator."""
    slug = page.name.replace("_", "-")
    asked = _request_of(f"{page.form_class.__name__.removesuffix('Form')}InputSerializer", page.form_class)
    told: Any = extend_schema(
        operation_id=f"calculate_{page.name}",
        summary=summary,
        description=(
            f"{description} The same calculation as on `/calculators/{slug}/`. Nothing is stored.".lstrip()
        ),
        request=asked,
        responses={200: answered, 422: _IMPOSSIBLE},
        examples=[OpenApiExample("Example", example, request_only=True)],
    )
    members = {"page": page, "asked": asked, "answered": answered}
    view: Any = extend_schema_view(post=told)(type("CalculatorView", (_CalculatorView,), members))
    return path(f"calculators/{slug}", view.as_view(), name=f"calculate_{page.name}")


_GAMES: Final = [{"opponent": "bert", "result": "1"}, {"opponent": "1850", "result": "0.5"}]
_OVER_THE_BOARD: Final = [{"opponent": 1850, "result": "1"}, {"opponent": None, "result": "bye"}]

urlpatterns = [
    _calculator(
        views.WhatIfView,
        WhatIfSerializer,
        "Calculate hypothetical games",
        {"category": "blitz", "member": "anna", "games": _GAMES},
        "Start with a `member` at their current rating, with a `rating`, or unrated.",
    ),
    _calculator(
        views.NeededView,
        ScoreToReachSerializer,
        "Calculate the score you need for a rating",
        {
            "rule_book": "rbb",
            "category": "blitz",
            "member": "anna",
            "opponents": "1500.00",
            "number": 10,
            "target": "1650.00",
        },
    ),
    _calculator(
        views.FirstRatingView,
        FirstRatingResultSerializer,
        "Calculate performance and first rating",
        {"category": "blitz", "games": _GAMES},
    ),
    _calculator(
        views.TournamentView,
        TournamentResultSerializer,
        "Calculate an over-the-board tournament",
        {"rule_book": "b02-2024", "rating": 1800, "k": 20, "games": _OVER_THE_BOARD},
    ),
    _calculator(
        views.FideView,
        FideEstimateSerializer,
        "Estimate a rating change by FIDE’s formula",
        {"rating": 1800, "played": 40, "games": [{"opponent": 1850, "result": "1"}]},
    ),
]
