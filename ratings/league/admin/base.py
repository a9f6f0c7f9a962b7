"""Base classes of the league's admin pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from foa.web.admin import OfficeAdmin
from ratings.league.services.locks import lock_league

M = TypeVar("M", bound=Model)


class LeagueInputAdmin(OfficeAdmin[M]):
    """Admin pages that wait for anybody closing a cycle, so that what is open to them stays open."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form of an object."""
        page = super().changeform_view
        return alone(request, lambda: page(request, *args, **kwargs))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, or apply an action to the chosen rows."""
        page = super().changelist_view
        return alone(request, lambda: page(request, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete an object. On POST, delete it."""
        page = super().delete_view
        return alone(request, lambda: page(request, object_id, extra_context))


def alone(request: HttpRequest, page: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a page. A POST runs in a transaction during which nobody can close a cycle."""
    if request.method != "POST":
        return page()
    with transaction.atomic():
        lock_league()
        return page()
