"""Giving scopes: an invitation is mailed, accepted once, and can be ended.

Each function raises ValidationError with a translated message if it can't be done.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from foa.locking import lock_row
from foa.mails import mail
from foa.repeatable import repeatable
from members.inviting import make_login
from ratings.league.models import Team
from ratings.organizers.models import VALID, Scope
from ratings.otb.models import RatingAdministrator, Tournament
from ratings.rules.federations import FEDERATIONS

AGAIN: Final = timedelta(minutes=10)
"""Minimum time between two mails of an invitation."""

PER_ADDRESS: Final = 10
"""Maximum number of open invitations to one address: somebody may organize several tournaments."""

_SALT: Final = "organizers.inviting"


def give_scope(
    *,
    email: str,
    language: str,
    by: Any,
    at: datetime,
    tournament: Tournament | None = None,
    federation: str = "",
    as_administrator: bool = False,
    team: Team | None = None,
) -> Scope:
    """Queue an invitation to report one tournament, those of a federation, or the matches of a team.

    ``as_administrator``: as the rating administrator whom the federation has designated (B.02 9.3).
    """
    with transaction.atomic():
        administrator = check_scope(
            email=email,
            at=at,
            tournament=tournament,
            federation=federation,
            as_administrator=as_administrator,
            team=team,
        )
        scope = Scope.objects.create(
            email=email,
            language=language,
            tournament=tournament,
            federation=federation,
            administrator=administrator,
            team=team,
            given_by=by,
            given_at=at,
            invited_at=at,
        )
        send_invitation.enqueue(scope=scope.pk)
    return scope


def check_scope(
    *,
    email: str,
    at: datetime,
    tournament: Tournament | None,
    federation: str,
    as_administrator: bool,
    team: Team | None,
) -> RatingAdministrator | None:
    """Return the administrator of a federation, if the scope is theirs.

    Raises ValidationError, by field, for a scope that can't be given.
    """
    if sum(map(bool, (tournament, federation, team))) != 1:
        raise ValidationError(_("Choose exactly one: a tournament, a federation or a team."))
    if federation and federation not in FEDERATIONS:
        raise ValidationError({"federation": _("No FIDE federation has this code.")})
    if tournament is not None and tournament.part_of is not None:
        told = _("This is part of %(league)s. Choose the league.") % {"league": tournament.part_of}
        raise ValidationError({"tournament": told})
    if Scope.objects.filter(email__iexact=email, user=None, ended_at=None).count() >= PER_ADDRESS:
        told = _("Too many invitations to %(email)s are pending. End one of them first.") % {"email": email}
        raise ValidationError({"email": told})
    if not as_administrator:
        return None
    administrator = RatingAdministrator.objects.in_office(federation, at.date())
    if administrator is None:
        told = _("No rating administrator of this federation is registered (B.02 9.3). Add them first.")
        raise ValidationError({"as_administrator": told})
    return administrator


def invite_again(scope: Scope, *, by: Any, at: datetime) -> None:
    """Queue the mail once more, with a new link; the earlier one no longer works."""
    with transaction.atomic():
        stored = lock_row(Scope.objects, scope.pk)
        if stored.user_id is not None or stored.ended_at is not None:
            raise ValidationError(_("The invitation has already been accepted, or has ended."))
        if stored.invited_at > at - AGAIN:
            raise ValidationError(
                _("An email was sent a few minutes ago. Please wait before you send another.")
            )
        stored.invited_at = at
        stored.save(update_fields=["invited_at"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Invited again.")
        send_invitation.enqueue(scope=stored.pk)


def end_scope(scope: Scope, *, by: Any, at: datetime) -> None:
    """End a scope or an invitation. Files that were sent stay with the office."""
    with transaction.atomic():
        stored = lock_row(Scope.objects, scope.pk)
        if stored.ended_at is not None:
            raise ValidationError(_("This right to report has already ended."))
        stored.ended_at, stored.ended_by, stored.email = at, by, ""
        stored.save(update_fields=["ended_at", "ended_by", "email"])
        LogEntry.objects.log_actions(by.pk, [stored], CHANGE, change_message="Ended.")


def token_of(scope: Scope) -> str:
    """Return the signed token for the link of an invitation; each mail has a new one."""
    return signing.dumps([scope.pk, scope.invited_at.timestamp()], salt=_SALT)


def invitation_of(token: str, at: datetime) -> Scope | None:
    """Return the invitation of a token; None if it was accepted, replaced, ended or is too old."""
    try:
        key, sent = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        return None
    open_ones = Scope.objects.filter(user=None, ended_at=None, invited_at__gt=at - VALID)
    found = open_ones.select_related("tournament", "team").filter(pk=key).first()
    return found if found is not None and found.invited_at.timestamp() == sent else None


def accept_as(invitation: Scope, user: Any) -> None:
    """Give the scope to an existing login."""
    if user.is_staff:
        told = _("This login belongs to a member of staff. Accept with a different login.")
        raise ValidationError(told)
    with transaction.atomic():
        _give(invitation, user)


def accept_new(invitation: Scope, *, username: str, password: str) -> Any:
    """Create a login and give it the scope. The link came by mail, so the address is confirmed."""
    with transaction.atomic():
        user = make_login(
            username=username, password=password, email=invitation.email, language=invitation.language
        )
        _give(invitation, user)
    return user


def _give(invitation: Scope, user: Any) -> None:
    """Use the invitation up. If its link is used twice at once, the second request finds it used."""
    stored = lock_row(Scope.objects, invitation.pk)
    is_open = stored.user_id is None and stored.ended_at is None
    if not is_open or stored.invited_at != invitation.invited_at:
        raise ValidationError(_("This invitation was used or replaced."))
    stored.user, stored.email = user, ""
    stored.save(update_fields=["user", "email"])
    LogEntry.objects.log_actions(user.pk, [stored], ADDITION, change_message="Accepted the invitation.")


@task()
@repeatable
def send_invitation(scope: int) -> None:
    """Mail the invitation, if it still waits."""
    invitation = Scope.objects.select_related("tournament", "team").filter(pk=scope, user=None).first()
    if invitation is not None and invitation.email:
        mail(
            "organizers/mails/invitation",
            invitation.email,
            language=invitation.language,
            scope=invitation,
            days=VALID.days,
            path=reverse("organizers:accept", args=[token_of(invitation)]),
        )


def forget_invitations(at: datetime) -> None:
    """End invitations that nobody has accepted in time, and keep no address of them."""
    expired = Scope.objects.filter(user=None, ended_at=None, invited_at__lte=at - VALID)
    expired.update(ended_at=at, email="")
