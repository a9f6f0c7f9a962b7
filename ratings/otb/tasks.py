"""What the worker does with tournaments and their lists (see ``ratings.office.jobs``)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date
from typing import Final

from django.contrib.admin.models import ADDITION, CHANGE
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from ratings.formats.problems import FileRefused
from ratings.office.jobs import Work, running
from ratings.office.uploads import taken
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.periods import Closing, NothingToClose, close_period
from ratings.otb.services.receiving import Upload, receive
from ratings.otb.services.revisions import ratings_moved
from ratings.rules.b02.parts import Kind

_NAMED: Final = 100
"""So many refused rows the page of the job names."""


@task(takes_context=True)
def close_otb_period(context: TaskContext, until: str) -> None:
    """B.02 7.13: rate the tournaments that were received in time, and publish their list."""
    with running(context) as work, transaction.atomic():

        def progress(done: int, total: int) -> None:
            doing = gettext("Tournaments rated: %(done)d of %(total)d. When all are, the list is written.")
            work.tell(done, total, doing % {"done": done, "total": total})

        try:
            closing = close_period(
                until=date.fromisoformat(until), at=timezone.now(), by=work.job.asked_by, progress=progress
            )
        except (NothingToClose, FileRefused) as refusal:
            told = gettext("There is nothing to close: %(reason)s.")
            raise ValidationError(told % {"reason": refusal}) from refusal
        _tell_closed(work, closing)


@task(takes_context=True)
def replace_otb_report(
    context: TaskContext,
    upload: str,
    sha256: str,
    source: str,
    tournament: int,
    kind: int | None,
    registered_on: str | None,
    skip_unknown_federations: bool,
) -> None:
    """Replace the report of a rated tournament, and rate its period and every later one again."""
    with running(context) as work, taken(upload) as stream, transaction.atomic():
        work.tell(0, None, gettext("The period of the tournament, and every later one, are rated again."))
        content = stream.read()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ValidationError(gettext("The file is not the one that was looked at. Nothing was stored."))
        target = Tournament.objects.filter(pk=tournament).first()
        if target is None:
            raise ValidationError(gettext("There is no such tournament any more."))
        brought = Upload(
            content=content, source=source, kind=None if kind is None else Kind(kind),
            registered_on=None if registered_on is None else date.fromisoformat(registered_on),
            skip_unknown_federations=skip_unknown_federations,
        )  # fmt: skip
        try:
            received = receive(brought, at=timezone.now(), by=work.job.asked_by, tournament=target)
        except (FileRefused, NotPossible) as refusal:
            told = gettext("Nothing was stored: %(reason)s")
            raise ValidationError(told % {"reason": refusal}) from refusal
        link = (gettext("Tournament"), target.get_absolute_url())
        if not received.is_new:
            work.add(gettext("It had this report already: nothing to do."), link)
            return
        work.add(gettext("%(tournament)s has its new report.") % {"tournament": received.tournament}, link)
        if received.tournament.status != Tournament.Status.RATED:
            work.add(
                gettext("With this report it cannot be rated, and counts for no list any more."),
                (gettext("Findings"), reverse("admin:otb_tournament_judge", args=(target.pk,))),
            )
        _tell_revised(work, received.revised)
        if not received.revised:
            work.add(gettext("No published list says anything else for it."))
        work.log(received.tournament, CHANGE)


def _tell_closed(work: Work, closing: Closing) -> None:
    otb_list = closing.otb_list
    named = {
        "list": otb_list, "rated": len(closing.rated), "players": otb_list.players,
        "new": otb_list.new_players, "delisted": otb_list.delisted,
    }  # fmt: skip
    text = gettext(
        "%(list)s is published. Tournaments rated: %(rated)d. Players: %(players)d, new: %(new)d, delisted:"
        " %(delisted)d."
    )
    work.add(text % named, (gettext("List"), otb_list.get_absolute_url()))
    for rated in closing.refused[:_NAMED]:
        tournament = rated.tournament
        told = (
            gettext("Refused: %(tournament)s.")
            if tournament.status == Tournament.Status.REFUSED
            else gettext("Not rated, it waits for the next list: %(tournament)s.")
        )
        work.add(
            told % {"tournament": tournament},
            (gettext("Findings"), reverse("admin:otb_tournament_judge", args=(tournament.pk,))),
        )
    if more := len(closing.refused[_NAMED:]):
        work.add(gettext("… and %(more)d more.") % {"more": more})
    if closing.revised:
        _tell_revised(work, closing.revised)
    work.log(otb_list, ADDITION)


def _tell_revised(work: Work, revised: Iterable[OtbList]) -> None:
    for one in revised:
        moved = ratings_moved(one)
        text = ngettext(
            "%(list)s is published: %(moved)d rating moved.",
            "%(list)s is published: %(moved)d ratings moved.",
            moved,
        )
        work.add(text % {"list": one, "moved": moved}, (gettext("List"), one.get_absolute_url()))
