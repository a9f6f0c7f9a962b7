"""Events of arenas, to which games belong."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.addresses import address_of
from ratings.formats.game_details import MAX_ADDRESS, MAX_EVENT_ID, MAX_EVENT_NAME


class ArenaEvent(models.Model):
    """An event of an arena, such as a tournament, as reported by its server or a file."""

    external_id = models.CharField(
        _("external ID"),
        max_length=MAX_EVENT_ID,
        unique=True,
        help_text=_("The server’s name and its ID for the event, such as arena/spring-2026."),
    )
    name = models.CharField(_("name"), max_length=MAX_EVENT_NAME)
    url = models.URLField(
        _("address"), max_length=MAX_ADDRESS, blank=True, help_text=_("The event’s page in the arena.")
    )

    class Meta:
        verbose_name = pgettext_lazy("of an arena", "event")
        verbose_name_plural = pgettext_lazy("of an arena", "events")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return address_of("ratings:event", self.pk)
