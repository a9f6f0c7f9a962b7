"""B.02 0.5: tournaments that the office won’t rate, and appeals."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from ratings.office.fields import user_field
from ratings.rules.b02.eligibility import appeal_until


class Refusal(models.Model):
    """B.02 0.5: a refusal to rate a tournament, and what became of it. It is never deleted.

    An appeal is open for ``APPEAL_DAYS`` from the refusal. It is upheld or dismissed, with a reason. A
    refusal ends when an appeal is upheld, when the office takes it back, or when a new report takes the
    place of the refused one. A dismissed appeal leaves it as it was.
    """

    class End(models.IntegerChoices):
        """Reason why a refusal no longer stands."""

        UPHELD = 1, _("the appeal was upheld")
        TAKEN_BACK = 2, _("reversed by the office")
        REPORTED = 3, _("a new report was received")

    tournament = models.ForeignKey(
        "Tournament", on_delete=models.CASCADE, related_name="refusals", verbose_name=_("tournament")
    )
    text = models.TextField(_("reasons for the refusal"), blank=True)
    refused_on = models.DateField(_("refused on"))
    refused_by = user_field(_("refused by"), blank=True)
    appealed_on = models.DateField(_("appealed on"), null=True, blank=True)
    appeal = models.TextField(_("appeal"), blank=True)
    decided_on = models.DateField(_("appeal decided on"), null=True, blank=True)
    upheld = models.BooleanField(_("upheld"), null=True)
    decision = models.TextField(_("reason for the decision"), blank=True)
    decided_by = user_field(_("decided by"), blank=True)
    ended_on = models.DateField(_("ended on"), null=True, blank=True)
    end = models.SmallIntegerField(_("end"), choices=End, null=True, blank=True)
    end_reason = models.TextField(_("reason for withdrawing it"), blank=True)

    class Meta:
        verbose_name = _("refusal")
        verbose_name_plural = _("refusals")
        ordering = ("tournament", "pk")
        constraints = [
            # B.02 0.5: what a tournament is refused for.
            models.UniqueConstraint(
                fields=["tournament"], condition=Q(ended_on=None), name="refusal_stands_once"
            ),
            # What compares with NULL would pass, so each says what isn't.
            models.CheckConstraint(
                condition=Q(appealed_on=None, appeal="")
                | Q(appealed_on__isnull=False, appealed_on__gte=F("refused_on")) & ~Q(appeal=""),
                name="refusal_appeal_with_its_text",
            ),
            models.CheckConstraint(
                condition=Q(decided_on=None, upheld=None, decision="")
                | Q(
                    appealed_on__isnull=False,
                    decided_on__isnull=False,
                    decided_on__gte=F("appealed_on"),
                    upheld__isnull=False,
                )
                & ~Q(decision=""),
                name="refusal_decision_with_its_reason",
            ),
            models.CheckConstraint(
                condition=Q(ended_on=None, end=None)
                | Q(ended_on__isnull=False, end__isnull=False)
                & (Q(end=1, upheld__isnull=False, upheld=True) | Q(end=2) & ~Q(end_reason="") | Q(end=3)),
                name="refusal_ends_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament}: {date_text(self.refused_on)}"

    @property
    def appeal_until(self) -> date:
        """Last day on which the organizer may appeal."""
        return appeal_until(self.refused_on)

    @property
    def can_be_appealed(self) -> bool:
        """True if the organizer has not appealed and still can (today, UTC)."""
        is_open = self.appealed_on is None and self.ended_on is None
        return is_open and timezone.now().date() <= self.appeal_until

    @property
    def appeal_is_open(self) -> bool:
        """True if an appeal waits for its decision."""
        return self.appealed_on is not None and self.decided_on is None and self.ended_on is None
