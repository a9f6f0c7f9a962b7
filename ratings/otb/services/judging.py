"""B.02 0.4, 0.5, 4.12: accepting findings, refusing tournaments, and appeals."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext, override

from foa.text import date_text
from ratings.otb.labels import finding_sentence
from ratings.otb.models import AcceptedFinding, Refusal, Tournament
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rating import RatedTournament, as_rated
from ratings.otb.services.standings import edition_of
from ratings.rules.b02.findings import Finds

_LONGEST_REASON = 500


class NotPossible(ValueError):
    """Reason, for people, why something can't be done with a tournament in its present state."""


def accept(tournament: Tournament, finds: Finds, reason: str, by: Any, at: datetime) -> AcceptedFinding:
    """Accept a finding for which B.02 allows consent (0.4, 4.12). Raises NotPossible."""
    if not finds.acceptable:
        raise NotPossible(
            gettext("%(article)s allows no exceptions, so it can’t be accepted.")
            % {"article": edition_of(tournament).cite(finds)}
        )
    with transaction.atomic():
        stored = _locked(tournament)
        if stored.status == Tournament.Status.RATED:
            raise NotPossible(gettext("The tournament has been rated, so nothing more can be accepted."))
        rated = as_rated(stored)
        if rated is None or all(finding.finds is not finds for finding in rated.findings):
            raise NotPossible(gettext("This tournament has no such finding."))
        if finds in rated.accepted:
            raise NotPossible(gettext("This finding has already been accepted."))
        return _accepted(stored, finds, reason, by, at)


def accept_all(rated: RatedTournament, reason: str, by: Any, at: datetime) -> RatedTournament:
    """Accept all findings that keep the tournament from being rated and may be accepted.

    Call it in a transaction, with a stored tournament. Return the tournament with what was accepted.
    """
    accepted = dict(rated.accepted)
    for finds in sorted({finding.finds for finding in rated.refusals if finding.acceptable}):
        accepted[finds] = _accepted(rated.tournament, finds, reason, by, at)
    return replace(rated, accepted=accepted)


def withdraw_acceptance(tournament: Tournament, finds: Finds) -> AcceptedFinding:
    """Withdraw the acceptance of a finding, and return it. Raises NotPossible."""
    with transaction.atomic():
        stored = _locked(tournament)
        if stored.status == Tournament.Status.RATED:
            raise NotPossible(gettext("The tournament has been rated, so accepted findings stay accepted."))
        row = AcceptedFinding.objects.filter(tournament=stored, finds=finds.value).first()
        if row is None:
            raise NotPossible(gettext("This finding hasn’t been accepted."))
        AcceptedFinding.objects.filter(pk=row.pk).delete()
        row.tournament = stored
    return row


def refuse(tournament: Tournament, reason: str, on: date, by: Any = None) -> Refusal:
    """B.02 0.4, 0.5: refuse a tournament that is registered or waits to be rated. Raises NotPossible.

    The organizer may appeal for seven days.
    """
    if not reason.strip():
        raise NotPossible(gettext("Say why the tournament is being refused."))
    with transaction.atomic():
        stored = _locked(tournament)
        if stored.status not in (Tournament.Status.REGISTERED, Tournament.Status.RECEIVED):
            raise NotPossible(
                gettext("This tournament is already %(status)s, so it can’t be refused.")
                % {"status": stored.get_status_display()}
            )
        stored.status = Tournament.Status.REFUSED
        stored.save(update_fields=["status"])
        return Refusal.objects.create(tournament=stored, text=reason.strip(), refused_on=on, refused_by=by)


def receive_appeal(tournament: Tournament, text: str, on: date, today: date) -> Refusal:
    """B.02 0.5: note an appeal made within seven days of the refusal. Raises NotPossible."""
    if not text.strip():
        raise NotPossible(gettext("Enter the organizer’s reasons for the appeal."))
    with transaction.atomic():
        refusal = _refusal(tournament)
        if refusal.appealed_on is not None:
            raise NotPossible(
                gettext("The organizer already appealed on %(day)s.")
                % {"day": date_text(refusal.appealed_on)}
            )
        words = {
            "day": date_text(on),
            "refused": date_text(refusal.refused_on),
            "until": date_text(refusal.appeal_until),
            "today": date_text(today),
        }
        if on < refusal.refused_on:
            raise NotPossible(
                gettext("The appeal is dated %(day)s, before the refusal on %(refused)s.") % words
            )
        if on > today:
            raise NotPossible(gettext("The appeal is dated %(day)s, which is in the future.") % words)
        if on > refusal.appeal_until:
            raise NotPossible(
                gettext(
                    "The appeal is dated %(day)s. The tournament was refused on %(refused)s, so "
                    "the organizer could appeal until %(until)s (B.02 0.5)."
                )
                % words
            )
        refusal.appealed_on, refusal.appeal = on, text.strip()
        refusal.save(update_fields=["appealed_on", "appeal"])
    return refusal


def decide_appeal(tournament: Tournament, upheld: bool, reason: str, on: date, by: Any = None) -> Refusal:
    """B.02 0.5: uphold an appeal, so that the tournament waits again, or dismiss it. Raises NotPossible."""
    if not reason.strip():
        raise NotPossible(gettext("Say why the appeal is being upheld or dismissed."))
    with transaction.atomic():
        refusal = _refusal(tournament)
        if not refusal.appeal_is_open:
            raise NotPossible(gettext("No appeal is waiting for a decision."))
        refusal.upheld, refusal.decision = upheld, reason.strip()
        refusal.decided_on, refusal.decided_by = on, by
        if upheld:
            refusal.ended_on, refusal.end = on, Refusal.End.UPHELD
            _wait_again(refusal.tournament)
        refusal.save()
    return refusal


def take_back_refusal(tournament: Tournament, reason: str, on: date) -> Refusal:
    """B.02 0.5: take back a refusal that was the office's own mistake, with a reason that everybody can read.

    Not while an appeal waits, which is decided. Raises NotPossible.
    """
    if not reason.strip():
        raise NotPossible(gettext("Say why the refusal is reversed."))
    with transaction.atomic():
        refusal = _refusal(tournament)
        if refusal.appeal_is_open:
            raise NotPossible(gettext("An appeal is waiting. Uphold or dismiss it instead."))
        refusal.ended_on, refusal.end, refusal.end_reason = on, Refusal.End.TAKEN_BACK, reason.strip()
        refusal.save(update_fields=["ended_on", "end", "end_reason"])
        _wait_again(refusal.tournament)
    return refusal


def end_refusal(tournament: Tournament, on: date) -> None:
    """End a standing refusal because of a new report; its reasons stay."""
    standing = Refusal.objects.filter(tournament=tournament.pk, ended_on=None)
    standing.update(ended_on=on, end=Refusal.End.REPORTED)


def refusal_text(rated: RatedTournament) -> str:
    """Return the findings that keep a tournament from being rated, in lines and in English, for storing."""
    names = rated.names
    with override("en"):
        return "\n".join(finding_sentence(one, names, rated.edition) for one in rated.refusals)


def as_stored(tournament: Tournament) -> Tournament:
    """Return the tournament as it is stored now. Raises NotPossible if it is gone."""
    stored = Tournament.objects.with_report().filter(pk=tournament.pk).first()
    if stored is None:
        raise NotPossible(gettext("This tournament no longer exists."))
    return stored


def _locked(tournament: Tournament) -> Tournament:
    """Lock tournaments, and return this one as it is stored."""
    lock_tournaments()
    return as_stored(tournament)


def _refusal(tournament: Tournament) -> Refusal:
    """Lock tournaments, and return the standing refusal. Raises NotPossible."""
    stored = _locked(tournament)
    refusal = stored.refusal
    if stored.status != Tournament.Status.REFUSED or refusal is None:
        raise NotPossible(gettext("The tournament hasn’t been refused."))
    refusal.tournament = stored
    return refusal


def _wait_again(stored: Tournament) -> None:
    """Let a tournament wait to be rated; without a report, to be reported."""
    reported = stored.report_id is not None
    stored.status = Tournament.Status.RECEIVED if reported else Tournament.Status.REGISTERED
    stored.save(update_fields=["status"])


def _accepted(tournament: Tournament, finds: Finds, reason: str, by: Any, at: datetime) -> AcceptedFinding:
    reason = reason.strip()
    if not reason:
        raise NotPossible(gettext("Say why the finding is being accepted."))
    if len(reason) > _LONGEST_REASON:
        raise NotPossible(
            gettext("The reason has more than %(most)d characters.") % {"most": _LONGEST_REASON}
        )
    return AcceptedFinding.objects.create(
        tournament=tournament, finds=finds.value, reason=reason, accepted_at=at, accepted_by=by
    )
