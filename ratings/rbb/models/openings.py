"""Starting ratings, with which members start."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from foa.history import ChangeHistory
from foa.said import plain
from foa.text import points, utc
from members.models import Member
from ratings.office.fields import HundredthsField
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models.fields import CategoryField, EventType
from ratings.rbb.models.games import ImportBatch
from ratings.rbb.models.inputs import EffectiveInput, InputQuerySet
from ratings.rules.rbb import rating


class OpeningQuerySet(InputQuerySet):
    """Starting ratings. A member with merged accounts may have several in a category."""

    def with_outranked(self) -> Self:
        """Annotate ``outranked``: of two at one moment the higher rating applies, or the first (RBB 3.4)."""
        others = OpeningRating.objects.filter(
            Q(rating__gt=OuterRef("rating")) | Q(rating=OuterRef("rating"), pk__lt=OuterRef("pk")),
            member=OuterRef("member"),
            category=OuterRef("category"),
            effective_at=OuterRef("effective_at"),
        )
        return self.annotate(outranked=Exists(others))


class OpeningRating(EffectiveInput):
    """RBB 3.4: a first rating from a FIDE list, or one carried over from an earlier system."""

    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        related_name="opening_ratings",
        db_index=False,
        verbose_name=_("member"),
    )
    category = CategoryField(_("category"))
    rating = HundredthsField(
        _("rating"),
        validators=[MinValueValidator(rating.FLOOR // 100), MaxValueValidator(4000)],
        help_text=_("Exact, with two decimals."),
    )
    games = models.PositiveIntegerField(_("games"), default=0, help_text=_("Rated games carried over."))
    previously_unrated = models.BooleanField(
        _("previously unrated"),
        default=False,
        help_text=_("K = 40 until the member has completed 30 rated games (RBB 3.10.3)."),
    )
    effective_at = models.DateTimeField(_("effective at"), help_text="UTC")
    source = models.CharField(
        _("source"), max_length=255, help_text=_("FIDE list and rating type, or the earlier system.")
    )
    batch = models.ForeignKey(
        ImportBatch,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        editable=False,
        verbose_name=_("import batch"),
    )

    KIND: ClassVar = EventType.OPENING
    RATING_FIELDS: ClassVar = frozenset(
        {"member", "category", "rating", "games", "previously_unrated", "effective_at"}
    )
    """Fields that decide ratings."""

    IDENTITY: ClassVar = ("member_id", "category", "effective_at")

    objects: ClassVar[Any] = OpeningQuerySet.as_manager()
    history = ChangeHistory()

    class Meta:
        verbose_name = _("starting rating")
        verbose_name_plural = _("starting ratings")
        ordering = ("effective_at", "pk")
        constraints = [
            models.CheckConstraint(
                # Hundredths in the database, points in Python: Q() uses the Python values.
                condition=Q(rating__gte=rating.FLOOR // 100),
                name="opening_rating_floor",
                violation_error_message=_("A rating can’t be below the floor of 100.00 (RBB 3.2)."),
            ),
        ]
        indexes = [
            models.Index(fields=["category", "effective_at", "id"], name="opening_events"),
            # For a member's openings, and those at one moment.
            models.Index(fields=["member", "category", "effective_at"], name="openings_of_member"),
        ]

    def validate_unique(self, exclude: Any = None) -> None:
        """Refuse a second one in the category (RBB 3.4). Accounts merged into the member may have theirs."""
        super().validate_unique(exclude)
        if not self._state.adding or self.member_id is None or self.category is None:
            return
        of_category = OpeningRating.objects.filter(member=self.member_id, category=self.category)
        if Member.everybody.filter(merged_into=self.member_id).exists():
            of_category = of_category.filter(effective_at=self.effective_at)
        if (there := of_category.order_by("effective_at", "pk").first()) is not None:
            raise ValidationError(told_of_opening(there))

    def __str__(self) -> str:
        return plain("%(member)s, %(category)s: %(rating)s (%(source)s)") % {
            "member": self.member,
            "category": CATEGORY_NAMES[self.category],
            "rating": points(self.rating),
            "source": self.source,
        }


def told_of_opening(there: OpeningRating) -> str:
    """Return why the member can't have another one in the category, and what to do instead."""
    told = _(
        "The member already has a first rating in %(category)s: %(rating)s from %(moment)s. A member can "
        "have only one per category (RBB 3.4), so correct that one instead."
    )
    return told % {
        "category": CATEGORY_NAMES[there.category],
        "rating": points(there.rating),
        "moment": utc(there.effective_at),
    }
