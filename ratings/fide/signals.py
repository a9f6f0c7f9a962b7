"""The receiver that gives new members their first ratings. It only calls a service."""

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from members.models import FullMembership
from ratings.fide.services.first_ratings import determine_on_joining


@receiver(post_save, sender=FullMembership, dispatch_uid="fide.determine_after_joining")
def determine_after_joining(
    instance: FullMembership, created: bool, using: str, raw: bool = False, **kwargs: Any
) -> None:
    """RBB 3.4: look a new full member up in the FIDE lists."""
    if created and not raw:
        determine_on_joining(instance, at=timezone.now(), using=using)
