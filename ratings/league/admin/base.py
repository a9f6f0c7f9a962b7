"""What the admin pages of a league share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from foa.web.admin import OfficeAdmin
from ratings.league.models import Team
from ratings.league.services.locks import lock_league

LARGEST_NUMBER: Final = 99
"""Of a round or a board; whoever types more has mistyped."""

M = TypeVar("M", bound=Model)


class LeagueInputAdmin(OfficeAdmin[M]):
    """Pages that write wait for whoever closes a cycle: what is open when they look stays open."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form of an object."""
        page = super().changeform_view
        return _alone(request, lambda: page(request, *args, **kwargs))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with what is done to the rows chosen."""
        page = super().changelist_view
        return _alone(request, lambda: page(request, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete an object; posted, delete it."""
        page = super().delete_view
        return _alone(request, lambda: page(request, object_id, extra_context))


def numbered(field: forms.Field) -> None:
    """Let a field take the numbers of rounds and boards: 1 to LARGEST_NUMBER."""
    field.validators += [MinValueValidator(1), MaxValueValidator(LARGEST_NUMBER)]
    field.widget.attrs |= {"min": 1, "max": LARGEST_NUMBER}


def with_season(team: Team) -> str:
    """A team among those of all seasons."""
    return f"{team.season}: {team}"


def _alone(request: HttpRequest, page: Callable[[], HttpResponse]) -> HttpResponse:
    if request.method != "POST":
        return page()
    with transaction.atomic():
        lock_league(connection)
        return page()
