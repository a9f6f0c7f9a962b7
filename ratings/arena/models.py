"""Game servers, what they report to the office, and the webhooks that the office notifies."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foa.text import second
from ratings.arena.scopes import OF_SERVERS
from ratings.arena.targets import check_target
from ratings.office.models import OutboxEntry
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import Event, Side, What


def all_scopes() -> list[str]:
    """Return the scopes of a new server."""
    return [scope.value for scope in OF_SERVERS]


class GameServer(models.Model):
    """A server on which members play. Its client id, hashed secret and tokens belong to ``application``."""

    name = models.CharField(
        _("name"),
        max_length=50,
        unique=True,
        validators=[RegexValidator(r"\A[a-z0-9][a-z0-9-]*\Z", _("Lowercase letters, digits and hyphens."))],
        help_text=_("The server’s games are identified by this name and their own ID, such as arena/4711."),
    )
    application = models.OneToOneField(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.PROTECT,
        related_name="gameserver",
        editable=False,
        verbose_name=_("client"),
    )
    trusted = models.BooleanField(
        _("trusted"),
        default=False,
        help_text=_(
            "A trusted server may edit members’ details and void its own games immediately, even if "
            "ratings change."
        ),
    )
    scopes = models.JSONField(
        _("scopes"), default=all_scopes, help_text=_("What the server’s tokens can be used for.")
    )
    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("An inactive server can’t use the API.")
    )
    added_at = models.DateTimeField(_("added at"), auto_now_add=True)

    class Meta:
        verbose_name = _("game server")
        verbose_name_plural = _("game servers")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def system_user(self) -> str:
        """The name under which the register shows decisions that the server asked for."""
        return f"server {self.name}"

    def external_id(self, its_own: str) -> str:
        """Return the office's id for one of its games: two servers may use the same id."""
        return f"{self.name}/{its_own}"


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
    at = models.DateTimeField(_("at"), help_text=_("By the server’s clock."))
    received_at = models.DateTimeField(_("received at"), help_text=_("By our clock."))

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
    unrated_reason = models.CharField(_("why it is unrated"), max_length=255, blank=True)
    result = models.CharField(_("result"), max_length=7, blank=True, choices=Game.Result)
    termination = models.CharField(_("termination"), max_length=64)
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("reported end")
        verbose_name_plural = _("reported ends")

    def __str__(self) -> str:
        return f"{self.game_id}: {self.result or _('in progress')}"


MOST: Final = 10
"""Maximum number of webhooks of a server: each message is written once for each."""


def check_events(events: object) -> None:
    """Raise ValidationError unless these are events of the outbox, at least one."""
    if not isinstance(events, list) or not events or set(map(str, events)) - set(OutboxEntry.Event.values):
        raise ValidationError(
            _("Choose at least one of these events: %(events)s.")
            % {"events": ", ".join(OutboxEntry.Event.values)}
        )


class WebhookQuerySet(models.QuerySet["Webhook"]):
    """Queries on webhooks."""

    def active(self) -> Self:
        """Return those that receive messages: active, with an active server."""
        return self.filter(is_active=True, server__is_active=True)

    def behind(self, position: int) -> Self:
        """Return active ones that lack messages up to this position of the outbox."""
        return self.active().filter(position__lt=position)


class Webhook(models.Model):
    """An address that is notified of changes, following Standard Webhooks.

    ``secret`` signs messages, so it is stored in plain text; the server reads it once. ``previous_secret``
    and ``earlier_secrets``, pairs of a secret and a moment in ISO 8601, sign as well until their moments.
    Each outbox entry up to ``position`` has its delivery, if the webhook asked for the event.
    """

    server = models.ForeignKey(
        GameServer, on_delete=models.PROTECT, related_name="webhooks", verbose_name=_("server")
    )
    url = models.CharField(
        _("address"),
        max_length=500,
        validators=[check_target],
        help_text=_("It must begin with https:// and lead to a public address."),
    )
    events = models.JSONField(_("events"), validators=[check_events])
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_("An inactive webhook gets no messages, and none are kept for later."),
    )
    stopped_because = models.CharField(_("reason for stopping"), max_length=200, blank=True, editable=False)
    secret = models.CharField(max_length=100, editable=False)
    previous_secret = models.CharField(max_length=100, blank=True, editable=False)
    previous_until = models.DateTimeField(_("previous secret valid until"), null=True, editable=False)
    earlier_secrets: models.JSONField[list[list[str]], list[list[str]]] = models.JSONField(
        default=list, db_default=[], editable=False
    )
    position = models.BigIntegerField(_("position"), editable=False)
    created_at = models.DateTimeField(_("created at"), editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.url

    def clean(self) -> None:
        """Refuse more than MOST webhooks of a server."""
        if self._state.adding and Webhook.objects.filter(server=self.server_id).count() >= MOST:
            raise ValidationError(_("A server can have at most %(most)d webhooks.") % {"most": MOST})

    def replaced_secrets(self, at: datetime) -> list[tuple[str, datetime]]:
        """Return the secrets that still sign at this moment, with their ends, newest first."""
        earlier = [(secret, datetime.fromisoformat(until)) for secret, until in self.earlier_secrets]
        previous = [] if self.previous_until is None else [(self.previous_secret, self.previous_until)]
        return [(secret, until) for secret, until in previous + earlier if at < until]

    def secrets(self, at: datetime) -> list[str]:
        """Return the secrets that sign a message at this moment, newest first."""
        return [self.secret, *(secret for secret, _until in self.replaced_secrets(at))]


class KeptAnswer(models.Model):
    """An answer that a server gets again if it repeats a request with the same ``Idempotency-Key``.

    It may contain a webhook's new secret. That secret is also stored in plain text with the webhook, so
    keeping it here for a day exposes nothing more. No page shows this table, and only a token of the same
    server gets the answer.
    """

    server = models.ForeignKey(GameServer, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=100)
    request = models.CharField(max_length=64, help_text=_("The SHA-256 of method, address and body."))
    body: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("stored response")
        verbose_name_plural = _("stored responses")
        default_permissions = ()
        constraints = [
            # Finds the answer, and ensures that two simultaneous requests with one key leave one answer.
            models.UniqueConstraint(fields=["server", "key"], name="kept_answer_once")
        ]

    def __str__(self) -> str:
        return f"{self.server_id}: {self.key}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Queries on deliveries."""

    def due(self, at: datetime) -> Self:
        """Return those of active webhooks that are due at this moment, longest due first."""
        return self.waiting(at).filter(webhook__is_active=True, webhook__server__is_active=True)

    def waiting(self, at: datetime) -> Self:
        """Return those of any webhook that are waiting and due at this moment, longest due first."""
        waiting = self.filter(state=Delivery.State.WAITING, next_attempt_at__lte=at)
        return waiting.order_by("next_attempt_at", "pk")

    def dead(self) -> Self:
        """Return those that were given up."""
        return self.filter(state=Delivery.State.DEAD)


class Delivery(models.Model):
    """A message for a webhook, with the same id and text at each attempt.

    ``entry`` is empty for a test message. While a worker sends it, ``next_attempt_at`` is when another worker
    may try, in case this one is killed.
    """

    class State(models.TextChoices):
        """The state of a delivery."""

        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        DEAD = "dead", _("Given up")

    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", verbose_name=_("webhook")
    )
    entry = models.ForeignKey(
        OutboxEntry,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("outbox entry"),
    )
    message_id = models.CharField(_("message ID"), max_length=40, unique=True)
    event = models.CharField(_("event"), max_length=32)
    body = models.TextField(_("message"))
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_attempt_at = models.DateTimeField(_("next attempt"), null=True)
    last_error = models.CharField(_("last error"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("created at"))

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")
        ordering = ("-pk",)
        permissions = [("send_delivery", _("Can send webhook deliveries again"))]
        indexes = [
            # For due deliveries, queried every second.
            models.Index(
                fields=["next_attempt_at", "id"], condition=Q(state="waiting"), name="delivery_waiting"
            ),
            # For deliveries old enough to be deleted.
            models.Index(fields=["created_at"], name="delivery_created_at"),
        ]
        constraints = [
            # Together with the lock on the webhook, ensures one message per entry even if a worker is killed.
            models.UniqueConstraint(fields=["webhook", "entry"], name="delivery_once"),
        ]

    def __str__(self) -> str:
        return f"{self.event}, {self.message_id}"


class Attempt(models.Model):
    """An attempt to send a message: the status of the answer, or the error that prevented one."""

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="tries", verbose_name=_("delivery")
    )
    at = models.DateTimeField(_("at"))
    status = models.PositiveSmallIntegerField(_("status"), null=True)
    error = models.CharField(_("error"), max_length=200, blank=True)
    milliseconds = models.PositiveIntegerField(_("milliseconds"))
    answer = models.CharField(
        _("response"), max_length=500, blank=True, help_text=_("Start of the response.")
    )

    class Meta:
        verbose_name = _("webhook attempt")
        verbose_name_plural = _("webhook attempts")
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{second(self.at)}: {self.status or self.error}"
