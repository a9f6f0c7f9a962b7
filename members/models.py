"""Who plays: the members of the arena and their spans of full membership."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse

__all__ = ["TITLES", "FullMembership", "Member"]

TITLES = ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM", "AGM", "AIM", "AFM", "ACM")
"""Over-the-board titles, then the titles of the arena, highest first."""


class MemberQuerySet(models.QuerySet["Member"]):
    """The nouns of the registrar."""

    def full(self, *, at: datetime) -> Self:
        """RBB 2.1: those who are full members at this moment."""
        return self.filter(Exists(FullMembership.objects.at(at).filter(member=OuterRef("pk"))))

    def matching(self, text: str) -> Self:
        """Those whose name or username contains the text, or whose FIDE ID it is."""
        text = text.strip().replace("\x00", "")
        match = Q(name__icontains=text) | Q(username__icontains=text)
        if text.isascii() and text.isdigit() and len(text) <= 9:
            match |= Q(fide_id=int(text))
        return self.filter(match)


class Member(models.Model):
    """A person on the books of the arena."""

    class Sex(models.TextChoices):
        """As the FIDE rating list writes it."""

        MALE = "M", "male"
        FEMALE = "F", "female"

    username = models.CharField(
        max_length=150,
        unique=True,
        validators=[
            RegexValidator(r"\A\S(?:[^\x00-\x1f\x7f]*\S)?\Z", "No control characters, no outer spaces.")
        ],
        help_text="The name he plays under.",
    )
    name = models.CharField(max_length=100, blank=True, help_text="Last, First")
    fide_id = models.PositiveIntegerField(
        "FIDE ID",
        null=True,
        blank=True,
        unique=True,
        validators=[MinValueValidator(1), MaxValueValidator(999_999_999)],
    )
    federation = models.CharField(
        max_length=3,
        blank=True,
        validators=[RegexValidator(r"\A[A-Z]{3}\Z", "Three capital letters, such as NOR.")],
        help_text="FIDE's three-letter code.",
    )
    sex = models.CharField(max_length=1, blank=True, choices=Sex)
    birth_year = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1900), MaxValueValidator(2100)]
    )
    title = models.CharField(max_length=3, blank=True, choices=[(title, title) for title in TITLES])
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="member",
        help_text="The login of this member, if he has one.",
    )

    objects = MemberQuerySet.as_manager()

    class Meta:
        ordering = ("name", "username", "pk")
        indexes = [
            # The members page: browsing in its order.
            models.Index(fields=["name", "username", "id"], name="member_by_name"),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def get_absolute_url(self) -> str:
        """The public page of this member."""
        return reverse("members:detail", args=(self.pk,))


class FullMembershipQuerySet(models.QuerySet["FullMembership"]):
    """The nouns of RBB 2.1."""

    def at(self, moment: datetime) -> Self:
        """The spans in which this moment lies. NULL end means still a member."""
        return self.filter(Q(full_until=None) | Q(full_until__gt=moment), full_from__lte=moment)


class FullMembership(models.Model):
    """RBB 2.1: a span of full membership, from its first moment up to, not including, its last (UTC)."""

    member = models.ForeignKey(
        # No index of its own: the unique constraint below begins with the member.
        Member, on_delete=models.CASCADE, related_name="full_memberships", db_index=False
    )  # fmt: skip
    full_from = models.DateTimeField("full member from")
    full_until = models.DateTimeField("until", null=True, blank=True, help_text="Empty: still a full member.")

    objects = FullMembershipQuerySet.as_manager()

    class Meta:
        ordering = ("member", "full_from")
        constraints = [
            models.CheckConstraint(
                condition=Q(full_until=None) | Q(full_from__lt=F("full_until")),
                name="full_membership_from_before_until",
                violation_error_message="A span of full membership ends after it begins.",
            ),
            # With clean(): spans of one member do not overlap.
            models.UniqueConstraint(fields=["member", "full_from"], name="full_membership_one_from"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(full_until=None), name="full_membership_one_open_end"
            ),
        ]

    def __str__(self) -> str:
        until = f"{self.full_until:%Y-%m-%d}" if self.full_until else "…"
        return f"{self.full_from:%Y-%m-%d} – {until}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the span, refusing one that overlaps another of the same member."""
        with transaction.atomic(using=kwargs.get("using")):
            # Two spans entered at once wait for each other here.
            Member.objects.select_for_update(no_key=True).filter(pk=self.member_id).first()
            self.clean()
            super().save(*args, **kwargs)

    def clean(self) -> None:
        """Spans of one member do not overlap; raises ValidationError naming the other span."""
        if self.full_from is None or self.member_id is None:
            return
        others = FullMembership.objects.filter(
            Q(full_until=None) | Q(full_until__gt=self.full_from), member_id=self.member_id
        ).exclude(pk=self.pk)
        if self.full_until is not None:
            others = others.filter(full_from__lt=self.full_until)
        if other := others.first():
            raise ValidationError(f"This span overlaps {other}: a member is a full member once at a time.")
