"""Undelivered webhook messages that need attention."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ratings.arena.models import Delivery, Webhook
from ratings.office.due import Due, finds_due


@finds_due(_("Webhooks"), "arena.send_delivery")
def dead_messages(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the number of messages given up for each webhook in use, with the time of the first."""
    webhooks = Webhook.objects.active().select_related("server").in_bulk()
    dead = Delivery.objects.dead().filter(webhook__in=webhooks).values("webhook").order_by("webhook")
    for one in dead.annotate(number=Count("pk"), first=Min("created_at")):
        text = ngettext(
            "%(number)d message for %(webhook)s couldn’t be delivered",
            "%(number)d messages for %(webhook)s couldn’t be delivered",
            one["number"],
        ) % {"number": one["number"], "webhook": webhooks[one["webhook"]]}
        asked = urlencode({"state__exact": Delivery.State.DEAD, "webhook__id__exact": one["webhook"]})
        link = f"{reverse('admin:arena_delivery_changelist')}?{asked}"
        yield Due(text=text, button=gettext("Check and send again"), link=link, at=one["first"])
