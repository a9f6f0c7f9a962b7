"""The form of the answers. docs/json.md explains the fields, which have the same names as in files."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from members.models import TITLES, AccountClosure
from ratings.rbb.models import Game
from ratings.rbb.models.keys import EventType
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category

CATEGORIES = [category.slug for category in Category]


def exact(**options: Any) -> serializers.DecimalField:
    """Return a field for an exact rating or a change: a string with two decimals."""
    return serializers.DecimalField(max_digits=10, decimal_places=2, **options)


def one_of(choices: list[str], **options: Any) -> serializers.ChoiceField:
    """Return a field for one of these words."""
    return serializers.ChoiceField(choices=choices, **options)


class _WhoSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    fide_id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    title = one_of(list(TITLES), allow_blank=True)
    federation = serializers.CharField(allow_blank=True)


class LiveRatingSerializer(_WhoSerializer):
    """A member on the live list."""

    rating = serializers.IntegerField(help_text="As it is displayed (RBB 3.12).")
    games = serializers.IntegerField(help_text="All rated games in the category.")
    exact = exact()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class PublishedListSerializer(serializers.Serializer[Any]):
    """A published list; one that has been replaced stays as it is."""

    month = serializers.RegexField("^[0-9]{4}-[0-9]{2}$")
    category = one_of(CATEGORIES)
    revision = serializers.IntegerField()
    published_at = serializers.DateTimeField()
    members = serializers.IntegerField()
    games = serializers.IntegerField(allow_null=True)
    games_against_unrated = serializers.IntegerField(allow_null=True)
    mean = exact(allow_null=True)
    median = exact(allow_null=True)
    checksum = serializers.CharField(help_text="SHA-256 of the whole list as CSV.")
    late_games = serializers.IntegerField(allow_null=True)
    withdrawn_games = serializers.IntegerField(allow_null=True)


class ListLineSerializer(_WhoSerializer):
    """A line of a published list.

    Lists of version 0.5.0 and earlier end with ``k``, those up to 0.14.0 with ``earlier_change``.
    """

    rank = serializers.IntegerField()
    rating = serializers.IntegerField()
    games = serializers.IntegerField()
    previous = serializers.IntegerField(allow_null=True)
    change = serializers.IntegerField(allow_null=True)
    period_games = serializers.IntegerField()
    k = serializers.IntegerField(allow_null=True)
    late_games = serializers.IntegerField(required=False, allow_null=True)
    withdrawn_games = serializers.IntegerField(required=False, allow_null=True)
    exact_change = exact(required=False, allow_null=True)
    games_change = exact(required=False, allow_null=True)
    adjustments_change = exact(required=False, allow_null=True)
    openings_change = exact(required=False, allow_null=True)
    earlier_change = exact(required=False, allow_null=True)
    exact_rating = exact(required=False)


class MemberRowSerializer(_WhoSerializer):
    """A member with the displayed live ratings; null while unrated."""

    rapid = serializers.IntegerField(allow_null=True)
    blitz = serializers.IntegerField(allow_null=True)
    bullet = serializers.IntegerField(allow_null=True)


class StandingSerializer(serializers.Serializer[Any]):
    """Where a member stands in a category."""

    category = one_of(CATEGORIES)
    rating = serializers.IntegerField(allow_null=True, help_text="As it is displayed; null while unrated.")
    exact = exact(allow_null=True)
    games = serializers.IntegerField()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class ClosureSerializer(serializers.Serializer[Any]):
    """When an account is closed for rated play: from its first moment up to, not including, its last."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields; one of their names is a Python keyword."""
        return {
            "from": serializers.DateTimeField(),
            "until": serializers.DateTimeField(allow_null=True, help_text="null: without an end."),
            "reason": one_of(list(AccountClosure.Category.values)),
        }


class MemberDetailsSerializer(MemberRowSerializer):
    """A member, and where they stand in each category in which they have played."""

    url = serializers.CharField(help_text="The address of the page.")
    full_member = serializers.BooleanField(help_text="Whether they are a full member now (RBB 2.1).")
    closures = ClosureSerializer(many=True, help_text="Rated games that start then are void.")
    standings = StandingSerializer(many=True)


class GameRowSerializer(serializers.Serializer[Any]):
    """A game."""

    id = serializers.IntegerField(help_text="The office's number of the game.")
    external_id = serializers.CharField(allow_null=True)
    white = serializers.CharField(help_text="A username.")
    black = serializers.CharField(help_text="A username.")
    time_control = serializers.CharField()
    category = one_of(CATEGORIES, allow_null=True)
    rated = serializers.BooleanField()
    result = one_of(list(Game.Result.values), allow_null=True, help_text="null without a result.")
    termination = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    voided_at = serializers.DateTimeField(allow_null=True)
    not_counted_because = serializers.CharField(allow_blank=True)
    event_id = serializers.CharField(allow_null=True, help_text="The id of the event, as `event` asks for.")
    round = serializers.CharField(allow_null=True)
    arena_url = serializers.CharField(allow_null=True, help_text="The page of the game on the arena.")
    variant = serializers.CharField(help_text="standard, or the name of a variant, which isn't rated.")


class LedgerRowSerializer(serializers.Serializer[Any]):
    """What one event did to the member."""

    id = serializers.IntegerField(help_text="The line of the ledger that explains it.")
    occurred_at = serializers.DateTimeField()
    category = one_of(CATEGORIES)
    username = serializers.CharField()
    kind = one_of([kind.name.lower() for kind in EventType])
    event = serializers.CharField(
        help_text="A game's external id, or else its number; an opening's source; an adjustment's month."
    )
    opponent = serializers.CharField(allow_null=True)
    before = exact(allow_null=True)
    after = exact(allow_null=True)
    change = exact(allow_null=True)
    opponent_rating = exact(allow_null=True)
    difference = serializers.IntegerField(allow_null=True)
    expected = exact(allow_null=True)
    score = serializers.CharField(allow_null=True)
    k = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()


class PlayerSerializer(serializers.Serializer[Any]):
    """A member, as explanations name them."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)


class SideSerializer(PlayerSerializer):
    """One of the two players of a game."""

    rating_before = exact(allow_null=True)


class StepSerializer(serializers.Serializer[Any]):
    """A step of the calculation; docs/json.md lists the names and their values."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    articles = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()
    values = serializers.DictField()


class LedgerLineSerializer(serializers.Serializer[Any]):
    """What an event did to a member, and why."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    kind = one_of([kind.name.lower() for kind in EventType])
    member = PlayerSerializer()
    category = one_of(CATEGORIES)
    occurred_at = serializers.DateTimeField()
    game = serializers.CharField(allow_null=True)
    opponent = PlayerSerializer(allow_null=True)
    reason = one_of([reason.name.lower() for reason in Reason])
    articles = serializers.ListField(child=serializers.CharField())
    before = exact(allow_null=True)
    after = exact(allow_null=True)
    change = exact(allow_null=True)
    displayed_before = serializers.IntegerField(allow_null=True)
    displayed_after = serializers.IntegerField(allow_null=True)
    sentence = serializers.CharField()
    steps = StepSerializer(many=True)


class RecalculationSerializer(serializers.Serializer[Any]):
    """A decision that moved a line, and how the line was before."""

    recalculated_at = serializers.DateTimeField()
    decision = serializers.CharField(allow_null=True)
    why = serializers.CharField(allow_null=True)
    before = exact(allow_null=True)
    after = exact(allow_null=True)


class ExplanationSerializer(LedgerLineSerializer):
    """A line of the ledger, explained, with the ways to its neighbours."""

    recalculated = RecalculationSerializer(many=True)
    previous = serializers.CharField(allow_null=True)
    next = serializers.CharField(allow_null=True)


class GoneLineSerializer(RecalculationSerializer):
    """A line that is no longer in the ledger, as it was, with what took it away."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    gone = serializers.BooleanField()
    member = PlayerSerializer()
    category = one_of(CATEGORIES)
    occurred_at = serializers.DateTimeField()
    opponent = PlayerSerializer(allow_null=True)
    change = exact(allow_null=True)
    next = serializers.CharField(allow_null=True)


class NoteSerializer(serializers.Serializer[Any]):
    """A reason why no rating changed."""

    articles = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()


class EventSerializer(serializers.Serializer[Any]):
    """The event of an arena to which a game belongs."""

    id = serializers.CharField(help_text="The id of the event, behind the name of its server.")
    url = serializers.CharField(help_text="The address of the page here.")
    name = serializers.CharField()
    round = serializers.CharField(allow_null=True)
    arena_url = serializers.CharField(allow_null=True, help_text="Its page on the arena.")


class GameDetailsSerializer(serializers.Serializer[Any]):
    """A game with the lines of both players, or with the reasons why it has none."""

    id = serializers.IntegerField(help_text="The office's number of the game.")
    url = serializers.CharField()
    external_id = serializers.CharField(allow_null=True)
    white = SideSerializer()
    black = SideSerializer()
    time_control = serializers.CharField()
    category = one_of(CATEGORIES, allow_null=True)
    rated = serializers.BooleanField()
    result = one_of(list(Game.Result.values), allow_null=True)
    termination = serializers.CharField()
    plies = serializers.IntegerField(allow_null=True)
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    voided_at = serializers.DateTimeField(allow_null=True)
    void_reason = serializers.CharField(allow_null=True)
    event = EventSerializer(allow_null=True)
    arena_url = serializers.CharField(allow_null=True, help_text="The page of the game on the arena.")
    variant = serializers.CharField(help_text="standard, or the name of a variant, which isn't rated.")
    pgn = serializers.CharField(allow_null=True)
    why_nothing = NoteSerializer(many=True)
    changes = LedgerLineSerializer(many=True)
