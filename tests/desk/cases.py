"""A game with a result that is wrong, its players, and the office."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from ratings.desk.models import Case
from ratings.desk.services.cases import claim, open_by_member
from tests.arena import game, member, opening

DECISION: Final = {"decision": "You are right: it was a draw.", "public_reasons": "", "staff_reasons": ""}


def login(name: str, group: str = "", **fields: Any) -> Client:
    """A client that is logged in, of the staff if it is of a group; its user is ``user``."""
    user = User.objects.create_user(name, is_staff=bool(group), **fields)
    if group:
        user.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(user)
    client.user = user  # type: ignore[attr-defined]
    return client


def arranged() -> SimpleNamespace:
    """Anna beat Boris, says the ledger. Both have logins, Anna also an address."""
    anna, boris = login("anna", email="anna@example.org"), login("boris")
    white = member("anna", name="Berg, Anna", user=anna.user)
    black = member("boris", name="Lund, Boris", user=boris.user)
    for who in (white, black):
        opening(who, 1600)
    played = game(white, black)
    return SimpleNamespace(anna=anna, boris=boris, white=white, black=black, game=played)


def complaint(players: SimpleNamespace, text: str = "It was a draw.") -> Case:
    """Anna's case about the game."""
    return open_by_member(
        about="game", key=players.game.pk, member=players.white, text=text, at=timezone.now()
    )


def claimed(players: SimpleNamespace, officer: Client) -> Case:
    """Anna's case, which this officer has."""
    case = complaint(players)
    claim(case, by=officer.user, at=timezone.now())  # type: ignore[attr-defined]
    return case
