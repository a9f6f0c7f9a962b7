"""A token's permissions, as OAuth scopes."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from oauth2_provider.scopes import BaseScopes


class Scope(models.TextChoices):
    """A part of the API."""

    GAMES = "games", _("Send games, and who is at the board")
    MEMBERS = "members", _("Send members")
    INVITATIONS = "invitations", _("Invite the members that it sends")
    READ = "read", _("Follow all changes")
    WEBHOOKS = "webhooks", _("Get notified of changes")


class ScopesOfServers(BaseScopes):
    """The scopes of servers: those granted by the office. A server that asks for none gets all of them."""

    def get_all_scopes(self) -> dict[str, str]:
        """Return each scope with its meaning."""
        return {scope.value: str(scope.label) for scope in Scope}

    def get_available_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """Return this server's scopes."""
        return application.gameserver.scopes if hasattr(application, "gameserver") else []

    def get_default_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """Return the same: a server that asks for no scope gets all of its scopes."""
        return self.get_available_scopes(application)
