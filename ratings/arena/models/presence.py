"""Players' absences during games and the ends of games, as reported by their servers."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foa.text import second
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import Event, Side, What


class PresenceEvent(models.Model):
    """RBB 2.4: a player of a game was gone, or back. The server numbers each game's events 1, 2, 3 …"""

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="presence", db_index=False, verbose_name=_("game")
    )
    sequence = models.PositiveIntegerField(_("sequence"), validators=[MinValueValidator(1)])
    player = models.CharField(
        _("player"),
        max_length=5,
        choices=[(Side.WHITE.value, _("White")), (Side.BLACK.value, _("Black"))],
    )
    what = models.CharField(
        _("what"), max_length=4, choices=[(What.GONE.value, _("gone")), (What.BACK.value, _("back"))]
    )
    at = models.DateTimeField(_("at"), help_text=_("By the server's clock."))
    received_at = models.DateTimeField(_("received at"), help_text=_("By the office's clock."))

    class Meta:
        verbose_name = _("presence event")
        verbose_name_plural = _("presence events")
        ordering = ("game", "sequence")
        constraints = [
            # A game's events are read in this order, too.
            models.UniqueConstraint(fields=["game", "sequence"], name="presence_unique"),
            models.CheckConstraint(
                condition=Q(player__in=("white", "black")), name="presence_player_is_known"
            ),
            models.CheckConstraint(condition=Q(what__in=("gone", "back")), name="presence_what_is_known"),
        ]
        indexes = [
            # For the hourly check of games with recent events.
            models.Index(fields=["received_at"], name="presence_received")
        ]

    def __str__(self) -> str:
        return f"{self.get_player_display()} {self.get_what_display()}, {second(self.at)}"

    @property
    def event(self) -> Event:
        """The event in the form used by the rules."""
        return Event(self.sequence, self.player, self.what, self.at)


class SentEnd(models.Model):
    """The end of a game as its server sent it, if the office ended the game by RBB 2.4.

    It is empty if the server's game is still in progress. It counts again if it turns out that the player was
    back in time.
    """

    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, related_name="sent_end", verbose_name=_("game")
    )
    rated = models.BooleanField(_("rated"))
    unrated_reason = models.CharField(_("unrated reason"), max_length=255, blank=True)
    result = models.CharField(_("result"), max_length=7, blank=True, choices=Game.Result)
    termination = models.CharField(_("termination"), max_length=64)
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("end as sent")
        verbose_name_plural = _("ends as sent")

    def __str__(self) -> str:
        return f"{self.game_id}: {self.result or _('in progress')}"
