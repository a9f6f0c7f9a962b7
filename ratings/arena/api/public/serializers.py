"""The form of the answers. docs/json.md explains the fields, which have the same names as in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from members.exporting import member_rows
from members.models import TITLES, AccountClosure, Member
from ratings.rbb.lists.lines import Standing, standings_of
from ratings.rbb.models import Game
from ratings.rbb.models.keys import EventType
from ratings.rbb.serializers import CATEGORIES, CategoryField, exact


class RowSerializer(serializers.Serializer[Sequence[Any]]):
    """A row of a list: the values of the fields in their order, as the list's files have them."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return dict(zip(self.fields, instance, strict=True))


class _RankSerializer(RowSerializer):
    rank = serializers.IntegerField()


class _WhoSerializer(RowSerializer):
    username = serializers.CharField()
    fide_id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    title = serializers.ChoiceField(list(TITLES), allow_blank=True)
    federation = serializers.CharField(allow_blank=True)


class LiveRatingSerializer(_WhoSerializer):
    """A member on the live list."""

    rating = serializers.IntegerField(help_text="As it is displayed (RBB 3.12).")
    games = serializers.IntegerField(help_text="All rated games in the category.")
    exact = exact()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class PublishedListSerializer(RowSerializer):
    """A published list; one that has been replaced stays as it is."""

    month = serializers.RegexField("^[0-9]{4}-[0-9]{2}$")
    category = serializers.ChoiceField(CATEGORIES)
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


class ListLineSerializer(_RankSerializer, _WhoSerializer):
    """A line of a published list.

    Lists of version 0.5.0 and earlier end with ``k``, those up to 0.14.0 with ``earlier_change``.
    """

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

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return dict(zip(self.fields, instance, strict=False))


class MemberRowSerializer(RowSerializer):
    """A member with the displayed live ratings; null while unrated."""

    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    fide_id = serializers.IntegerField(allow_null=True)
    federation = serializers.CharField(allow_blank=True)
    title = serializers.ChoiceField(list(TITLES), allow_blank=True)
    rapid = serializers.IntegerField(allow_null=True)
    blitz = serializers.IntegerField(allow_null=True)
    bullet = serializers.IntegerField(allow_null=True)


class StandingSerializer(serializers.Serializer[Standing]):
    """Where a member stands in a category."""

    category = CategoryField()
    rating = serializers.IntegerField(
        source="displayed", allow_null=True, help_text="As it is displayed; null while unrated."
    )
    exact = exact(source="rating", allow_null=True)
    games = serializers.IntegerField()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class ClosureSerializer(serializers.Serializer[AccountClosure]):
    """When an account is closed for rated play: from its first moment up to, not including, its last."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields; one of their names is a Python keyword."""
        return {
            "from": serializers.DateTimeField(source="closed_from"),
            "until": serializers.DateTimeField(
                source="closed_until", allow_null=True, help_text="null: without an end."
            ),
            "reason": serializers.ChoiceField(AccountClosure.Category.values, source="category"),
        }


class MemberDetailsSerializer(MemberRowSerializer):
    """A member, and where they stand in each category in which they have played."""

    url = serializers.CharField(help_text="The address of the page.")
    full_member = serializers.BooleanField(help_text="Whether they are a full member now (RBB 2.1).")
    closures = ClosureSerializer(many=True, help_text="Rated games that start then are void.")
    standings = StandingSerializer(many=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        (row,) = member_rows(Member.objects.filter(pk=instance.pk))
        is_full = Member.objects.full(at=timezone.now()).filter(pk=instance.pk).exists()
        closures = ClosureSerializer(instance.closures.order_by("closed_from"), many=True)
        standings = StandingSerializer(standings_of([instance.pk])[instance.pk], many=True)
        return super().to_representation(
            (*row, instance.get_absolute_url(), is_full, closures.data, standings.data)
        )


class GameRowSerializer(RowSerializer):
    """A game."""

    id = serializers.IntegerField(help_text="The office's number of the game.")
    external_id = serializers.CharField(allow_null=True)
    white = serializers.CharField(help_text="A username.")
    black = serializers.CharField(help_text="A username.")
    time_control = serializers.CharField()
    category = serializers.ChoiceField(CATEGORIES, allow_null=True)
    rated = serializers.BooleanField()
    result = serializers.ChoiceField(
        list(Game.Result.values), allow_null=True, help_text="null without a result."
    )
    termination = serializers.CharField(allow_null=True, help_text="null while the game is in progress.")
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    voided_at = serializers.DateTimeField(allow_null=True)
    not_counted_because = serializers.CharField(allow_blank=True)
    event_id = serializers.CharField(allow_null=True, help_text="The id of the event, as `event` asks for.")
    round = serializers.CharField(allow_null=True)
    arena_url = serializers.CharField(allow_null=True, help_text="The page of the game on the arena.")
    variant = serializers.CharField(help_text="standard, or the name of a variant, which isn't rated.")


class LedgerRowSerializer(RowSerializer):
    """What one event did to the member."""

    id = serializers.IntegerField(help_text="The line of the ledger that explains it.")
    occurred_at = serializers.DateTimeField()
    category = serializers.ChoiceField(CATEGORIES)
    username = serializers.CharField()
    kind = serializers.ChoiceField([kind.slug for kind in EventType])
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
