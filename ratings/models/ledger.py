"""Projections: what the rules make of the inputs. Nobody edits them; ``manage.py replay`` rebuilds them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Self

from django.db import models
from django.db.models import Q
from django.urls import reverse

from members.models import Member
from ratings.models.fields import CategoryField, ComputedKeyField, HundredthsField
from ratings.models.games import Game, OpeningRating, OtbAdjustment
from ratings.rules.rbb import FIRST_RATING_GAMES, Reason, k_article
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

__all__ = ["Kind", "Rating", "RatingChange", "change_id", "rating_id"]

_KIND_SHIFT = 50
REASONS: Final = [(reason.value, reason.sentence) for reason in Reason]


class Kind(IntEnum):
    """What an event of the ledger is, in the order in which events of one moment are taken."""

    OPENING = 0
    ADJUSTMENT = 1
    GAME = 2


def change_id(kind: Kind, event_id: int, black: bool = False) -> int:
    """The key of a ledger row: its kind, its event, and White before Black.

    So one event has one row for a member, a rebuild gives every row the key it had, and the order of events
    (moment, kind, event) is the order of (occurred_at, id). It stays below 2**53, exact also in JavaScript.
    """
    return (kind << _KIND_SHIFT) + 2 * event_id + black


def rating_id(member_id: int, category: Category) -> int:
    """The key of the row that says where a member stands in a category."""
    return 4 * member_id + category


class RatingChangeQuerySet(models.QuerySet["RatingChange"]):
    """The nouns of the ledger."""

    def in_order(self) -> Self:
        """Event order: moment, kind, event, White before Black."""
        return self.order_by("occurred_at", "id")

    def of_kind(self, kind: Kind) -> Self:
        """Rows of events of this kind."""
        return self.filter(id__gte=kind << _KIND_SHIFT, id__lt=(kind + 1) << _KIND_SHIFT)

    def of_game(self, game: Game) -> Self:
        """The rows of a game, White's first. By key: there is no index on the game beside it."""
        first = change_id(Kind.GAME, game.pk)
        return self.filter(pk__in=(first, first + 1)).order_by("pk")

    def with_events(self) -> Self:
        """With what a list of changes shows."""
        return self.select_related("member", "opponent", "game", "opening", "adjustment")


class RatingChange(models.Model):
    """One line of the ledger: what one event did to one member, also when nothing changed.

    The fields from ``after`` to ``k`` are those of :class:`ratings.rules.rbb.Line`.
    """

    id = ComputedKeyField(primary_key=True, editable=False)
    # The inputs hold the foreign keys; rows that follow from them, millions at once, need no second check in
    # the database. DO_NOTHING: the replay after a deletion takes the rows of its event away.
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="rating_changes", db_index=False, db_constraint=False
    )
    category = CategoryField()
    occurred_at = models.DateTimeField()
    game = models.ForeignKey(
        Game, null=True, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    opening = models.ForeignKey(
        OpeningRating, null=True, on_delete=models.DO_NOTHING, related_name="+",
        db_index=False, db_constraint=False,
    )  # fmt: skip
    adjustment = models.ForeignKey(
        OtbAdjustment, null=True, on_delete=models.DO_NOTHING, related_name="+",
        db_index=False, db_constraint=False,
    )  # fmt: skip
    opponent = models.ForeignKey(
        Member, null=True, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    after = HundredthsField(null=True)
    games = models.PositiveIntegerField()
    previously_unrated = models.BooleanField()
    first_half_points = models.PositiveSmallIntegerField()
    first_opponents = HundredthsField()
    peak = HundredthsField(null=True)
    before = HundredthsField(null=True)
    reason = models.PositiveSmallIntegerField(choices=REASONS)
    change = HundredthsField(null=True)
    half_points = models.PositiveSmallIntegerField(null=True)
    opponent_rating = HundredthsField(null=True)
    difference = models.PositiveIntegerField(null=True)
    expected = models.PositiveSmallIntegerField(null=True, help_text="PD in hundredths")
    k = models.PositiveSmallIntegerField("K", null=True)

    objects = RatingChangeQuerySet.as_manager()

    class Meta:
        ordering = ("-occurred_at", "-id")
        indexes = [
            # A member's history; where he stood at a moment.
            models.Index(fields=["member", "occurred_at"], name="change_of_member"),
            # Replay reads what stands from a moment on; the page of all changes, latest first.
            models.Index(fields=["occurred_at", "id"], name="change_by_moment"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(game__isnull=False, opening=None, adjustment=None)
                | Q(game=None, opening__isnull=False, adjustment=None)
                | Q(game=None, opening=None, adjustment__isnull=False),
                name="change_has_one_event",
            )
        ]

    def __str__(self) -> str:
        return f"{self.member} {self.category.slug} {self.before or '–'} → {self.after or '–'}"

    def get_absolute_url(self) -> str:
        """The permanent page of this row."""
        return reverse("ratings:change", args=(self.pk,))

    @property
    def kind(self) -> Kind:
        """Opening, adjustment or game."""
        return Kind(self.id >> _KIND_SHIFT)

    @property
    def event(self) -> Game | OpeningRating | OtbAdjustment:
        """The input that this row is about."""
        # Exactly one is there: check constraint change_has_one_event.
        return self.game or self.opening or self.adjustment  # type: ignore[return-value]

    @property
    def why(self) -> Reason:
        """The reason with its article."""
        return Reason(self.reason)  # type: ignore[call-arg]  # by value

    @property
    def k_article(self) -> str:
        """RBB 3.10: the paragraph that gave K, empty where none was used."""
        return "" if self.k is None else k_article(self.category, self.k)


class Rating(models.Model):
    """Where a member stands in a category: the standing that his last ledger row left."""

    id = ComputedKeyField(primary_key=True, editable=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="ratings")
    category = CategoryField()
    rating = HundredthsField(null=True, help_text="Empty: unrated.")
    games = models.PositiveIntegerField()
    previously_unrated = models.BooleanField()
    first_half_points = models.PositiveSmallIntegerField()
    first_opponents = HundredthsField()
    peak = HundredthsField(null=True)
    last_event_at = models.DateTimeField()
    last_change = models.ForeignKey(RatingChange, on_delete=models.DO_NOTHING, related_name="+")

    class Meta:
        ordering = ("category", "-rating", "member")
        constraints = [models.UniqueConstraint(fields=["member", "category"], name="rating_unique")]
        indexes = [
            # The rating list of a category.
            models.Index(
                "category", models.F("rating").desc(), "member",
                condition=Q(rating__isnull=False), name="rating_list",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.member} {self.category.slug} {self.displayed or 'unrated'}"

    @property
    def displayed(self) -> int | None:
        """RBB 3.12, 3.13: the rating as it is shown, None while unrated."""
        return None if self.rating is None else displayed(to_hundredths(self.rating))

    @property
    def results_so_far(self) -> int | None:
        """RBB 3.6: results towards the first rating, 0 to 4; None for a rated member."""
        if self.rating is not None:
            return None
        return 0 if self.games == FIRST_RATING_GAMES else self.games
