"""Sessions that know whose they are, and what people chose for their login."""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class Session(AbstractBaseSession):
    """A browser that the site knows by its cookie. Its data is that of Django's sessions."""

    # The index of the key finds all sessions of a login, to show and to end them.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+", editable=False
    )

    class Meta(AbstractBaseSession.Meta):
        # Nobody looks at sessions in the admin: their keys are as good as passwords.
        default_permissions = ()

    def __str__(self) -> str:
        """Whose it is: pages that delete a login name its sessions, and the key is as good as a password."""
        return f"session of {self.user}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """What reads and writes the data."""
        from foa.account.sessions import SessionStore

        return SessionStore


class LoginSettings(models.Model):
    """What somebody chose for their login; who has no row has chosen nothing.

    ``new_email`` waits until the link that was mailed there is opened.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="chosen",
        editable=False,
    )
    language = models.CharField(
        max_length=10, blank=True, help_text="Of pages after logging in, and of mails."
    )
    new_email = models.EmailField(blank=True)

    class Meta:
        # They are the login's own: nobody looks at them in the admin.
        default_permissions = ()

    def __str__(self) -> str:
        return f"settings of {self.user}"


class AskedMails(models.Model):
    """Mails that somebody has asked for in the hour ``since`` a moment. The key doesn't say who."""

    key = models.CharField(max_length=80, primary_key=True)
    since = models.DateTimeField()
    number = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
