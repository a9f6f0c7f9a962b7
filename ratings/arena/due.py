"""Messages for webhooks that were given up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from ratings.arena.models import Delivery
from ratings.office.due import Due, finds_due


@finds_due("arena.send_delivery")
def dead_messages(user: Any, now: datetime) -> Iterator[Due]:
    """How many there are, since the first of them."""
    dead = Delivery.objects.dead()
    if number := dead.count():
        text = ngettext(
            "%d message for webhooks couldn't be delivered",
            "%d messages for webhooks couldn't be delivered",
            number,
        )
        link = (
            f"{reverse('admin:arena_delivery_changelist')}?{urlencode({'state__exact': Delivery.State.DEAD})}"
        )
        first = dead.order_by("created_at").values_list("created_at", flat=True).first()
        yield Due(text=text % number, button=gettext("Look and send again"), link=link, at=first)
