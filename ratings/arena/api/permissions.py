"""Permission checks: a request needs a token with the view's scope, from an active server."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from ratings.arena.api.problems import Problem
from ratings.arena.models import GameServer


class HasScope(BasePermission):
    """A check of the view's ``scope``. None means everybody, as for pages, with or without a token.

    OPTIONS is for everybody: it says nothing that isn't in the schema. So is a method that the view doesn't
    have, which is answered with 405.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return True if the token allows it; raises Problem 403 with the missing scope."""
        scope = view.scope
        method = (request.method or "").lower()
        if scope is None or method == "options" or not hasattr(view, method):
            return True
        if request.auth is None:
            raise NotAuthenticated(_("This address needs a token. Get one at /oauth/token/."))
        check_scope(request, scope)
        self.check_client(request)
        return True

    def check_client(self, request: Request) -> None:
        """Raise Problem 403 unless an active server asks."""
        server_of(request)


def check_scope(request: Request, scope: str) -> None:
    """Raise Problem 403 with the scope that the token lacks."""
    if not request.auth.allow_scopes([scope]):
        told = _("The token doesn’t have the scope “%(scope)s”.") % {"scope": scope}
        raise Problem(HTTPStatus.FORBIDDEN, "scope-missing", told, scope=scope)


def server_of(request: Request) -> GameServer:
    """Return the server that sent the request; raises Problem 403 if it isn't active."""
    server: GameServer | None = getattr(request.auth.application, "gameserver", None)
    if server is None or not server.is_active:
        raise Problem(HTTPStatus.FORBIDDEN, "not-active", _("We’ve closed this server’s access."))
    return server
