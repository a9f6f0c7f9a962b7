"""B.02 0.4, 0.5, 4.12: findings that are let pass, tournaments that are refused, appeals."""

from datetime import date, timedelta

import pytest

from ratings.otb.models import AcceptedFinding, Tournament
from ratings.otb.services.judging import NotPossible, accept, refuse, take_back_refusal
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.eligibility import Finds
from tests.otb.tournaments import AT, FIRST_DAY, everybody_listed, received, report, round_robin

pytestmark = pytest.mark.django_db

LATE = date(2026, 3, 1)
ON = date(2026, 4, 3)
MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
Status = Tournament.Status


@pytest.fixture
def late():
    """A tournament that waits, and was registered late."""
    players = everybody_listed(2100, 2000, 1900, 1800)
    content = report(players, MET, days=[FIRST_DAY] * 3)
    return received(content, registered_on=LATE).tournament


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
        (Finds.NOT_REGISTERED, "why not", "B.02 0.4 leaves nothing to be accepted."),
        (Finds.TOO_FAST, "why not", "B.02 1.1 leaves nothing to be accepted."),
        (Finds.TOO_LONG, "why not", "This was not found in the tournament."),
        (Finds.REGISTERED_LATE, " \n", "Write why the finding is accepted."),
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
    with pytest.raises(NotPossible, match="accepted already"):
        accept(late, Finds.REGISTERED_LATE, "Once more.", None, AT)
    assert AcceptedFinding.objects.get().reason == "The chairman agreed."


def test_0_5_a_refused_tournament_says_why_and_since_when(late):
    refuse(late, " No arbiter. ", ON)
    late.refresh_from_db()
    assert (late.status, late.refusal, late.refused_on) == (Status.REFUSED, "No arbiter.", ON)


def test_0_5_an_appeal_that_was_upheld_lets_it_wait_again(late):
    refuse(late, "No arbiter.", ON)
    take_back_refusal(late)
    late.refresh_from_db()
    assert (late.status, late.refusal, late.refused_on) == (Status.RECEIVED, "", None)
    with pytest.raises(NotPossible, match="not refused"):
        take_back_refusal(late)


def test_a_refused_tournament_without_a_report_is_registered_again():
    one = Tournament.objects.create(
        name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY, status=Status.REFUSED, refusal="No."
    )
    assert take_back_refusal(one).status == Status.REGISTERED


def test_a_finding_of_a_refused_tournament_can_be_accepted_for_its_appeal(late):
    refuse(late, "Registered late.", ON)
    accept(late, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)
    assert take_back_refusal(late).status == Status.RECEIVED
    assert refusals(late) == []


def test_without_a_reason_nothing_is_refused(late):
    with pytest.raises(NotPossible, match="Write why"):
        refuse(late, " ", ON)
    late.refresh_from_db()
    assert late.status == Status.RECEIVED


@pytest.mark.parametrize("status", [Status.REGISTERED, Status.REFUSED, Status.RATED])
def test_only_what_waits_can_be_refused(late, status):
    late.status = status
    late.report = None if status == Status.REGISTERED else late.report
    late.rated_for = date(2026, 5, 1) if status == Status.RATED else None
    late.save()
    with pytest.raises(NotPossible, match=f"this one is {status.label}"):
        refuse(late, "No arbiter.", ON)


def test_nothing_of_a_rated_tournament_is_accepted(late):
    late.status, late.rated_for = Status.RATED, date(2026, 5, 1)
    late.save()
    with pytest.raises(NotPossible, match="is rated"):
        accept(late, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)


def test_nothing_is_found_in_a_tournament_without_a_report():
    one = Tournament.objects.create(name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
    with pytest.raises(NotPossible, match="not found"):
        accept(one, Finds.REGISTERED_LATE, "The chairman agreed.", None, AT)


def test_what_somebody_else_did_meanwhile_is_seen(late):
    """The page was read before a colleague refused the tournament."""
    seen_before = Tournament.objects.get(pk=late.pk)
    refuse(late, "No arbiter.", ON)
    with pytest.raises(NotPossible, match="this one is refused"):
        refuse(seen_before, "Too late.", ON + timedelta(days=1))


def test_a_tournament_that_is_gone_is_not_judged():
    one = Tournament.objects.create(name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
    gone = Tournament.objects.get(pk=one.pk)
    one.delete()
    with pytest.raises(NotPossible, match="no such tournament"):
        refuse(gone, "Too late.", ON)
