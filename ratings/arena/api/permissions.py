"""Who may ask for what: a token with the scope of the view, of a server that is active."""

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
    """The view's ``scope``; None is for everybody, as the pages are, whatever token comes with it.

    OPTIONS is for everybody: it tells nothing that the schema doesn't tell.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the token allows it; raises Problem 403 with the scope that is missing."""
        scope = view.scope
        if scope is None or request.method == "OPTIONS":
            return True
        if request.auth is None:
            raise NotAuthenticated(_("This address needs a token. Get one at /oauth/token/."))
        check_scope(request, scope)
        server_of(request)
        return True


def check_scope(request: Request, scope: str) -> None:
    """Raise Problem 403 with the scope that the token doesn't have."""
    if not request.auth.allow_scopes([scope]):
        told = _("The token doesn't have the scope “%(scope)s”.") % {"scope": scope}
        raise Problem(HTTPStatus.FORBIDDEN, "scope-missing", told, scope=scope)


def server_of(request: Request) -> GameServer:
    """The server whose token came with a request; raises Problem 403 for one that is not active."""
    server: GameServer | None = getattr(request.auth.application, "gameserver", None)
    if server is None or not server.is_active:
        raise Problem(
            HTTPStatus.FORBIDDEN, "not-active", _("The office has closed the access of this server.")
        )
    return server
