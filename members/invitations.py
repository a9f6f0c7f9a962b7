"""Invitations: mailed links with which members create a login. There is no other way to sign up."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

VALID: Final = timedelta(days=7)
"""Time for which an invitation can be accepted."""


class Invitation(models.Model):
    """Pending invitation, the latest one of a member. Accepting it deletes it."""

    member = models.OneToOneField(
        "members.Member",
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="invitation",
        verbose_name=_("member"),
    )
    email = models.EmailField(_("email address"))
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES)
    at = models.DateTimeField(_("at"))
    by = models.CharField(_("by"), max_length=160, help_text=_("A login, a command or a game server."))

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        # Shown to staff on the member's page.
        default_permissions = ()
        indexes = [
            # Recent invitations to an address, and expired ones.
            models.Index(fields=["email", "at"], name="invitation_to_address"),
            # Recent invitations by a game server.
            models.Index(fields=["by", "at"], name="invitation_by"),
        ]

    def __str__(self) -> str:
        return f"{self.member}, {self.at:%Y-%m-%d}"
