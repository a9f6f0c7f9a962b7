"""Entries for those who follow the office from outside: what changed, transaction by transaction."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foa.text import utc
from ratings.office.models.change_sets import ChangeSet


class OutboxQuerySet(models.QuerySet["OutboxEntry"]):
    def after(self, position: int) -> Self:
        """Return the entries after this position, in the order in which they became visible."""
        return self.filter(position__gt=position).order_by("position")


class Epoch(models.Model):
    """The time between two restores of a backup. Positions of the outbox are unique within it.

    A restored office gives out positions again that others have seen with other contents. The newest epoch is
    in force. An office that was never restored has none, and its name is empty.
    """

    name = models.CharField(_("name"), max_length=8, unique=True)
    began_at = models.DateTimeField(_("started at"))

    class Meta:
        verbose_name = _("outbox epoch")
        verbose_name_plural = _("outbox epochs")
        default_permissions = ()
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.name}, {utc(self.began_at)}"


class OutboxEntry(models.Model):
    """Something to tell others, written in the transaction that changed it.

    Keys are given before a commit, so an entry may become visible after one with a later key. ``position`` is
    given afterwards, by one process at a time (:func:`ratings.office.outbox.number_entries`), so whoever has
    read up to a position has missed nothing.
    """

    class Event(models.TextChoices):
        """The event, as webhooks name it."""

        RATING_CHANGED = "rating.changed", _("Ratings changed")
        LIST_PUBLISHED = "list.published", _("List published")
        LIST_REVISED = "list.revised", _("List revised")
        PERIOD_CLOSED = "period.closed", _("Rating period closed")
        TOURNAMENT_RATED = "tournament.rated", _("Tournament rated")
        GAME_VOIDED = "game.voided", _("Game voided")
        GAME_ENDED = "game.ended", _("Game ended by the office")
        MEMBER_CHANGED = "member.changed", _("Member changed")

    position = models.BigIntegerField(_("position"), null=True, unique=True, editable=False)
    event = models.CharField(_("event"), max_length=32, choices=Event)
    at = models.DateTimeField(_("at"))
    about = models.BigIntegerField(
        _("about"),
        null=True,
        help_text=_("The key of the list, tournament, game or member; blank for ratings."),
    )
    change_set = models.ForeignKey(
        ChangeSet,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("change set"),
        help_text=_("The decision behind it; blank for new facts."),
    )
    data: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("data"), default=dict)

    objects = OutboxQuerySet.as_manager()

    class Meta:
        verbose_name = _("outbox entry")
        verbose_name_plural = _("outbox entries")
        ordering = ("-pk",)
        indexes = [
            # Serves the few entries that have just been committed.
            models.Index(fields=["id"], condition=Q(position=None), name="outbox_unnumbered")
        ]

    def __str__(self) -> str:
        return f"{self.get_event_display()}, {utc(self.at)}"
