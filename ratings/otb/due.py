"""Periods to close, appeals, and the days of the lists over the board."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of
from foa.text import date_text
from ratings.formats.problems import FileRefused
from ratings.office.due import Dated, Due, finds_dates, finds_due
from ratings.otb.citations import cited
from ratings.otb.models import CHAPTER_NAMES, Refusal, Tournament
from ratings.otb.services.rating import as_rated
from ratings.otb.services.stages import events, next_list_for, unreported
from ratings.otb.services.standings import edition_of, edition_on
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic

_READ: Final = 20
"""Maximum number of received tournaments whose findings are looked for."""


@finds_due(_("Over the board"), "otb.close_otblist")
def periods(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the first period that can be closed, if a report waits for it (2009: 7.13, 2024: 7.1.3).

    An office that is behind closes one period after the other, because each list follows the one before.
    """
    without_report = unreported()
    for chapter in Chapter:
        received = Tournament.objects.filter(status=Tournament.Status.RECEIVED, chapter=chapter).to_be_rated()
        # Events that ended on one day are rated for one list, unless they are official.
        waiting = {
            (stages[-1].last_day, stages[-1].official): stages
            for stages in events(received)
            if stages[0].event not in without_report
        }
        if not waiting:
            continue
        list_day = min(map(next_list_for, waiting.values()))
        edition = edition_on(list_day, chapter)
        closes = edition.closing_day(list_day)
        if closes > now.astimezone(UTC).date():
            continue
        text = (
            gettext("Over-the-board list of %(day)s: the period has ended%(cited)s")
            if chapter == Chapter.STANDARD
            else gettext("Over-the-board %(chapter)s list of %(day)s: the period has ended%(cited)s")
        )
        words = {
            "day": date_text(list_day),
            "chapter": CHAPTER_NAMES[chapter],
            "cited": cited(edition, Topic.CLOSING_DAY),
        }
        yield Due(
            text=text % words,
            button=gettext("Close the period"),
            link=f"{reverse('admin:otb_otblist_close')}?chapter={chapter.slug}&until={closes}",
            at=beginning_of(closes),
        )


@finds_due(_("Over the board"), "otb.judge_tournament")
def findings(user: Any, now: datetime) -> Iterator[Due]:
    """Yield received tournaments that findings keep from being rated, the oldest first.

    Their number is limited, because each report is read.
    """
    received = Tournament.objects.filter(status=Tournament.Status.RECEIVED).to_be_rated()
    for one in received.with_report().order_by("last_day", "pk")[:_READ]:
        try:
            rated = as_rated(one)
            number = len(rated.refusals) if rated else 0
        except FileRefused:
            # Its page says what can't be read any more.
            number = 1
        if number:
            text = ngettext(
                "%(number)d finding prevents %(tournament)s from being rated",
                "%(number)d findings prevent %(tournament)s from being rated",
                number,
            )
            since = None if one.report is None else one.report.received_at
            link = reverse("admin:otb_tournament_judge", args=(one.pk,))
            words = {"number": number, "tournament": one}
            yield Due(text=text % words, button=gettext("Review the findings"), link=link, at=since)


@finds_due(_("Over the board"), "otb.judge_tournament")
def appeals(user: Any, now: datetime) -> Iterator[Due]:
    """B.02 0.5: appeals that wait for a decision."""
    waiting = Refusal.objects.filter(ended_on=None, decided_on=None, appealed_on__isnull=False)
    for one in waiting.select_related("tournament").order_by("appealed_on", "pk"):
        text = gettext("Appeal about %(tournament)s%(cited)s") % {
            "tournament": one.tournament,
            "cited": cited(edition_of(one.tournament), Topic.APPEAL),
        }
        since = None if one.appealed_on is None else beginning_of(one.appealed_on)
        link = reverse("admin:otb_tournament_judge", args=(one.tournament_id,))
        yield Due(text=text, button=gettext("Decide"), link=link, at=since)


@finds_dates
def list_days(first: date, last: date) -> Iterator[Dated]:
    """Yield the lists, and the last day on which a tournament for each may end."""
    link = reverse("otb:lists")
    list_day = edition_on(first).list_in_force(first)
    while (closing := (edition := edition_on(list_day)).closing_day(list_day)) <= last:
        named = {"day": date_text(list_day)}
        if first <= closing:
            text = gettext("Last day of play for the over-the-board list of %(day)s%(cited)s")
            words = {**named, "cited": cited(edition, Topic.CLOSING_DAY)}
            heading = gettext("Last day of play")
            yield Dated(
                day=closing,
                key="otb-closing",
                heading=heading,
                text=text % words,
                link=link,
                list_day=list_day,
            )
        if first <= list_day <= last:
            text = gettext("Over-the-board list of %(day)s%(cited)s")
            words = {**named, "cited": cited(edition, Topic.LIST_DAYS)}
            heading = gettext("Over-the-board list")
            yield Dated(day=list_day, key="otb-list", heading=heading, text=text % words, link=link)
        list_day = edition.next_list(list_day)
