"""The league's rating cycles and their lists."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.said import gettext
from ratings.league.models.seasons import Player, Season, Team
from ratings.office.fields import HundredthsField
from ratings.office.publications import NamesMembers, Publication, RevisionQuerySet


class Cycle(models.Model):
    """The rounds after the previous cycle up to ``last_round``, rated as one batch when it is closed."""

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="cycles", db_index=False, verbose_name=_("season")
    )
    number = models.PositiveSmallIntegerField(_("cycle"))
    last_round = models.PositiveSmallIntegerField(_("last round"))
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("cycle")
        verbose_name_plural = _("cycles")
        ordering = ("season", "number")
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="cycle_once"),
            models.UniqueConstraint(fields=["season", "last_round"], name="cycle_ends_once"),
        ]

    def __str__(self) -> str:
        return gettext("%(season)s, cycle %(number)d") % {"season": self.season, "number": self.number}


class CycleListQuerySet(RevisionQuerySet["CycleList"]):
    by_age = ("cycle__season__ordinal", "cycle__number", "revision")

    def of(self, cycle: Cycle | int) -> Self:
        """Return the list of this cycle in every revision, the last one first."""
        return self.filter(cycle=cycle).select_related("cycle").newest_first()

    def latest_of(self, cycle: Cycle | int) -> CycleList | None:
        """Return the last revision of this cycle's list, or None."""
        return self.of(cycle).first()

    def of_seasons(self, *seasons: Season | int) -> Self:
        return self.filter(cycle__season__in=seasons).select_related("cycle")

    def of_number(self, number: int) -> Self:
        """Return the lists of cycles with this number in their season."""
        return self.filter(cycle__number=number)

    def in_force(self) -> Self:
        """Return the lists that no reopening has withdrawn."""
        return self.filter(reopened_at=None)


class CycleList(NamesMembers, Publication):
    """The ratings after a cycle, as they were published. A correction adds the next revision.

    ``reopened_at``: when the cycle was reopened, which withdrew the list. The list stays as it was published.
    """

    identity = ("cycle_id",)

    cycle = models.ForeignKey(
        Cycle, on_delete=models.PROTECT, related_name="lists", db_index=False, verbose_name=_("cycle")
    )
    reopened_at = models.DateTimeField(_("withdrawn at"), null=True, editable=False)

    objects = CycleListQuerySet.as_manager()

    class Meta:
        verbose_name = _("league list")
        verbose_name_plural = _("league lists")
        ordering = ("-cycle", "-revision")
        permissions = [("close_cyclelist", "Can close rating cycles of a league")]
        constraints = [models.UniqueConstraint(fields=["cycle", "revision"], name="cycle_list_unique")]

    def __str__(self) -> str:
        return gettext("%(cycle)s, revision %(revision)d") % {"cycle": self.cycle, "revision": self.revision}

    def get_absolute_url(self) -> str:
        cycle = self.cycle
        return reverse("league:list", args=(cycle.season_id, cycle.number, self.revision))


class CycleResultQuerySet(models.QuerySet["CycleResult"]):
    def in_force(self) -> Self:
        """Return the lines of lists that no reopening has withdrawn, in the order of these lists."""
        return self.filter(cycle_list__reopened_at=None).order_by(
            "cycle_list__cycle__season__ordinal", "cycle_list__cycle__number", "cycle_list__revision"
        )


class CycleResult(models.Model):
    """A player's line of a list: a projection of boards and squads, never edited.

    Ratings and gains are points with two decimals. Gains are rounded for the list. The new rating is rounded
    once from the exact figures, which the player's page calculates again. ``new``: None for a new player
    without a game that counts.
    """

    cycle_list = models.ForeignKey(
        CycleList, on_delete=models.CASCADE, related_name="results", db_index=False, verbose_name=_("list")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="results", verbose_name=_("player")
    )
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=100)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+", verbose_name=_("team"))
    captains_estimate = models.BooleanField(_("captain’s estimate"), default=False)
    old = HundredthsField(_("old rating"), help_text=_("RO; of a new player 1300."))
    games_before = models.PositiveIntegerField(_("games before"))
    counted = models.PositiveSmallIntegerField(_("games counted"))
    half_points = models.PositiveSmallIntegerField(_("half points"))
    opponents = HundredthsField(_("sum of the opponents’ ratings"), help_text=_("ΣRo, as counted."))
    k = models.PositiveSmallIntegerField("k", null=True, help_text=_("With the established formula."))
    expected = HundredthsField(_("expected wins"), null=True, help_text=_("ΣWe, rounded for the list."))
    gain = HundredthsField(_("gain"), help_text=_("Before the k adjustment."))
    adjusted = HundredthsField(_("adjusted gain"))
    new = HundredthsField(_("new rating"), null=True)
    games_after = models.PositiveIntegerField(_("games after"))

    objects = CycleResultQuerySet.as_manager()

    class Meta:
        verbose_name = _("result of a cycle")
        verbose_name_plural = _("results of cycles")
        ordering = ("cycle_list", "name", "player")
        constraints = [models.UniqueConstraint(fields=["cycle_list", "player"], name="cycle_result_once")]

    def __str__(self) -> str:
        return f"{self.name}: {self.new}"
