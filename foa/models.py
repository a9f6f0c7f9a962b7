"""Sessions with their login, settings of a login, its link with the arena, and counts of requested mails."""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class Session(AbstractBaseSession):
    """Session of a browser, identified by its cookie. The data is that of Django's sessions."""

    # Indexed, to show and end all sessions of a login.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+", editable=False
    )

    class Meta(AbstractBaseSession.Meta):
        # Sessions aren't shown in the admin: their keys are as good as passwords.
        default_permissions = ()

    def __str__(self) -> str:
        """Return a name without the key, which is as good as a password: deletion pages list sessions."""
        return f"session of {self.user}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the class that decodes the data, which ``foa.account.sessions`` stores as Django does."""
        return SessionStore


class LoginSettings(models.Model):
    """Settings that a user chose for their login. A login without a row has the defaults.

    ``new_email`` is pending until the link mailed there is confirmed.
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
        # Private to the login, so not shown in the admin.
        default_permissions = ()

    def __str__(self) -> str:
        return f"settings of {self.user}"


class ArenaLogin(models.Model):
    """Link of a login with an account at the arena, known by issuer and ``sub`` (``foa.account.arena``).

    Another arena gives the same ``sub`` to somebody else (OpenID Connect Core, 5.7).
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="arena_login",
        editable=False,
    )
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255, help_text="``sub`` of OpenID Connect.")
    linked_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["issuer", "subject"], name="arena_login_once"),)
        # Private to the login, so not shown in the admin.
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user} at the arena"


class AskedMails(models.Model):
    """Number of mails requested in the hour from ``since``. The key is hashed, so it names nobody."""

    key = models.CharField(max_length=80, primary_key=True)
    since = models.DateTimeField()
    number = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
