"""Rows of reports made anew, or for reports that an earlier version received."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from ratings.formats.problems import FileRefused
from ratings.otb.models import Tournament
from ratings.otb.services.judging import NotPossible, as_stored
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rating import event_as_rated, read
from ratings.otb.services.rows import store, store_figures
from ratings.otb.services.stages import event_stages


def make_rows(tournament: Tournament) -> None:
    """Make the rows of a tournament anew from its report, in one transaction.

    Other stages of its event, and its league, get the rows that they lack, because its figures depend on
    them. Raises FileRefused if one of these reports can't be read, and NotPossible.
    """
    with transaction.atomic():
        lock_tournaments()
        stored = as_stored(tournament)
        others = [*event_stages(stored).exclude(pk=stored.pk)]
        if stored.part_of is not None:
            others.append(stored.part_of)
        made = [stored, *(one for one in others if one.report is not None and one.report.records is None)]
        for one in made:
            if one.report is not None:
                store(one, read(one.report))
        for one in made:
            if one.status == Tournament.Status.RATED:
                store_figures((each.tournament.pk, each.rating.results) for each in event_as_rated(one))


def make_missing(tournaments: Iterable[Tournament]) -> None:
    """Make the rows of those of these tournaments whose report isn't in rows yet. Raises FileRefused."""
    for one in tournaments:
        if one.report is not None and one.report.records is None:
            make_rows(one)
            one.report.refresh_from_db(fields=["records"])


def make_all_missing() -> None:
    """Make the rows of all reports that count and aren't in rows yet, one tournament after the other.

    The audit names those that can't be read. What is made stays if this is interrupted.
    """
    lacking = Tournament.objects.filter(report__isnull=False, report__records__isnull=True)
    for tournament in lacking.order_by("-last_day", "-pk").only("pk"):
        try:
            make_rows(tournament)
        except (FileRefused, NotPossible):
            continue
