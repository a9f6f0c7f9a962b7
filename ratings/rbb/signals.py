"""The receivers that keep ledger and inputs in step. Each only calls a service."""

from collections.abc import Callable
from typing import Any

from django.db.models.signals import post_delete, post_save, pre_delete, pre_save
from django.dispatch import receiver

from members.models import AccountClosure, Member
from members.signals import members_added, spans_changed
from ratings.rbb import closures, memberships
from ratings.rbb.ledger import on_save
from ratings.rbb.member_files import tell_of_members
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment

Receiver = Callable[..., None]


def _for_every_input(signal: Any, name: str) -> Callable[[Receiver], Receiver]:
    def connect(function: Receiver) -> Receiver:
        for sender in (Game, OpeningRating, OtbAdjustment):
            receiver(signal, sender=sender, dispatch_uid=f"ratings.{name}.{sender.__name__}")(function)
        return function

    return connect


@_for_every_input(pre_save, "remember_before_save")
def remember_before_save(instance: Any, update_fields: Any, raw: bool = False, **kwargs: Any) -> None:
    """Remember the stored row's place in the order of events, before a save."""
    if not raw:
        on_save.remember_place(instance, update_fields=update_fields)


@_for_every_input(pre_delete, "remember_before_deletion")
def remember_before_deletion(instance: Any, **kwargs: Any) -> None:
    """Remember the stored row's place in the order of events, before a deletion."""
    on_save.remember_place(instance, deleted=True)


@_for_every_input(post_save, "rate_after_save")
def rate_after_save(instance: Any, raw: bool = False, **kwargs: Any) -> None:
    """Replay every category whose history this save changes."""
    if not raw:
        on_save.rate_after_change(instance)


@_for_every_input(post_delete, "rate_after_deletion")
def rate_after_deletion(instance: Any, **kwargs: Any) -> None:
    """Replay every category whose history this deletion changes."""
    on_save.rate_after_change(instance, deleted=True)


@receiver(spans_changed, dispatch_uid="ratings.hold_membership_to_games")
def hold_membership_to_games(before: Any, **kwargs: Any) -> None:
    """Refuse to remove full membership on which rated games depend (RBB 2.1)."""
    memberships.refuse_uncovering(before)


@receiver(post_save, sender=AccountClosure, dispatch_uid="ratings.hold_closure_to_games")
def hold_closure_to_games(instance: Any, raw: bool = False, **kwargs: Any) -> None:
    """Refuse to close an account while a rated game remains within the closure."""
    if not raw:
        closures.refuse_rated_games(instance)


@receiver(post_save, sender=Member, dispatch_uid="ratings.tell_of_member")
def tell_of_member(instance: Any, raw: bool = False, **kwargs: Any) -> None:
    """Notify others of a saved member."""
    if not raw:
        tell_of_members([instance.pk])


@receiver(members_added, dispatch_uid="ratings.tell_of_new_members")
def tell_of_new_members(members: Any, **kwargs: Any) -> None:
    """Notify others of members from a file."""
    tell_of_members([one.pk for one in members])
