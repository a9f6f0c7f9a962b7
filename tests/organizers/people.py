"""Organizers for the tests: with a login and a scope, and a report that they can send."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.submissions import send
from ratings.otb.models import RatingAdministrator, Tournament
from tests.otb.tournaments import FIRST_DAY, everybody_listed, report, round_robin

MET = round_robin("*1==", "0*1=", "=0*1", "==0*")


def tournament(name: str = "Fjord Open", **fields: Any) -> Tournament:
    """One that is registered in time and waits for its report."""
    given = {"federation": "NOR", "first_day": FIRST_DAY, "last_day": FIRST_DAY, **fields}
    return Tournament.objects.create(name=name, registered_on=date(2026, 1, 10), **given)


def organizer(name: str = "olga", **of: Any) -> tuple[Client, Scope]:
    """A client who is logged in, and their scope. ``of``: a tournament, federation or team."""
    user = User.objects.filter(username=name).first()
    if user is None:
        user = User.objects.create_user(name, email=f"{name}@example.org")
    client, now = Client(), timezone.now()
    client.force_login(user)
    return client, Scope.objects.create(user=user, language="en", given_at=now, invited_at=now, **of)


def administrator(name: str = "ada", federation: str = "NOR") -> tuple[Client, Scope]:
    """The rating administrator of a federation, with a login (B.02 9.3)."""
    designated = RatingAdministrator.objects.create(
        federation=federation, name="Ada Berg", since=date(2020, 1, 1)
    )
    return organizer(name, federation=federation, administrator=designated)


def page_of(scope: Scope, of: Tournament | None = None) -> str:
    if of is None and scope.tournament_id is None:
        return f"/organizers/{scope.pk}/"
    return f"/organizers/{scope.pk}/tournaments/{of.pk if of else scope.tournament_id}/"


def good_report(**options: Any) -> bytes:
    """Four players who are on the list in force, everybody against everybody."""
    return report(everybody_listed(2100, 2000, 1900, 1800), MET, days=[FIRST_DAY] * 3, **options)


def check(client: Client, page: str, content: bytes, name: str = "open.trf") -> Any:
    """What a page answers when a file is checked."""
    return client.post(page, {"file": SimpleUploadedFile(name, content)})


def send_checked(client: Client, page: str, checked: Any) -> Any:
    """Press the button below what was found."""
    return client.post(page, {**checked.context["kept"].initial, "send": ""})


def sent(scope: Scope, content: bytes, of: Tournament | None = None) -> Submission:
    """A file that was sent."""
    return send(
        scope=scope,
        tournament=of or scope.tournament,
        by=scope.user,
        content=content,
        source="open.trf",
        at=timezone.now(),
    )
