"""B.02 0.4, 0.5, 4.12: what of a tournament somebody lets pass, and refusing the tournament."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils.translation import gettext

from ratings.otb.models import AcceptedFinding, Tournament
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rating import RatedTournament, as_rated
from ratings.rules.b02.eligibility import Finds

_LONGEST_REASON = 500


class NotPossible(ValueError):
    """What was asked for cannot be done with this tournament as it stands; a sentence says why."""


def accept(
    tournament: Tournament,
    finds: Finds,
    reason: str,
    by: Any,
    at: datetime,
    using: str = DEFAULT_DB_ALIAS,
) -> AcceptedFinding:
    """Let a finding pass that B.02 leaves to consent (0.4, 4.12). Raises NotPossible."""
    if not finds.acceptable:
        raise NotPossible(
            gettext("B.02 %(article)s leaves nothing to be accepted.") % {"article": finds.article}
        )
    with transaction.atomic(using=using):
        stored = _locked(tournament, using)
        if stored.status == Tournament.Status.RATED:
            raise NotPossible(gettext("The tournament is rated: nothing is to be accepted any more."))
        rated = as_rated(stored, using)
        if rated is None or all(finding.finds is not finds for finding in rated.findings):
            raise NotPossible(gettext("This was not found in the tournament."))
        if finds in rated.accepted:
            raise NotPossible(gettext("This finding was accepted already."))
        return _accepted(stored, finds, reason, by, at, using)


def accept_all(rated: RatedTournament, reason: str, by: Any, at: datetime, using: str) -> RatedTournament:
    """Let every finding pass that keeps the tournament from being rated and may be accepted.

    In a transaction of the caller; the tournament is stored. What comes back knows of it.
    """
    waiting = sorted({finding.finds for finding in rated.refusals if finding.acceptable})
    for finds in waiting:
        _accepted(rated.tournament, finds, reason, by, at, using)
    return replace(rated, accepted={*rated.accepted, *waiting})


def withdraw_acceptance(
    tournament: Tournament, finds: Finds, using: str = DEFAULT_DB_ALIAS
) -> AcceptedFinding:
    """Let a finding count again that was accepted; as it was. Raises NotPossible."""
    with transaction.atomic(using=using):
        stored = _locked(tournament, using)
        if stored.status == Tournament.Status.RATED:
            raise NotPossible(gettext("The tournament is rated: what was accepted stays accepted."))
        row = AcceptedFinding.objects.using(using).filter(tournament=stored, finds=finds.value).first()
        if row is None:
            raise NotPossible(gettext("This finding was not accepted."))
        AcceptedFinding.objects.using(using).filter(pk=row.pk).delete()
        row.tournament = stored
    return row


def refuse(tournament: Tournament, reason: str, on: date, using: str = DEFAULT_DB_ALIAS) -> Tournament:
    """B.02 0.5: refuse a tournament; the organizer may appeal for seven days. Raises NotPossible."""
    if not reason.strip():
        raise NotPossible(gettext("Write why the tournament is refused."))
    with transaction.atomic(using=using):
        stored = _locked(tournament, using)
        if stored.status != Tournament.Status.RECEIVED:
            raise NotPossible(
                gettext("Only a tournament that waits to be rated can be refused; this one is %(status)s.")
                % {"status": stored.get_status_display()}
            )
        stored.status, stored.refusal, stored.refused_on = Tournament.Status.REFUSED, reason.strip(), on
        stored.save(using=using, update_fields=["status", "refusal", "refused_on"])
    return stored


def take_back_refusal(tournament: Tournament, using: str = DEFAULT_DB_ALIAS) -> Tournament:
    """B.02 0.5: an appeal was upheld; the tournament waits again to be rated. Raises NotPossible."""
    with transaction.atomic(using=using):
        stored = _locked(tournament, using)
        if stored.status != Tournament.Status.REFUSED:
            raise NotPossible(gettext("The tournament is not refused."))
        reported = stored.report_id is not None
        stored.status = Tournament.Status.RECEIVED if reported else Tournament.Status.REGISTERED
        stored.refusal, stored.refused_on = "", None
        stored.save(using=using, update_fields=["status", "refusal", "refused_on"])
    return stored


def as_stored(tournament: Tournament, using: str) -> Tournament:
    """The tournament as it is stored now. Raises NotPossible if it is gone."""
    stored = Tournament.objects.using(using).select_related("report").filter(pk=tournament.pk).first()
    if stored is None:
        raise NotPossible(gettext("There is no such tournament any more."))
    return stored


def _locked(tournament: Tournament, using: str) -> Tournament:
    """The tournament as it is stored now, while nobody else changes one."""
    lock_tournaments(connections[using])
    return as_stored(tournament, using)


def _accepted(
    tournament: Tournament, finds: Finds, reason: str, by: Any, at: datetime, using: str
) -> AcceptedFinding:
    reason = reason.strip()
    if not reason:
        raise NotPossible(gettext("Write why the finding is accepted."))
    if len(reason) > _LONGEST_REASON:
        raise NotPossible(
            gettext("The reason has more than %(most)d characters.") % {"most": _LONGEST_REASON}
        )
    return AcceptedFinding.objects.using(using).create(
        tournament=tournament, finds=finds.value, reason=reason, accepted_at=at, accepted_by=by
    )
