"""Members, games and lines of the ledger as JSON. docs/json.md says what the fields mean.

To make a serializer copies all its fields, which takes several times as long as using it. So those that many
requests need are made once. They keep nothing of what they have shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rest_framework import serializers

from foa.addresses import address_of
from members.models import Member
from ratings.office.explanations import Step
from ratings.rbb.comparing import CommonOpponent, Comparison, MemberStanding
from ratings.rbb.explanation import Note
from ratings.rbb.explanation.lines import ExplainedGame, ExplainedLine, Side, line_after
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.explanation.steps import displayed_rating, score_text
from ratings.rbb.models import Game, RatingChange, RecalculatedLine
from ratings.rbb.models.fields import EventType, is_black
from ratings.rbb.profile import Results
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category

CATEGORIES: Final = [category.slug for category in Category]
_KINDS: Final = [kind.slug for kind in EventType]


class _Calculated(serializers.Field[Any, Any, Any, Any]):
    """A field that shows what ``value`` makes of its source; null stays null."""

    def __init__(self, *args: Any, value: Callable[[Any], Any] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.value = value

    def get_attribute(self, instance: Any) -> Any:
        found = super().get_attribute(instance)
        return found if found is None or self.value is None else self.value(found)


class Text(_Calculated, serializers.CharField):
    """A text."""


class Whole(_Calculated, serializers.IntegerField):
    """A whole number."""


class OneOf(_Calculated, serializers.ChoiceField):
    """One of these words."""


class CategoryField(serializers.ChoiceField):
    """A category by its name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(CATEGORIES, **options)

    def to_internal_value(self, data: Any) -> Category:
        """Return the category; raises ValidationError."""
        return Category.from_slug(super().to_internal_value(data))

    def to_representation(self, value: int) -> str:
        return Category(value).slug


def exact(**options: Any) -> serializers.DecimalField:
    """Return a field for an exact rating or a change: a string with two decimals."""
    return serializers.DecimalField(max_digits=10, decimal_places=2, **options)


def or_null(text: str) -> str | None:
    """Return None instead of an empty text."""
    return text or None


def address(row: Member | Game | RatingChange) -> str:
    """Return the address of the page."""
    # As a source, DRF would look into the method before each call, for as long as ten other fields take.
    return row.get_absolute_url()


def change_address(key: int) -> str:
    """Return the address of the page of a line of the ledger."""
    return address_of("ratings:change", key)


def _game_address(key: int) -> str:
    return address_of("ratings:game", key)


def _colour(line: RatingChange) -> str | None:
    if line.game_id is None:
        return None
    return "black" if is_black(line.pk) else "white"


class PlayerSerializer(serializers.Serializer[Member]):
    """A member, as named in explanations."""

    id = serializers.IntegerField(source="pk")
    url = Text(source="*", value=address)
    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)


PLAYER: Final = PlayerSerializer()
"""The serializer of members, made once."""


class SideSerializer(PlayerSerializer):
    """One of the two players of a game."""

    rating_before = exact(allow_null=True)

    def to_representation(self, instance: Side) -> dict[str, Any]:
        return {**PLAYER.to_representation(instance.member), "rating_before": instance.before}


class StepSerializer(serializers.Serializer[Step]):
    """A step of the calculation; docs/json.md lists the names and their values."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    articles = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()
    values = serializers.DictField()


class LedgerLineSerializer(serializers.Serializer[ExplainedLine | Side]):
    """Effect of an event on a member, and its reason."""

    id = serializers.IntegerField(source="line.pk")
    url = Text(source="line", value=address)
    kind = serializers.ChoiceField(_KINDS, source="line.kind.slug")
    member = PlayerSerializer(source="line.member")
    category = CategoryField(source="line.category")
    occurred_at = serializers.DateTimeField(source="line.occurred_at")
    game = Text(source="line.game_id", value=_game_address, allow_null=True)
    opponent = PlayerSerializer(source="line.opponent", allow_null=True)
    reason = serializers.ChoiceField([reason.slug for reason in Reason], source="line.why.slug")
    articles = serializers.ListField(source="line.why.articles", child=serializers.CharField())
    before = exact(source="line.before", allow_null=True)
    after = exact(source="line.after", allow_null=True)
    change = exact(source="line.change", allow_null=True)
    displayed_before = Whole(source="line.before", value=displayed_rating, allow_null=True)
    displayed_after = Whole(source="line.after", value=displayed_rating, allow_null=True)
    sentence = Text(source="line", value=sentence)
    steps = StepSerializer(source="explanation.steps", many=True)


class RecalculationSerializer(serializers.Serializer[RecalculatedLine]):
    """A decision that changed a line, and the line as it was before."""

    recalculated_at = serializers.DateTimeField(source="recalculation.at")
    decision = serializers.CharField(source="recalculation.change_set.get_absolute_url", allow_null=True)
    why = serializers.CharField(source="recalculation.change_set.public_why", allow_null=True)
    before = exact(allow_null=True)
    after = exact(allow_null=True)


class ExplanationSerializer(LedgerLineSerializer):
    """A line of the ledger, explained, with links to its neighbours."""

    recalculated = RecalculationSerializer(source="decisions", many=True)
    previous = Text(value=change_address, allow_null=True)
    next = Text(source="following", value=change_address, allow_null=True)


EXPLANATION: Final = ExplanationSerializer()
"""The serializer of explained lines, made once."""


class _LineBeforeSerializer(serializers.Serializer[RecalculatedLine]):
    id = serializers.IntegerField(source="line")
    url = Text(source="line", value=change_address)
    gone = serializers.BooleanField()
    member = PlayerSerializer()
    category = CategoryField()
    occurred_at = serializers.DateTimeField()
    opponent = PlayerSerializer(allow_null=True)
    change = exact(allow_null=True)


def _address_after(gone: RecalculatedLine) -> str | None:
    following = line_after(gone)
    return None if following is None else following.get_absolute_url()


class GoneLineSerializer(_LineBeforeSerializer, RecalculationSerializer):
    """A line that is no longer in the ledger: what it said, and what removed it."""

    next = Text(source="*", value=_address_after, allow_null=True)


class NoteSerializer(serializers.Serializer[Note]):
    """A reason why no rating changed."""

    articles = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()


class EventSerializer(serializers.Serializer[Game]):
    """The arena event that a game belongs to."""

    id = serializers.CharField(
        source="event.external_id", help_text="The server’s name and its own id for the event."
    )
    url = serializers.CharField(
        source="event.get_absolute_url", help_text="Address of its page on this site."
    )
    name = serializers.CharField(source="event.name")
    round = Text(value=or_null, allow_null=True)
    arena_url = Text(source="event.url", value=or_null, allow_null=True, help_text="Its page in the arena.")


def _pgn_address(game: Game) -> str | None:
    return f"{game.get_absolute_url()}?format=pgn" if game.pgn else None


class GameDetailsSerializer(serializers.Serializer[ExplainedGame]):
    """A game with the lines of both players, or with the reasons why it has none."""

    id = serializers.IntegerField(source="game.pk", help_text="Our number for the game.")
    url = Text(source="game", value=address)
    external_id = serializers.CharField(source="game.external_id", allow_null=True)
    white = SideSerializer()
    black = SideSerializer()
    time_control = serializers.CharField(source="game.time_control.control.notation")
    category = CategoryField(source="game.category", allow_null=True)
    rated = serializers.BooleanField(source="game.rated")
    result = OneOf(list(Game.Result.values), source="game.result", value=or_null, allow_null=True)
    termination = serializers.CharField(
        source="game.how_it_ended", allow_null=True, help_text="null while the game is in progress."
    )
    plies = serializers.IntegerField(source="game.plies", allow_null=True)
    started_at = serializers.DateTimeField(source="game.started_at")
    ended_at = serializers.DateTimeField(source="game.ended_at", allow_null=True)
    voided_at = serializers.DateTimeField(source="game.voided_at", allow_null=True)
    void_reason = Text(source="game.why_void", value=or_null, allow_null=True)
    event = EventSerializer(source="in_event", allow_null=True)
    arena_url = Text(
        source="game.url", value=or_null, allow_null=True, help_text="The page of the game in the arena."
    )
    variant = Text(
        source="game.variant",
        value=lambda variant: variant or "standard",
        help_text="standard, or the name of a variant, which isn’t rated.",
    )
    pgn = Text(source="game", value=_pgn_address, allow_null=True)
    why_nothing = NoteSerializer(source="notes", many=True)
    changes = LedgerLineSerializer(many=True)


GAME: Final = GameDetailsSerializer()
"""The serializer of games, made once."""


class ShortLineSerializer(serializers.Serializer[RatingChange]):
    """A line of the ledger without its explanation, in a list of one member's lines."""

    id = serializers.IntegerField(source="pk")
    url = Text(source="*", value=address)
    kind = serializers.ChoiceField(_KINDS, source="kind.slug")
    category = CategoryField()
    occurred_at = serializers.DateTimeField()
    game = Text(source="game_id", value=_game_address, allow_null=True)
    colour = Text(source="*", value=_colour, allow_null=True)
    opponent = PlayerSerializer(allow_null=True)
    opponent_rating = exact(allow_null=True)
    score = Text(source="half_points", value=score_text, allow_null=True)
    change = exact(allow_null=True)
    after = exact(allow_null=True)


class ResultsSerializer(serializers.Serializer[Results]):
    """Games won, drawn and lost."""

    games = serializers.IntegerField()
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()
    score = Text(value=str, help_text="In points: 1.5.")


RESULTS: Final = ResultsSerializer()
"""The serializer of results, made once."""


class ComparedMemberSerializer(PlayerSerializer):
    """A compared member, and where they stand in the category."""

    rating = exact(allow_null=True)
    displayed = serializers.IntegerField(allow_null=True)
    games = serializers.IntegerField(help_text="Rated games.")
    peak = exact(allow_null=True)

    def to_representation(self, instance: MemberStanding) -> dict[str, Any]:
        standing = instance.standing
        return {
            **PLAYER.to_representation(instance.member),
            "rating": standing.rating,
            "displayed": standing.shown,
            "games": standing.games,
            "peak": standing.peak,
        }


class MutualResultsSerializer(ResultsSerializer):
    """Results between two of the compared members, from the first one's side."""

    member = serializers.CharField()
    opponent = serializers.CharField()

    def to_representation(self, instance: tuple[Member, Member, Results]) -> dict[str, Any]:
        member, opponent, results = instance
        return {
            "member": member.username,
            "opponent": opponent.username,
            **RESULTS.to_representation(results),
        }


class CommonOpponentSerializer(serializers.Serializer[CommonOpponent]):
    """An opponent whom all compared members have met."""

    opponent = serializers.CharField(source="opponent.username")
    results = serializers.DictField(
        child=ResultsSerializer(), help_text="By username of the compared member."
    )


class ComparisonSerializer(serializers.Serializer[Comparison]):
    """Members side by side in a category."""

    category = CategoryField()
    members = ComparedMemberSerializer(many=True)
    head_to_head = MutualResultsSerializer(many=True)
    common_opponents = CommonOpponentSerializer(source="against_common", many=True)
