"""Projections: results of the rules from the inputs. Never edited; ``manage.py replay`` rebuilds them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from foa.text import points
from members.models import Member
from ratings.office.fields import ComputedKeyField, HundredthsField, hundredths
from ratings.rbb.labels import CATEGORY_NAMES, REASON_CHOICES
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.fields import CategoryField, EventType, UncheckedKey, keys_of_kind, kind_of
from ratings.rbb.models.games import Game
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.rating import LedgerLine, Reason, k_article
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.units import WIN, HalfPoints


class RatingChangeQuerySet(models.QuerySet["RatingChange"]):
    def in_order(self) -> Self:
        """Order by event: moment, kind, event, White before Black."""
        return self.order_by("occurred_at", "id")

    def until(self, moment: datetime) -> Self:
        """Return rows of events at or before this moment."""
        return self.filter(occurred_at__lte=moment)

    def of_kind(self, kind: EventType) -> Self:
        """Return rows of events of this kind."""
        keys = keys_of_kind(kind)
        return self.filter(id__gte=keys.start, id__lt=keys.stop)

    def of_game(self, game: Game) -> Self:
        """Return the rows of a game, White's first, by key: there is no separate index on the game."""
        return self.filter(pk__in=game.ledger_keys).order_by("pk")

    def upsets(self) -> models.QuerySet[Any]:
        """Return wins against a higher rating, biggest first; ``higher``: the difference in hundredths."""
        higher = hundredths("opponent_rating") - hundredths("before")
        wins = self.filter(half_points=WIN, opponent_rating__gt=F("before"))
        return wins.annotate(higher=higher).order_by("-higher", "pk")

    def earlier_than(self, row: RatingChange) -> Self:
        """Return rows of events before this one, latest first."""
        return self.filter(
            Q(occurred_at__lt=row.occurred_at) | Q(pk__lt=row.pk), occurred_at__lte=row.occurred_at
        ).order_by("-occurred_at", "-id")

    def with_events(self) -> Self:
        """Select the related rows that a list of changes shows."""
        # For a game that would be its number, which the line has.
        return self.select_related("member", "opponent", "opening", "adjustment")

    def with_event_of(self, key: int) -> Self:
        """Select what this line's page shows: its opening or adjustment, and that one's FIDE list."""
        rows = self.select_related("member", "opponent")
        if key in keys_of_kind(EventType.OPENING):
            return rows.select_related("opening__first_rating__fide_list")
        if key in keys_of_kind(EventType.ADJUSTMENT):
            return rows.select_related("adjustment__announced")
        return rows


class RatingChange(models.Model):
    """A line of the ledger: the effect of one event on one member, even if nothing changed.

    The fields from ``after`` to ``k`` are those of :class:`ratings.rules.rbb.rating.LedgerLine`.
    """

    id = ComputedKeyField(primary_key=True, editable=False)
    member = UncheckedKey(Member, verbose_name=_("member"), related_name="rating_changes")
    category = CategoryField(_("category"))
    occurred_at = models.DateTimeField(_("time"))
    # DO_NOTHING: the replay after a deletion removes the rows of its event.
    game = UncheckedKey(Game, verbose_name=_("game"), null=True, on_delete=models.DO_NOTHING)
    opening = UncheckedKey(
        OpeningRating, verbose_name=_("starting rating"), null=True, on_delete=models.DO_NOTHING
    )
    adjustment = UncheckedKey(
        OtbAdjustment, verbose_name=_("over-the-board adjustment"), null=True, on_delete=models.DO_NOTHING
    )
    opponent = UncheckedKey(Member, verbose_name=_("opponent"), null=True)
    after = HundredthsField(_("after"), null=True)
    games = models.PositiveIntegerField(_("games"))
    previously_unrated = models.BooleanField(_("previously unrated"))
    first_half_points = models.PositiveSmallIntegerField(_("half points from the first results"))
    first_opponents = HundredthsField(_("sum of the first opponents’ ratings"))
    peak = HundredthsField(_("peak"), null=True)
    before = HundredthsField(_("before"), null=True)
    reason = models.PositiveSmallIntegerField(_("reason"), choices=REASON_CHOICES)
    change = HundredthsField(_("change"), null=True)
    half_points = models.PositiveSmallIntegerField(_("half points"), null=True)
    opponent_rating = HundredthsField(_("opponent’s rating"), null=True)
    difference = models.PositiveIntegerField("D", null=True)
    expected = models.PositiveSmallIntegerField("PD", null=True, help_text=_("PD in hundredths"))
    k = models.PositiveSmallIntegerField("K", null=True)
    # The computed and compared columns end here; this one says who last wrote the line.
    entry = models.BigIntegerField(
        _("outbox entry"),
        db_default=0,
        editable=False,
        help_text=_("The entry that announced the line as it is now; 0 for lines from before the outbox."),
    )

    objects = RatingChangeQuerySet.as_manager()

    class Meta:
        verbose_name = _("rating change")
        verbose_name_plural = _("rating changes")
        ordering = ("-occurred_at", "-id")
        indexes = [
            # For a member's history, and their standing at a moment.
            models.Index(fields=["member", "occurred_at"], name="change_of_member"),
            # For replay, which reads the lines from a moment on; for the page of all changes, latest first.
            models.Index(fields=["occurred_at", "id"], name="change_by_moment"),
            # For the change feed: the lines of an entry, a page at a time.
            models.Index(fields=["entry", "id"], name="change_of_entry"),
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
        before, after = points(self.before), points(self.after)
        return f"{self.member}, {CATEGORY_NAMES[self.category]}: {before} → {after}"

    def get_absolute_url(self) -> str:
        return address_of("ratings:change", self.pk)

    @property
    def kind(self) -> EventType:
        """The kind of event: opening, adjustment or game."""
        return kind_of(self.id)

    @property
    def event(self) -> Game | OpeningRating | OtbAdjustment:
        """The input that this row is about."""
        # Exactly one exists: check constraint change_has_one_event.
        return self.game or self.opening or self.adjustment  # type: ignore[return-value]

    @property
    def why(self) -> Reason:
        """The reason with its article."""
        return Reason(self.reason)  # type: ignore[call-arg]  # by value

    @property
    def k_article(self) -> str:
        """RBB 3.10: the paragraph for K, empty if none was used."""
        return "" if self.k is None else k_article(self.category, self.k)


class Rating(models.Model):
    """A member's standing in a category after their last ledger row."""

    id = ComputedKeyField(primary_key=True, editable=False)
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="ratings", verbose_name=_("member")
    )
    category = CategoryField(_("category"))
    rating = HundredthsField(_("rating"), null=True, help_text=_("Blank if unrated."))
    games = models.PositiveIntegerField(_("games"))
    previously_unrated = models.BooleanField(_("previously unrated"))
    first_half_points = models.PositiveSmallIntegerField(_("half points from the first results"))
    first_opponents = HundredthsField(_("sum of the first opponents’ ratings"))
    peak = HundredthsField(_("peak"), null=True)
    last_event_at = models.DateTimeField(_("last event"))
    last_change = models.ForeignKey(
        RatingChange, on_delete=models.DO_NOTHING, related_name="+", verbose_name=_("last change")
    )

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        ordering = ("category", "-rating", "member")
        constraints = [models.UniqueConstraint(fields=["member", "category"], name="rating_unique")]
        indexes = [
            # For the rating list of a category.
            models.Index(
                "category",
                models.F("rating").desc(),
                "member",
                condition=Q(rating__isnull=False),
                name="rating_list",
            ),
        ]

    def __str__(self) -> str:
        shown = gettext("unrated") if self.displayed is None else self.displayed
        return f"{self.member}, {CATEGORY_NAMES[self.category]}: {shown}"

    @property
    def displayed(self) -> int | None:
        """RBB 3.12, 3.13: the displayed rating, None while unrated."""
        return None if self.rating is None else displayed(to_hundredths(self.rating))

    @property
    def standing(self) -> LedgerLine:
        """The standing in the form used by the rules, from which the next step continues; hundredths."""
        return LedgerLine(
            rating=None if self.rating is None else to_hundredths(self.rating),
            games=self.games,
            previously_unrated=self.previously_unrated,
            first_half_points=HalfPoints(self.first_half_points),
            first_opponents=to_hundredths(self.first_opponents),
            peak=None if self.peak is None else to_hundredths(self.peak),
        )
