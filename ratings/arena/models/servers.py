"""Game servers registered with the office."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.arena.scopes import Scope


def all_scopes() -> list[str]:
    """Return the scopes of a new server."""
    return list(Scope.values)


class GameServer(models.Model):
    """A server on which members play. Its client id, hashed secret and tokens belong to ``application``."""

    name = models.CharField(
        _("name"),
        max_length=50,
        unique=True,
        validators=[RegexValidator(r"\A[a-z0-9][a-z0-9-]*\Z", _("Small letters, digits and hyphens."))],
        help_text=_("Its games are known by this name and their own id, such as arena/4711."),
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
            "What it says of members, and voiding its own games, is done at once, also where ratings move."
        ),
    )
    scopes = models.JSONField(_("scopes"), default=all_scopes, help_text=_("What its tokens may allow."))
    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("A server that is not active gets no answers.")
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
