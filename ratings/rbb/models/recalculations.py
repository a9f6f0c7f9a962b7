"""Effects of corrections on the ledger: the moment from which lines differ, and the lines as they were."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from foa.text import points, utc
from members.models import Member
from ratings.office.fields import HundredthsField
from ratings.office.models import ChangeSet
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models.fields import CategoryField, UncheckedKey

SETTLED_AFTER: Final = timedelta(hours=1)
"""Time after the end of a game from which a later result is recorded like a correction."""


class RecalculationQuerySet(models.QuerySet["Recalculation"]):
    def reaching(self, moment: datetime) -> Self:
        """Return those that changed the ledger at this moment, latest first."""
        return self.filter(since__lte=moment).order_by("-at", "-pk")

    def after_settling(self, moment: datetime) -> Self:
        """Return those made after all results of this moment were expected to be in."""
        return self.reaching(moment).filter(at__gt=moment + SETTLED_AFTER)

    def deciding(self, lines: Iterable[int]) -> Self:
        """Return the public decisions that changed lines with these keys, latest first."""
        of_lines = RecalculatedLine.objects.filter(line__in=list(lines))
        decided = self.filter(change_set__isnull=False, pk__in=of_lines.values("recalculation"))
        return decided.select_related("change_set").order_by("-at", "-pk")

    def in_force(self) -> Self:
        """Return those of decisions that count, without any that was taken back."""
        return self.filter(change_set__in=ChangeSet.objects.in_force().order_by())

    def taking_lines_of(self, member: int) -> Self:
        """Return those that removed a line of the member with this key."""
        lines = RecalculatedLine.objects.filter(gone=True, member=member)
        return self.filter(pk__in=lines.values("recalculation"))


class Recalculation(models.Model):
    """A set of ledger lines rewritten, added or removed together, behind the newest ones.

    Ratings of a moment at or after ``since`` may have been different when viewed before ``at``.
    """

    category = CategoryField(_("category"))
    since = models.DateTimeField(
        _("reaches back to"), help_text=_("Time of the earliest ledger line that changed.")
    )
    at = models.DateTimeField(_("recalculated at"))
    lines = models.PositiveIntegerField(_("lines"), help_text=_("Ledger lines changed."))

    change_set = models.ForeignKey(
        ChangeSet,
        null=True,
        on_delete=models.PROTECT,
        related_name="recalculations",
        verbose_name=_("change set"),
        help_text=_("Entry in the register; blank for new results."),
    )
    entry = models.BigIntegerField(
        _("outbox entry"),
        db_default=0,
        editable=False,
        help_text=_("The entry that announced it; 0 for recalculations from before the outbox."),
    )

    objects = RecalculationQuerySet.as_manager()

    class Meta:
        verbose_name = _("recalculation")
        verbose_name_plural = _("recalculations")
        ordering = ("-at", "-pk")
        indexes = [
            # For the last one that affects a moment, which a list's page asks for.
            models.Index(fields=["category", "at"], name="recalculation_by_time"),
            # For the change feed: the lines that an entry removed.
            models.Index(fields=["entry"], name="recalculation_of_entry"),
        ]

    def __str__(self) -> str:
        return f"{CATEGORY_NAMES[self.category]}: {utc(self.since)} – {utc(self.at)}"


class RecalculatedLineQuerySet(models.QuerySet["RecalculatedLine"]):
    """Queries on lines that moved."""

    def of_line(self, line: int) -> Self:
        """Return the changes of the line with this key, latest first."""
        return (
            self.filter(line=line)
            .select_related("recalculation__change_set", "member", "opponent")
            .order_by("-pk")
        )

    def by_decision(self) -> Self:
        """Return those shown in the register, without results that were still expected."""
        return self.filter(recalculation__change_set__isnull=False)


class RecalculatedLine(models.Model):
    """A line of the ledger as it was before a recalculation changed or removed it.

    Kept for lines changed by a decision and for all removed lines, so that ``/changes/<key>/`` stays a valid
    address.
    """

    recalculation = models.ForeignKey(
        Recalculation, on_delete=models.CASCADE, related_name="moved_lines", verbose_name=_("recalculation")
    )
    line = models.BigIntegerField(_("line"), help_text=_("The line’s number in the ledger."))
    gone = models.BooleanField(_("removed"))
    # The past of a member without facts doesn't keep them registered.
    member = UncheckedKey(Member, on_delete=models.CASCADE, verbose_name=_("member"))
    category = CategoryField(_("category"))
    occurred_at = models.DateTimeField(_("time"))
    opponent = UncheckedKey(Member, on_delete=models.SET_NULL, verbose_name=_("opponent"), null=True)
    before = HundredthsField(_("before"), null=True)
    after = HundredthsField(_("after"), null=True)
    change = HundredthsField(_("change"), null=True)
    reason = models.PositiveSmallIntegerField(_("reason"))

    objects = RecalculatedLineQuerySet.as_manager()

    class Meta:
        verbose_name = _("recalculated line")
        verbose_name_plural = _("recalculated lines")
        ordering = ("-pk",)
        indexes = [
            # For the changes of a line, latest first.
            models.Index(fields=["line", "-id"], name="recalculated_line")
        ]

    def __str__(self) -> str:
        return f"{self.member}, {CATEGORY_NAMES[self.category]}: {points(self.before)} → {points(self.after)}"


class LateLine(models.Model):
    """A game's line as it was on a published list, before it was added, removed or changed behind that list.

    It lets the next list tell which games counted on the previous one, and which were entered late or
    withdrawn. Only what decides that is kept: whose line it was, when, and the reason. A line that didn't
    exist has none of the three.
    """

    recalculation = models.ForeignKey(
        Recalculation, on_delete=models.CASCADE, related_name="late_lines", verbose_name=_("recalculation")
    )
    line = models.BigIntegerField(_("line"), help_text=_("The line’s number in the ledger."))
    member = UncheckedKey(Member, on_delete=models.CASCADE, verbose_name=_("member"), null=True)
    occurred_at = models.DateTimeField(_("time"), null=True)
    reason = models.PositiveSmallIntegerField(_("reason"), null=True)

    class Meta:
        verbose_name = _("late line")
        verbose_name_plural = _("late lines")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.recalculation}: {self.line}"
