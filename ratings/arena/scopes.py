"""What a token allows, in the words of OAuth."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from oauth2_provider.scopes import BaseScopes


class Scope(models.TextChoices):
    """One part of the API."""

    GAMES = "games", _("Send games, and who is at the board")
    MEMBERS = "members", _("Send members")
    INVITATIONS = "invitations", _("Invite the members that it sends")
    READ = "read", _("Follow all changes")
    WEBHOOKS = "webhooks", _("Get notified of changes")


class ScopesOfServers(BaseScopes):
    """A server gets the scopes that the office gave it, and all of them if it asks for none."""

    def get_all_scopes(self) -> dict[str, str]:
        """Each scope with its meaning."""
        return {scope.value: str(scope.label) for scope in Scope}

    def get_available_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """Return those of this server."""
        return application.gameserver.scopes if hasattr(application, "gameserver") else []

    def get_default_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """The same: who asks for none in particular gets them all."""
        return self.get_available_scopes(application)
