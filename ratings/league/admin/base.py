"""Shared parts of the league's admin pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from foa.web.admin import OfficeAdmin
from ratings.league.services.locks import lock_league

M = TypeVar("M", bound=Model)


class LeagueInputAdmin(OfficeAdmin[M]):
    """Pages that write wait for whoever closes a cycle: what is open when they look stays open."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form of an object."""
        page = super().changeform_view
        return alone(request, lambda: page(request, *args, **kwargs))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with what is done to the rows chosen."""
        page = super().changelist_view
        return alone(request, lambda: page(request, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete an object; posted, delete it."""
        page = super().delete_view
        return alone(request, lambda: page(request, object_id, extra_context))


def alone(request: HttpRequest, page: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a page; of a post, in a transaction during which nobody closes a cycle."""
    if request.method != "POST":
        return page()
    with transaction.atomic():
        lock_league(connection)
        return page()
