"""B.02 9.2: an event that was announced as unrated."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from ratings.otb.models import OtbList, Tournament
from ratings.otb.services import publishing
from ratings.otb.services.judging import NotPossible, as_stored
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rows import forget_results


def announce_unrated(
    tournament: Tournament, *, at: datetime, by: Any = None
) -> tuple[Tournament, list[OtbList]]:
    """Register that an event was announced as unrated, and the revisions of lists that this brings.

    If it is rated, its period and every later one are rated again without it. Raises NotPossible.
    """
    with transaction.atomic():
        lock_tournaments()
        stored = as_stored(tournament)
        if stored.part_of is not None:
            raise NotPossible(
                gettext("This is part of %(league)s. Record the announcement there.")
                % {"league": stored.part_of}
            )
        of_event = Tournament.objects.filter(pk=stored.pk) | stored.parts.all()
        rated = list(of_event.filter(status=Tournament.Status.RATED))
        if stored.announced_unrated and not rated:
            raise NotPossible(
                gettext("We’ve already recorded that this tournament was announced as unrated.")
            )
        forget_results(rated)
        days = [one.rated_for for one in rated if one.rated_for is not None]
        of_event.filter(pk__in=[one.pk for one in rated]).update(
            status=Tournament.Status.RECEIVED, rated_for=None
        )
        stored.refresh_from_db()
        stored.announced_unrated = True
        stored.save(update_fields=["announced_unrated"])
        revised = publishing.rerate_from(min(days), stored.chapter, at=at, by=by) if days else []
    return stored, revised


def withdraw_announcement(tournament: Tournament) -> Tournament:
    """Let an event be rated after all: it wasn't announced as unrated. Raises NotPossible."""
    with transaction.atomic():
        lock_tournaments()
        stored = as_stored(tournament)
        if not stored.announced_unrated:
            raise NotPossible(gettext("We haven’t recorded that this tournament was announced as unrated."))
        stored.announced_unrated = False
        stored.save(update_fields=["announced_unrated"])
    return stored
