"""Runs of the lab: what was asked, of which data, and the answer. The findings of the radar."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import utc
from members.models import Member
from ratings.office.fields import user_field
from ratings.office.models import Job
from ratings.rbb.models.fields import CategoryField


class Asked(models.Model):
    """A question to the lab: who asked, the data, and the answer, kept as it was calculated."""

    asked_by = user_field(_("requested by"), db_index=False)
    asked_at = models.DateTimeField(_("requested at"))
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("job")
    )
    data_checksum = models.CharField(_("SHA-256 of the data"), max_length=64, default="")
    data_read_at = models.DateTimeField(_("data read at"), null=True)
    program = models.CharField(_("software version"), max_length=40, default="")
    changed_meanwhile = models.BooleanField(
        _("ledger changed meanwhile"),
        default=False,
        help_text=_("The ledger changed during the calculation."),
    )
    result: models.JSONField[Any, Any] = models.JSONField(_("result"), null=True)

    class Meta:
        abstract = True


class Run(Asked):
    """Variants of the rules, and what they would have done to the games. Kept as it was calculated."""

    title = models.CharField(_("question"), max_length=200)
    variants: models.JSONField[list[str], list[str]] = models.JSONField(
        _("variants"), help_text=_("TOML for each variant.")
    )
    cut = models.DateField(
        _("predict games from"), null=True, help_text=_("Leave blank for the last quarter of all games.")
    )

    class Meta:
        verbose_name = _("policy question")
        verbose_name_plural = _("policy questions")
        ordering = ("-pk",)
        default_permissions = ("add", "view")

    def __str__(self) -> str:
        return self.title


class Sweep(Asked):
    """A run of the radar over all games. ``result``: what was searched; the findings are rows."""

    limits: models.JSONField[list[int], list[int]] = models.JSONField(_("class limits"))
    mark = models.CharField(_("state of the ledger"), max_length=200, default="")

    class Meta:
        verbose_name = _("radar run")
        verbose_name_plural = _("radar runs")
        ordering = ("-pk",)
        default_permissions = ("add", "view")

    def __str__(self) -> str:
        return gettext("Radar, %(moment)s") % {"moment": utc(self.asked_at)}


class FindingQuerySet(models.QuerySet["Finding"]):
    def about(self, members: Collection[int]) -> Self:
        """Return the findings that have one of these members."""
        others = Finding.others.through.objects.filter(member__in=members).values("finding")
        return self.filter(Q(member__in=members) | Q(pk__in=others))


class Finding(models.Model):
    """Results that are unusual, in one category. It accuses nobody.

    ``member`` gained, or fell; ``others`` are the opponents. ``chance``: the number of findings as unusual
    that a run would have by chance. ``false``: the part of the findings of its kind, up to this one, that
    may be chance.
    """

    class Kind(models.TextChoices):
        PAIR = "pair", _("One-sided results between two players")
        CARRIED = "carried", _("Rating that depends on one opponent")
        NEWCOMERS = "newcomers", _("Points from new players")
        CIRCLE = "circle", _("Points from a small group of opponents")
        LIMIT = "limit", _("Fall below a class limit")
        GONE = "gone", _("Wins by disconnection")

    sweep = models.ForeignKey(
        Sweep, on_delete=models.CASCADE, related_name="findings", verbose_name=_("radar run")
    )
    kind = models.CharField(_("kind"), max_length=9, choices=Kind)
    category = CategoryField(_("category"))
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+", verbose_name=_("member"))
    others = models.ManyToManyField(Member, related_name="+", verbose_name=_("opponents"))
    chance = models.FloatField(_("by chance"))
    false = models.FloatField(_("false discovery rate"))
    figures: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(_("figures"))
    games: models.JSONField[list[int], list[int]] = models.JSONField(_("games"))

    objects = FindingQuerySet.as_manager()

    class Meta:
        verbose_name = _("radar finding")
        verbose_name_plural = _("radar findings")
        ordering = ("chance", "pk")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.member}"

    def get_absolute_url(self) -> str:
        """Return its page, for staff."""
        return reverse("admin:lab_finding_change", args=(self.pk,))
