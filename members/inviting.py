"""Sending and accepting invitations.

Each function raises ValidationError with a translated message if it can't be done.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from foa.account.arena import Account, link
from foa.locking import lock_row
from foa.mails import mail
from foa.models import LoginSettings
from foa.repeatable import repeatable
from members.invitations import VALID, Invitation
from members.models import Member

AGAIN: Final = timedelta(minutes=10)
"""Minimum time between two invitations of a member."""

PER_ADDRESS: Final = 3
"""Maximum members invited to one address within a day: a family may share one."""

PER_DAY: Final = 5000
"""Maximum members that one login, command or game server can invite within a day."""

_DAY: Final = timedelta(days=1)
_SALT: Final = "members.inviting"


def invite(*, member: Member, email: str, by: str, language: str, at: datetime) -> Invitation:
    """Queue the mail of an invitation. Earlier ones of the member no longer work.

    ``by``: the login, command or game server that invites, shown to staff.
    """
    validate_email(email)
    with transaction.atomic():
        stored = lock_row(Member.objects, member.pk)
        _check(stored, email, by, at)
        invitation, _new = Invitation.objects.update_or_create(
            member=stored, defaults={"email": email, "language": language, "at": at, "by": by}
        )
        send_invitation.enqueue(member=stored.pk)
    return invitation


def may_be_invited(member: Member) -> bool:
    """Return whether the member has no login and is neither erased nor merged."""
    return member.user_id is None and member.withdrawn_at is None and member.merged_into_id is None


def is_invited(member: Member, at: datetime) -> bool:
    """Return whether the member has an invitation that can still be accepted."""
    return may_be_invited(member) and Invitation.objects.filter(member=member, at__gt=at - VALID).exists()


def _check(member: Member, email: str, by: str, at: datetime) -> None:
    if not may_be_invited(member):
        raise ValidationError(_("%(member)s already has a login, or has left.") % {"member": member})
    lately = Invitation.objects.filter(at__gt=at - _DAY)
    if lately.filter(member=member, at__gt=at - AGAIN).exists():
        raise ValidationError(
            _("%(member)s was invited a few minutes ago. Please wait before you invite them again.")
            % {"member": member}
        )
    others = lately.exclude(member=member)
    if others.filter(email=email).count() >= PER_ADDRESS:
        told = _("Too many invitations to %(email)s today. Try again tomorrow.")
        raise ValidationError(told % {"email": email})
    if others.filter(by=by).count() >= PER_DAY:
        raise ValidationError(_("Too many invitations today. Try again tomorrow."))


@task()
@repeatable
def send_invitation(member: int) -> None:
    """Mail the invitation, if it is still pending."""
    invitation = Invitation.objects.select_related("member").filter(member=member).first()
    if invitation is not None:
        mail(
            "account/mails/invitation",
            invitation.email,
            language=invitation.language,
            member=invitation.member,
            days=VALID.days,
            path=reverse("members:accept", args=[token_of(invitation)]),
        )


def token_of(invitation: Invitation) -> str:
    """Return the signed token in the link of an invitation, different for each one."""
    return signing.dumps([invitation.member_id, invitation.at.timestamp()], salt=_SALT)


def invitation_of(token: str, at: datetime) -> Invitation | None:
    """Return the invitation of a token; None if it was accepted, replaced or is too old."""
    try:
        member, sent = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        return None
    found = Invitation.objects.select_related("member").filter(member=member, at__gt=at - VALID).first()
    is_it = found is not None and found.at.timestamp() == sent and may_be_invited(found.member)
    return found if is_it else None


def accept(
    invitation: Invitation, *, username: str, password: str | None, account: Account | None = None
) -> User:
    """Create the login of the member. The link came by mail, so the address is confirmed.

    ``account``: that at the arena with which it is linked. Then it needs no password.
    """
    with transaction.atomic():
        member = Member.objects.select_for_update(no_key=True).filter(pk=invitation.member_id).first()
        # If the link is used twice at once, the second request finds it used.
        if member is None or not Invitation.objects.filter(member=member, at=invitation.at).delete()[0]:
            raise ValidationError(_("This invitation was used or replaced."))
        if not may_be_invited(member):
            raise ValidationError(
                _("%(member)s already has a login, or has left."), params={"member": member}
            )
        user = make_login(
            username=username, password=password, email=invitation.email, language=invitation.language
        )
        if account is not None:
            link(user, account)
        member.user = user
        member.save(update_fields=["user"])
    return user


def make_login(*, username: str, password: str | None, email: str, language: str) -> User:
    """Create a login with a confirmed address, in a transaction of the caller."""
    taken = ValidationError(
        {"username": _("“%(username)s” is taken. Please choose another one.") % {"username": username}}
    )
    if User.objects.filter(username__iexact=username).exists():
        raise taken
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password)
    except IntegrityError:
        raise taken from None
    LoginSettings.objects.create(user=user, language=language)
    return user


def forget_invitations(at: datetime) -> None:
    """Delete expired invitations."""
    Invitation.objects.filter(at__lt=at - VALID).delete()
