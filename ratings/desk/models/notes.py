"""Staff notes about members, for staff alone."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from members.models import Member


class MemberNote(models.Model):
    """A staff note about a member. Notes never change: a mistake is corrected by another note."""

    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="staff_notes", verbose_name=_("member")
    )
    text = models.TextField(_("text"), max_length=5_000, help_text=_("Never public."))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        editable=False,
        verbose_name=_("by"),
    )
    at = models.DateTimeField(_("at"), editable=False)

    class Meta:
        verbose_name = _("note about a member")
        verbose_name_plural = _("notes about members")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.member}, {date_text(self.at)}"
