"""RBB 3.4: first ratings given automatically, because they don't move anybody else's rating."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from ratings.fide.models import FideList
from ratings.fide.services.first_ratings import can_be_given
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of


def give_by_itself(members: Collection[int]) -> None:
    """Give first ratings to those of these members who have no events yet, by a decision in the register.

    All others wait: their first ratings are listed in “What is due”, and somebody with the right decides.
    """
    if not FideList.objects.exists():
        return
    alone = can_be_given(at=timezone.now()).filter(pk__in=members)
    if keys := list(alone.values_list("pk", flat=True)):
        asked = {"member": list(map(str, keys))}
        given = Proposal(kind=kind_of("first-ratings"), parameters=asked, system_user="office")
        with transaction.atomic():
            _decided, effect = decide_at_once(given)
            if {move.subject for move in effect.moves} - set(keys):
                # Somebody has played meanwhile.
                transaction.set_rollback(True)
