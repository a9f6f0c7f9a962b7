"""Mails about changes to a login, in case the user didn't make them (ASVS 2.2.3)."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import TextChoices
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django_tasks import task

from foa.account.language import language_of
from foa.mails import mail
from foa.repeatable import repeatable


class LoginChange(TextChoices):
    """Kind of change, with its text in the mail."""

    PASSWORD = "password", _("The password has changed.")
    ADDED = "added", _("An authenticator app or a passkey was added to it.")
    REMOVED = "removed", _("An authenticator app or a passkey was removed from it.")
    LINKED = (
        "linked",
        _(
            "An arena account was linked to it. Anyone who can log in to that account can now log in "
            "here as well."
        ),
    )
    UNLINKED = "unlinked", _("The arena account was unlinked from it.")
    PROGRAM = "program", _("A client ID and a secret were issued for a program that sends reports.")
    CODES = "codes", _("New recovery codes were created. The old ones no longer work.")


def notify_user(user: User, change: LoginChange) -> None:
    """Queue a mail about the change, if the user has an address."""
    if user.email:
        send_change.enqueue(user=user.pk, change=change.value)


@task()
@repeatable
def send_change(user: int, change: str) -> None:
    """Mail a user the change of their login."""
    changed = User.objects.exclude(email="").filter(pk=user).first()
    if changed is None:
        return
    language = language_of(changed)
    with translation.override(language):
        said = str(LoginChange(change).label)
    mail(
        "account/mails/login_changed",
        changed.email,
        language=language,
        login=changed.get_username(),
        said=said,
        path=reverse("password_reset"),
    )
