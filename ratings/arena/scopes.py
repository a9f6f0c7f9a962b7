"""A token's permissions, as OAuth scopes."""

from __future__ import annotations

from typing import Any, Final

from django.db import models
from django.utils.translation import gettext_lazy as _
from oauth2_provider.scopes import BaseScopes


class Scope(models.TextChoices):
    """A part of the API."""

    GAMES = "games", _("Send games and player presence")
    MEMBERS = "members", _("Add and update members")
    INVITATIONS = "invitations", _("Invite the members it adds")
    READ = "read", _("Follow all changes")
    WEBHOOKS = "webhooks", _("Get notified of changes")
    REPORTS = "reports", _("Send tournament reports for an organizer")


OF_SERVERS: Final = [scope for scope in Scope if scope is not Scope.REPORTS]
"""The scopes that the office can give a server. A program of an organizer has the other one."""


class ScopesOfServers(BaseScopes):
    """The scopes of clients: a server's, as granted by the office, or “reports” for a program of a login.

    A client that asks for none gets all of its scopes.
    """

    def get_all_scopes(self) -> dict[str, str]:
        """Return each scope with its meaning."""
        return {scope.value: str(scope.label) for scope in Scope}

    def get_available_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """Return this client's scopes."""
        if hasattr(application, "gameserver"):
            return application.gameserver.scopes
        of_login = application is not None and application.user_id is not None
        return [Scope.REPORTS.value] if of_login else []

    def get_default_scopes(
        self, application: Any = None, request: Any = None, *_: Any, **__: Any
    ) -> list[str]:
        """Return the same: a client that asks for no scope gets all of its scopes."""
        return self.get_available_scopes(application)
