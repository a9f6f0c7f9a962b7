"""Mails to organizers about what they sent, by the worker, in the language of each login."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, TextChoices
from django_tasks import task

from foa.account.language import language_of
from foa.mails import mail
from foa.repeatable import repeatable
from ratings.organizers.models import Scope, Submission
from ratings.otb.models import OtbList, Refusal


class Mail(TextChoices):
    """Kind of mail about a sent file; its template has the same name."""

    SENT = "sent"
    RETURNED = "returned"
    RECEIVED = "received"
    RATED = "rated"


@task()
@repeatable
def send_mail(submission: int, what: str) -> None:
    """Tell the sender what became of a file, as long as they may report there."""
    rows = Submission.objects.select_related("sent_by", "tournament", "team").defer("content")
    sent = rows.filter(pk=submission, scope__ended_at=None).first()
    user = None if sent is None else sent.sent_by
    if sent is None or user is None or not _is_reached(user):
        return
    tournament = sent.tournament
    otb_list = None
    if tournament is not None and tournament.rated_for is not None:
        otb_list = OtbList.objects.in_chapter(tournament.chapter).latest_of(tournament.rated_for)
    mail(
        f"organizers/mails/{Mail(what).value}",
        user.email,
        language=language_of(user),
        sent=sent,
        otb_list=otb_list,
    )


@task()
@repeatable
def send_refusal(refusal: int, scope: int) -> None:
    """B.02 0.5: tell somebody why their tournament won't be rated, and until when they may appeal."""
    refused = Refusal.objects.select_related("tournament").filter(pk=refusal).first()
    of = Scope.objects.select_related("user").filter(pk=scope, ended_at=None).first()
    user = None if of is None else of.user
    if refused is None or user is None or not _is_reached(user):
        return
    mail(
        "organizers/mails/refused",
        user.email,
        language=language_of(user),
        refusal=refused,
        scope=of,
    )


def tell_of_refusal(refusal: Refusal) -> None:
    """Queue a mail to everybody who reports this tournament, one for each login."""
    of_tournament = Q(tournament=refusal.tournament_id) | Q(submissions__tournament=refusal.tournament_id)
    scopes = Scope.objects.filter(of_tournament, ended_at=None, user__isnull=False).order_by("pk")
    for one in {scope.user_id: scope for scope in scopes}.values():
        send_refusal.enqueue(refusal=refusal.pk, scope=one.pk)


def _is_reached(user: Any) -> bool:
    return bool(user.is_active and user.email)
