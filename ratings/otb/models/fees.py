"""B.02 0.3, 0.4, 9.3: rating fees, payments, and the federations' rating administrators."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import HundredthsField, user_field
from ratings.otb.models.tournaments import KIND_CHOICES, Tournament

_MOST = Decimal("99999.99")


class RatingFee(models.Model):
    """B.02 0.3: the fee for tournaments of a kind that begin on ``since`` or later, until the next one.

    Amounts have two decimals. Without a fee for its kind, a tournament owes nothing.
    """

    kind = models.SmallIntegerField(_("kind"), choices=KIND_CHOICES)
    since = models.DateField(_("from"), help_text=_("For tournaments that begin on this day or later."))
    per_tournament = HundredthsField(
        _("for the tournament"), default=0, validators=[MinValueValidator(0), MaxValueValidator(_MOST)]
    )
    per_player = HundredthsField(
        _("for each player"), default=0, validators=[MinValueValidator(0), MaxValueValidator(_MOST)]
    )
    currency = models.CharField(
        _("currency"),
        max_length=3,
        validators=[RegexValidator("^[A-Z]{3}$", _("Enter a code of three capital letters, such as EUR."))],
        help_text=_("Three-letter code, such as EUR."),
    )
    days = models.PositiveSmallIntegerField(
        _("days to pay"), default=30, help_text=_("From the day of the first report.")
    )

    class Meta:
        verbose_name = _("rating fee")
        verbose_name_plural = _("rating fees")
        ordering = ("kind", "-since")
        constraints = [
            # Which fee a tournament owes.
            models.UniqueConstraint(
                fields=["kind", "since"],
                name="rating_fee_once",
                violation_error_message=_("This kind of tournament already has a fee from this day on."),
            ),
            models.CheckConstraint(
                condition=Q(per_tournament__gte=0, per_player__gte=0), name="rating_fee_not_negative"
            ),
        ]

    def __str__(self) -> str:
        words = {"kind": self.get_kind_display(), "since": self.since}
        return gettext("%(kind)s from %(since)s") % words


class FeePayment(models.Model):
    """B.02 0.4: a payment for a tournament, with who registered it, and when.

    Its currency is that of the tournament's fee. A wrong payment is deleted.
    """

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="payments", verbose_name=_("tournament")
    )
    amount = HundredthsField(
        _("amount"), validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(_MOST)]
    )
    paid_on = models.DateField(_("paid on"))
    paid_by = models.CharField(_("paid by"), max_length=150, blank=True, help_text=_("Who sent the money."))
    recorded_at = models.DateTimeField(_("recorded at"), editable=False)
    recorded_by = user_field(_("recorded by"), blank=True, editable=False)

    class Meta:
        verbose_name = _("rating fee payment")
        verbose_name_plural = _("rating fee payments")
        ordering = ("-paid_on", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="fee_payment_of_something"),
        ]

    def __str__(self) -> str:
        words = {"tournament": self.tournament, "amount": self.amount, "day": self.paid_on}
        return gettext("%(tournament)s: %(amount)s on %(day)s") % words


class RatingAdministratorQuerySet(models.QuerySet["RatingAdministrator"]):
    def in_office(self, federation: str, on: date) -> RatingAdministrator | None:
        """Return the administrator whom this federation had designated on this day, or None."""
        return self.filter(federation=federation, since__lte=on).order_by("-since").first()


class RatingAdministrator(models.Model):
    """B.02 9.3: the rating administrator whom a federation has designated, until it designates the next.

    Only the name is kept. Nothing of this register is public.
    """

    federation = models.CharField(_("federation"), max_length=3, help_text=_("FIDE’s code."))
    name = models.CharField(_("administrator’s name"), max_length=150)
    since = models.DateField(_("designated on"))

    objects = RatingAdministratorQuerySet.as_manager()

    class Meta:
        verbose_name = _("federation rating administrator")
        verbose_name_plural = _("federation rating administrators")
        ordering = ("federation", "-since")
        constraints = [
            models.UniqueConstraint(
                fields=["federation", "since"],
                name="rating_administrator_once",
                violation_error_message=_("The federation already has an administrator from this day on."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.federation}: {self.name}"
