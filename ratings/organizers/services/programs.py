"""The program that sends reports for a login, by tokens: at most one, which may do no more than the login."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.db import transaction
from oauth2_provider.models import get_application_model

from foa.account.notify import LoginChange, notify_user
from foa.locking import lock_row
from ratings.office.clients import Credentials, new_client, new_secret
from ratings.organizers.models import Scope


def program_of(user: Any) -> Any:
    """Return the client that sends reports for this login; None without one."""
    return get_application_model().objects.filter(user=user.pk).first()


@transaction.atomic
def give_program(user: Any) -> Credentials:
    """Return a new secret, for the first time with a client id. The old secret and its tokens end at once."""
    lock_row(get_user_model()._default_manager, user.pk)
    client = program_of(user)
    if client is None:
        client, credentials = new_client(user=user, name="organizer")
        client.save()
    else:
        credentials = new_secret(client)
    _note(user, "Gave a program a new secret.")
    notify_user(user, LoginChange.PROGRAM)
    return credentials


@transaction.atomic
def end_program(user: Any) -> None:
    """End the access of the program, with all its tokens."""
    if get_application_model().objects.filter(user=user.pk).delete()[0]:
        _note(user, "Ended the access of the program.")


def _note(user: Any, text: str) -> None:
    LogEntry.objects.log_actions(user.pk, list(Scope.objects.of(user)), CHANGE, change_message=text)
