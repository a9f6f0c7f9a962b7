"""Signal receivers that record occasions, in the transaction that made them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from members.models import Member
from ratings.notices.models import NoticeType, Occasion
from ratings.notices.services.telling import tell_of_case
from ratings.office.models import OutboxEntry
from ratings.office.news import member_answered


@receiver(post_save, sender=OutboxEntry, dispatch_uid="notices.note_occasion")
def note_occasion(instance: OutboxEntry, created: bool, raw: bool, using: str, **kwargs: Any) -> None:
    """Record a published list, or a decision that changed ratings. Single games aren't news."""
    if raw or not created:
        return
    if instance.event == OutboxEntry.Event.LIST_PUBLISHED and instance.about:
        occasion = Occasion(kind=NoticeType.LIST, key=instance.about, at=instance.at)
    elif instance.event == OutboxEntry.Event.RATING_CHANGED and instance.change_set_id:
        occasion = Occasion(kind=NoticeType.CORRECTION, key=instance.change_set_id, at=instance.at)
    else:
        return
    Occasion.objects.using(using).bulk_create([occasion], ignore_conflicts=True)


@receiver(member_answered, dispatch_uid="notices.tell_of_answer")
def tell_of_answer(member: Member, number: int, address: str, at: datetime, **kwargs: Any) -> bool:
    """Notify a member of the office's answer. Return True if they want it by mail."""
    return tell_of_case(member, number=number, address=address, at=at)
