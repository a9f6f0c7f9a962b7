"""Editions of RBB that the office has decided: what changes, and from which day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property, lru_cache
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from foa.moments import beginning_of
from foa.said import gettext
from ratings.formats.variants import MOST_TEXT, read_variant
from ratings.office.models import ChangeSet
from ratings.rbb.models.pending_replay import pending
from ratings.rules.rbb.editions import Amendment, Edition, Editions


@lru_cache(maxsize=64)
def amendment_of(since: date, toml: str) -> Amendment:
    """Return what an edition changes from a day on, 00:00 UTC."""
    return replace(read_variant(toml).amendment, since=beginning_of(since))


class RuleEditionQuerySet(models.QuerySet["RuleEdition"]):
    def editions(self, as_stored: Callable[[datetime], Any] | None = None) -> Editions:
        """Return all editions by their moments; ``as_stored`` makes of these what a database stores.

        Whoever steps over events asks after locking their categories: a decision about editions replays them.
        """
        rows = self.order_by().values_list("since", "toml")
        return Editions([amendment_of(since, toml) for since, toml in rows], as_stored)

    def in_force(self) -> Edition:
        """Return the edition that applies now."""
        return self.editions().at(timezone.now())


class DecidedEditions:
    """The editions with the decisions that put them into force, read when somebody asks for one."""

    @cached_property
    def _rows(self) -> dict[datetime | None, RuleEdition]:
        return {one.amendment.since: one for one in RuleEdition.objects.order_by()}

    @cached_property
    def _editions(self) -> Editions:
        return Editions(one.amendment for one in self._rows.values())

    def at(self, moment: datetime) -> Edition:
        """Return the edition that applies to an event of this moment."""
        return self._editions.at(moment)

    def decision_of(self, amendment: Amendment) -> str:
        """Return the page of the register with the decision for an amendment; empty without one."""
        decision = self._rows[amendment.since].change_set_id
        return "" if decision is None else address_of("office:change_set", decision)


class RuleEdition(models.Model):
    """Numbers of RBB section 3 that differ from a day on, by a decision of the office.

    Without one, the printed regulations apply. What it doesn't mention stays as it was.
    """

    since = models.DateField(
        _("in force from"), unique=True, help_text=_("It applies to events from 00:00 UTC on this day.")
    )
    toml = models.TextField(
        _("rules"), max_length=MOST_TEXT, help_text=_("TOML. docs/lab.md lists all fields.")
    )
    change_set = models.ForeignKey(
        ChangeSet,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name=_("change set"),
        help_text=_("The decision, in the register."),
    )

    objects = RuleEditionQuerySet.as_manager()

    class Meta:
        verbose_name = _("RBB edition")
        verbose_name_plural = _("RBB editions")
        ordering = ("since",)
        default_permissions = ("add", "delete", "view")

    def __str__(self) -> str:
        return gettext("%(day)s edition") % {"day": self.since}

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it within ``deferred()``, which replays what it reaches."""
        self._note("save")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete it within ``deferred()``, which replays what it had reached."""
        self._note("delete")
        return super().delete(*args, **kwargs)

    def _note(self, what: str) -> None:
        notebook = pending.get()
        if notebook is None:
            raise RuntimeError(
                f"RuleEdition.{what}() changes ratings: use `with replay.deferred():` around it"
                " (ratings.rbb.ledger.replay)."
            )
        for category in self.amendment.categories:
            notebook.add(category, beginning_of(self.since))

    @property
    def amendment(self) -> Amendment:
        """The changed numbers, with the moment from which they apply."""
        return amendment_of(self.since, self.toml)
