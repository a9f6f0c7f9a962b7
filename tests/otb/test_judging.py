"""B.02 0.4, 0.5, 4.12: findings that are let pass, tournaments that are refused, appeals."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction

from ratings.otb.models import AcceptedFinding, Refusal, Tournament
from ratings.otb.services.judging import (
    NotPossible,
    accept,
    decide_appeal,
    receive_appeal,
    refuse,
    take_back_refusal,
)
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.findings import Finds
from tests.otb.tournaments import AT, FIRST_DAY, everybody_listed, received, report, round_robin

pytestmark = pytest.mark.django_db

LATE = date(2026, 3, 1)
ON = date(2026, 4, 3)
DECIDED = date(2026, 4, 20)
MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
Status = Tournament.Status


def a_late_tournament():
    """A tournament that waits, and was registered late."""
    players = everybody_listed(2100, 2000, 1900, 1800)
    content = report(players, MET, days=[FIRST_DAY] * 3)
    return received(content, registered_on=LATE).tournament


@pytest.fixture(scope="class")
def late(standing):
    return standing(a_late_tournament)


def refusals(tournament):
    return [finding.finds for finding in as_rated(Tournament.objects.get(pk=tournament.pk)).refusals]


def test_0_4_an_accepted_finding_no_longer_refuses_the_tournament(late, admin_user):
    assert refusals(late) == [Finds.REGISTERED_LATE]
    row = accept(late, Finds.REGISTERED_LATE, " The chairman agreed. ", admin_user, AT)
    assert (row.reason, row.accepted_by, row.accepted_at) == ("The chairman agreed.", admin_user, AT)
    assert refusals(late) == []
    late.refresh_from_db()
    assert late.status == Status.RECEIVED


@pytest.mark.parametrize(
    ("finds", "reason", "said"),
    [
        (Finds.NOT_REGISTERED, "why not", "B.02 0.4 allows no exceptions, so it can’t be accepted."),
        (Finds.TOO_FAST, "why not", "B.02 1.1 allows no exceptions, so it can’t be accepted."),
        (Finds.TOO_LONG, "why not", "This tournament has no such finding."),
        (Finds.REGISTERED_LATE, " \n", "Say why the finding is being accepted."),
        (Finds.REGISTERED_LATE, "x" * 501, "The reason has more than 500 characters."),
    ],
)
def test_what_may_not_be_accepted_is_not(late, finds, reason, said):
    with pytest.raises(NotPossible) as caught:
        accept(late, finds, reason, None, AT)
    assert str(caught.value) == said
    assert not AcceptedFinding.objects.exists()


def test_a_finding_is_accepted_once(late):
    accept(late, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)
    with pytest.raises(NotPossible, match="already been accepted"):
        accept(late, Finds.REGISTERED_LATE, "Once more.", None, AT)
    assert AcceptedFinding.objects.get().reason == "The chairman agreed."


def test_0_5_a_refused_tournament_says_why_and_since_when(late, admin_user):
    refuse(late, " No arbiter. ", ON, admin_user)
    late.refresh_from_db()
    assert late.status == Status.REFUSED
    refusal = late.refusal
    assert (refusal.text, refusal.refused_on, refusal.refused_by) == ("No arbiter.", ON, admin_user)
    # Seven days, the day of the news not counted.
    assert refusal.appeal_until == date(2026, 4, 10)


def test_0_5_an_appeal_that_was_upheld_lets_it_wait_again(late, admin_user):
    refuse(late, "No arbiter.", ON)
    receive_appeal(late, " There was one. ", ON + timedelta(days=7), DECIDED)
    refusal = decide_appeal(late, True, " The list shows one. ", DECIDED, admin_user)
    late.refresh_from_db()
    assert (late.status, late.refusal) == (Status.RECEIVED, None)
    assert (refusal.text, refusal.appeal, refusal.decision, refusal.upheld, refusal.ended_on) == (
        "No arbiter.",
        "There was one.",
        "The list shows one.",
        True,
        DECIDED,
    )
    with pytest.raises(NotPossible, match="hasn’t been refused"):
        take_back_refusal(late, "Again.", DECIDED)


def test_0_5_an_appeal_that_was_dismissed_leaves_it_refused(late):
    refuse(late, "No arbiter.", ON)
    receive_appeal(late, "There was one.", ON, DECIDED)
    decide_appeal(late, False, "The list shows none.", DECIDED)
    late.refresh_from_db()
    assert late.status == Status.REFUSED
    assert late.refusal.decision == "The list shows none."
    with pytest.raises(NotPossible, match="already appealed on 3 Apr 2026"):
        receive_appeal(late, "Once more.", ON, DECIDED)


@pytest.mark.parametrize(
    ("on", "text", "said"),
    [
        (
            date(2026, 4, 11),
            "Late.",
            "The appeal is dated 11 Apr 2026. The tournament was refused on 3 Apr 2026, so the "
            "organizer could appeal until 10 Apr 2026 (B.02 0.5).",
        ),
        (date(2026, 4, 2), "Early.", "The appeal is dated 2 Apr 2026, before the refusal on 3 Apr 2026."),
        (date(2026, 4, 21), "Ahead.", "The appeal is dated 21 Apr 2026, which is in the future."),
        (ON, " ", "Enter the organizer’s reasons for the appeal."),
    ],
)
def test_0_5_an_appeal_has_seven_days_and_says_something(late, on, text, said):
    refuse(late, "No arbiter.", ON)
    with pytest.raises(NotPossible) as caught:
        receive_appeal(late, text, on, DECIDED)
    assert str(caught.value) == said
    assert late.refusal.appealed_on is None


def test_0_5_an_appeal_is_decided_with_a_reason_and_not_passed_over(late):
    refuse(late, "No arbiter.", ON)
    with pytest.raises(NotPossible, match="No appeal is waiting"):
        decide_appeal(late, True, "Why not.", DECIDED)
    receive_appeal(late, "There was one.", ON, DECIDED)
    with pytest.raises(NotPossible, match="Say why the appeal is being upheld or dismissed"):
        decide_appeal(late, True, " ", DECIDED)
    with pytest.raises(NotPossible, match="An appeal is waiting"):
        take_back_refusal(late, "A mistake.", DECIDED)


def test_0_5_every_refusal_of_a_tournament_stays(late):
    refuse(late, "No arbiter.", ON)
    with pytest.raises(NotPossible, match="Say why the refusal is reversed"):
        take_back_refusal(late, " ", DECIDED)
    take_back_refusal(late, "Another tournament was meant.", DECIDED)
    refuse(late, "No clocks.", DECIDED)
    content = report(everybody_listed(2100, 2000, 1900, 1800), MET, days=[FIRST_DAY] * 3, control="7300")
    received(content, tournament=late, registered_on=LATE)
    late.refresh_from_db()
    assert (late.status, late.refusal) == (Status.RECEIVED, None)
    assert list(late.refusals.values_list("text", "end", "end_reason")) == [
        ("No arbiter.", Refusal.End.TAKEN_BACK, "Another tournament was meant."),
        ("No clocks.", Refusal.End.REPORTED, ""),
    ]


def test_0_4_a_registration_is_refused_and_taken_back_as_a_registration():
    one = Tournament.objects.create(name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
    refuse(one, "Registered by nobody.", ON)
    one.refresh_from_db()
    assert one.status == Status.REFUSED
    take_back_refusal(one, "It was the federation.", DECIDED)
    one.refresh_from_db()
    assert one.status == Status.REGISTERED


def test_a_finding_of_a_refused_tournament_can_be_accepted_for_its_appeal(late):
    refuse(late, "Registered late.", ON)
    accept(late, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)
    take_back_refusal(late, "The chairman agreed.", DECIDED)
    assert refusals(late) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"appealed_on": ON},
        {"appealed_on": ON - timedelta(days=1), "appeal": "Early."},
        {"decided_on": ON, "upheld": True, "decision": "Of nothing."},
        {"appealed_on": ON, "appeal": "Why?", "decided_on": ON, "upheld": True},
        {"ended_on": ON, "end": Refusal.End.UPHELD},
        {"ended_on": ON, "end": Refusal.End.TAKEN_BACK},
        {"ended_on": ON},
    ],
)
def test_0_5_the_database_keeps_no_appeal_without_what_was_said(late, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Refusal.objects.create(tournament=late, text="No arbiter.", refused_on=ON, **fields)


def test_a_tournament_has_one_refusal_that_stands(late):
    refuse(late, "No arbiter.", ON)
    with pytest.raises(IntegrityError), transaction.atomic():
        Refusal.objects.create(tournament=late, text="No clocks.", refused_on=ON)


def test_without_a_reason_nothing_is_refused(late):
    with pytest.raises(NotPossible, match="Say why"):
        refuse(late, " ", ON)
    late.refresh_from_db()
    assert late.status == Status.RECEIVED


@pytest.mark.parametrize("status", [Status.REFUSED, Status.RATED])
def test_only_what_waits_can_be_refused(late, status):
    late.status = status
    late.rated_for = date(2026, 5, 1) if status == Status.RATED else None
    late.save()
    with pytest.raises(NotPossible, match=f"is already {status.label}, so it can’t be refused"):
        refuse(late, "No arbiter.", ON)


def test_nothing_of_a_rated_tournament_is_accepted(late):
    late.status, late.rated_for = Status.RATED, date(2026, 5, 1)
    late.save()
    with pytest.raises(NotPossible, match="has been rated"):
        accept(late, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)


def test_nothing_is_found_in_a_tournament_without_a_report():
    one = Tournament.objects.create(name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
    with pytest.raises(NotPossible, match="has no such finding"):
        accept(one, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)


def test_what_somebody_else_did_meanwhile_is_seen(late):
    """The page was read before a colleague refused the tournament."""
    seen_before = Tournament.objects.get(pk=late.pk)
    refuse(late, "No arbiter.", ON)
    with pytest.raises(NotPossible, match="is already refused, so it can’t be refused"):
        refuse(seen_before, "Too late.", ON + timedelta(days=1))


def test_a_tournament_that_is_gone_is_not_judged():
    one = Tournament.objects.create(name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
    gone = Tournament.objects.get(pk=one.pk)
    one.delete()
    with pytest.raises(NotPossible, match="tournament no longer exists"):
        refuse(gone, "Too late.", ON)
