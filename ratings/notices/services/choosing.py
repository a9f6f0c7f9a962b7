"""Choices of members: whom they follow and how they are notified; and unsubscribing without a login."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.locking import lock_row
from members.models import Member
from ratings.notices.models import Choice, Digest, FeedAddress, Follow, Notice, NoticeType

MOST_FOLLOWED: Final = 500
"""Maximum number of members whom one may follow: each of their lines is a notice."""

WAYS: Final = ("page", "feed", "mail")

Ways = Mapping[str, bool]
"""Ways of notifying: on the page, in the feed and by mail."""

_MAIL: Final = "notices.unsubscribe"
_FEED: Final = "notices.feed"
"""Salts of the two kinds of link."""


def follow(follower: Member, followed: Member, *, at: datetime) -> None:
    """Let one member follow another. Raises ValidationError if that isn't possible."""
    if follower.pk == followed.pk:
        raise ValidationError(_("You can’t follow yourself."))
    with transaction.atomic():
        lock_row(Member.objects, follower.pk)
        if Follow.objects.filter(follower=follower).count() >= MOST_FOLLOWED:
            told = ngettext(
                "You already follow %d member. Stop following one first.",
                "You already follow %d members. Stop following one first.",
                MOST_FOLLOWED,
            )
            raise ValidationError(told % MOST_FOLLOWED)
        Follow.objects.get_or_create(follower=follower, followed=followed, defaults={"at": at})


def unfollow(follower: Member, followed: int) -> None:
    """Stop following a member."""
    Follow.objects.filter(follower=follower, followed=followed).delete()


def chosen_by(member: Member) -> dict[NoticeType, Ways]:
    """Return how a member is notified of each kind. By default, only answers to cases come by mail."""
    rows = {one.kind: one for one in Choice.objects.filter(member=member)}
    return {
        kind: {way: getattr(rows[kind], way) for way in WAYS}
        if kind in rows
        else {"page": True, "feed": True, "mail": kind == NoticeType.CASE}
        for kind in NoticeType
    }


@transaction.atomic
def choose(member: Member, wanted: Collection[tuple[str, str]]) -> None:
    """Store all choices of a member: pairs of a kind and a way."""
    for kind in NoticeType:
        ways = {way: (kind.value, way) in wanted for way in WAYS}
        Choice.objects.update_or_create(member=member, kind=kind, defaults=ways)
        if not ways["mail"]:
            _forget_mail(member, kind)


@transaction.atomic
def stop_mail(member: Member) -> None:
    """Stop digests and drop those that wait. Answers to cases come in mails of their own."""
    for kind, ways in chosen_by(member).items():
        if kind == NoticeType.CASE:
            continue
        Choice.objects.update_or_create(member=member, kind=kind, defaults={**ways, "mail": False})
    _forget_mail(member, *NoticeType)


def _forget_mail(member: Member, *kinds: NoticeType) -> None:
    open_ones = Notice.objects.filter(member=member, mail=True)
    sent = (Digest.State.SENT, Digest.State.FAILED)
    open_ones.filter(kind__in=kinds).exclude(digest__state__in=sent).update(mail=False, digest=None)


def unsubscribe_token(member: Member) -> str:
    """Return the end of the unsubscribe link.

    It works for good, because old mails can be read at any time.
    """
    return signing.Signer(salt=_MAIL).sign(str(member.pk))


def who_unsubscribes(token: str) -> Member | None:
    """Return the member of an unsubscribe link, or None if it was made up."""
    return _member(_read(_MAIL, token))


def feed_token(member: Member) -> str:
    """Return the end of the address of a member's feed."""
    address, _new = FeedAddress.objects.get_or_create(member=member)
    return signing.Signer(salt=_FEED).sign(f"{member.pk}-{address.number}")


def renew_feed(member: Member) -> None:
    """Give the feed a new address. The old one stops working."""
    address, _new = FeedAddress.objects.get_or_create(member=member)
    address.number += 1
    address.save(update_fields=["number"])


def who_reads(token: str) -> Member | None:
    """Return the member whose feed has this address, or None."""
    key, _dash, number = _read(_FEED, token).partition("-")
    if key and FeedAddress.objects.filter(member=int(key), number=int(number)).exists():
        return _member(key)
    return None


def _read(salt: str, token: str) -> str:
    try:
        return signing.Signer(salt=salt).unsign(token)
    except signing.BadSignature:
        return ""


def _member(key: str) -> Member | None:
    """Return the member with this key, or the one into whom it was merged."""
    found = Member.everybody.filter(pk=int(key)).select_related("merged_into").first() if key else None
    return found and (found.merged_into or found)
