"""Over-the-board changes, added to the ratings of members."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foa.history import ChangeHistory
from foa.said import Month, plain
from foa.text import signed
from members.models import Member
from ratings.office.fields import HundredthsField, MonthField, is_month
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models.fields import CategoryField, EventType
from ratings.rbb.models.games import ImportBatch
from ratings.rbb.models.inputs import EffectiveInput
from ratings.rules.time_controls import Category


class OtbAdjustment(EffectiveInput):
    """RBB 3.15: the sum of a member's over-the-board changes in a FIDE list period, added once."""

    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        related_name="otb_adjustments",
        db_index=False,
        verbose_name=_("member"),
    )
    category = CategoryField(_("category"))
    period = MonthField(_("period"), help_text=_("First day of the list’s month."))
    change = HundredthsField(_("change"), help_text=_("New published rating minus the previous one."))
    effective_at = models.DateTimeField(_("effective at"), help_text=_("When the list was announced, UTC."))
    source = models.CharField(_("source"), max_length=255)
    batch = models.ForeignKey(
        ImportBatch,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        editable=False,
        verbose_name=_("import batch"),
    )

    KIND: ClassVar = EventType.ADJUSTMENT
    RATING_FIELDS: ClassVar = frozenset({"member", "category", "change", "effective_at"})
    """Fields that decide ratings."""

    IDENTITY: ClassVar = ("member_id", "category", "period")

    history = ChangeHistory()

    class Meta:
        verbose_name = _("over-the-board adjustment")
        verbose_name_plural = _("over-the-board adjustments")
        ordering = ("effective_at", "pk")
        constraints = [
            models.UniqueConstraint(fields=["member", "category", "period"], name="otb_adjustment_unique"),
            models.CheckConstraint(
                condition=Q(category__in=(Category.RAPID, Category.BLITZ)),
                name="otb_adjustment_never_bullet",
                violation_error_message=_("Bullet ratings have no over-the-board changes (RBB 1.3)."),
            ),
            # RBB 3.15: two days in one month would be two changes for it.
            models.CheckConstraint(
                condition=is_month("period"),
                name="otb_adjustment_of_a_month",
                violation_error_message=_("A list period is a month, stored as its first day (RBB 3.15)."),
            ),
        ]
        indexes = [models.Index(fields=["category", "effective_at", "id"], name="adjustment_events")]

    def __str__(self) -> str:
        return plain("%(member)s, %(category)s: %(change)s (%(month)s)") % {
            "member": self.member,
            "category": CATEGORY_NAMES[self.category],
            "change": signed(self.change),
            "month": Month(self.period),
        }
