"""Receivers that give new members what the FIDE lists have for them, if nobody else's rating moves."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save, pre_save
from django.dispatch import receiver

from members.models import FullMembership, Member
from members.signals import members_joined
from ratings.fide.services.first_ratings import give_by_itself
from ratings.rbb.models.pending_replay import pending


@receiver(post_save, sender=FullMembership, dispatch_uid="fide.determine_after_joining")
def determine_after_joining(instance: FullMembership, raw: bool = False, **kwargs: Any) -> None:
    """RBB 3.4: look a new full member up in the FIDE lists."""
    if not raw:
        _give([instance.member])


@receiver(members_joined, dispatch_uid="fide.determine_after_joining")
def determine_after_joining_together(members: Iterable[Member], **kwargs: Any) -> None:
    """Do the same for many new full members."""
    _give(members)


@receiver(pre_save, sender=Member, dispatch_uid="fide.remember_fide_id")
def remember_fide_id(instance: Member, raw: bool = False, update_fields: Any = None, **kwargs: Any) -> None:
    """Note whether this save gives the member a new FIDE ID."""
    if raw or instance.fide_id is None or (update_fields is not None and "fide_id" not in update_fields):
        return
    stored = Member.objects.filter(pk=instance.pk, fide_id=instance.fide_id)
    vars(instance)["_fide_id_is_new"] = instance.pk is None or not stored.exists()


@receiver(post_save, sender=Member, dispatch_uid="fide.determine_after_fide_id")
def determine_after_fide_id(instance: Member, **kwargs: Any) -> None:
    """RBB 3.4: look up a member whose FIDE ID became known."""
    if vars(instance).pop("_fide_id_is_new", False):
        _give([instance])


def _give(members: Iterable[Member]) -> None:
    """Give first ratings now or, if other changes are in progress, once they are stored."""
    keys = [one.pk for one in members if one.fide_id is not None]
    if not keys:
        return
    if pending.get() is None:
        give_by_itself(keys)
    else:
        transaction.on_commit(partial(give_by_itself, keys), robust=True)
