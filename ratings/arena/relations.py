"""Messages to game servers about a member, which are kept for a while."""

from __future__ import annotations

import json

from ratings.arena.models import Delivery
from ratings.office.personal import AT_ONCE, Erasing
from ratings.office.relations import Declaration, Text, declare


class Deliveries(Declaration):
    """Messages for webhooks. Those still waiting are sent with the new name."""

    def erase(self, work: Erasing) -> None:
        """Replace the name within the messages' JSON."""
        called, number = work.person.called, 0
        for one in called.match(Delivery, ("body",)).iterator(AT_ONCE):
            told = json.loads(one.body)
            now = {**told, "data": called.out_of_json(told.get("data", {}))}
            if now != told:
                body = json.dumps(now, ensure_ascii=False, separators=(",", ":"))
                number += Delivery.objects.filter(pk=one.pk).update(body=body)
        work.tell_rows(Delivery, number)


declare(
    Deliveries(),
    Text("arena.Attempt", "answer", "error"),
    Text("arena.Delivery", "last_error"),
)
