"""B.02 9.2: an event that was announced as unrated: its reports are taken, and never rated."""

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from ratings.office.audit import audit
from ratings.office.models import AuditFinding, ChangeSet
from ratings.otb.models import OtbList, OtbListEntry, Tournament, TournamentResult
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import NothingToClose
from tests.backoffice import admin_page
from tests.decisions import decide, look
from tests.otb.test_decisions import OverTheBoard, content
from tests.otb.tournaments import everybody_listed, received
from tests.pages import words

pytestmark = pytest.mark.django_db

MAY = date(2026, 5, 1)
CLOSED = datetime(2026, 4, 26, 12, tzinfo=UTC)
RECEIVED, RATED = Tournament.Status.RECEIVED, Tournament.Status.RATED


class OfAnnouncement(OverTheBoard):
    def state(self):
        return [super().state(), list(Tournament.objects.values_list("announced_unrated"))]


class TestAnnounceUnrated(OfAnnouncement):
    kind = "announce-unrated"

    def disturb(self):
        close_period(until=MAY, at=CLOSED)


class TestAnnounceUnratedOfWhatIsRated(TestAnnounceUnrated):
    """Its list is published again without it. Nothing takes that back: it would wait for the next list."""

    undoable = False

    def asked(self):
        close_period(until=MAY, at=CLOSED)
        return super().asked()

    def disturb(self):
        self.change(status=RECEIVED, rated_for=None)


class TestWithdrawAnnouncement(OfAnnouncement):
    kind = "withdraw-announcement"
    says_what_differs = False

    def asked(self):
        self.change(announced_unrated=True)
        return super().asked()

    def disturb(self):
        self.change(announced_unrated=False)


@pytest.fixture
def tournament():
    """A round robin of 2000, 1900, 1800 and 1700, in which each beat everybody below."""
    everybody_listed(2000, 1900, 1800, 1700)
    return received(content()).tournament


def ratings():
    entries = OtbListEntry.objects.filter(otb_list=OtbList.objects.latest_of(MAY))
    return list(entries.order_by("fide_id").values_list("rating", flat=True))


def test_9_2_its_report_is_received_and_no_period_rates_it(tournament):
    Tournament.objects.filter(pk=tournament.pk).update(announced_unrated=True)
    with pytest.raises(NothingToClose):
        close_period(until=MAY, at=CLOSED)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (RECEIVED, None)
    assert tournament.report is not None


def test_9_2_it_can_be_registered_so_before_there_is_a_report_and_its_pages_say_so(officer):
    form = {
        "name": "Fjord Open", "city": "", "federation": "NOR", "first_day": "2026-03-14",
        "last_day": "2026-03-14", "registered_on": "2026-01-10", "kind": "2", "time_control": "7200",
        "planned_games": "", "chapter": "1", "announced_unrated": "on",
    }  # fmt: skip
    assert officer.post(admin_page(Tournament, "add"), form).status_code == 302
    everybody_listed(2000, 1900, 1800, 1700)
    done = received(content()).tournament
    assert done == Tournament.objects.get(announced_unrated=True)
    assert done.status == RECEIVED
    page = words(Client().get(done.get_absolute_url()))
    assert (
        "This tournament was announced as unrated. We take its report, but don’t rate it (B.02 9.2)." in page
    )
    assert "This tournament is not rated." in page
    assert "announced as unrated, so its report isn’t rated (B.02 9.2)." in page
    assert "received, not rated" in words(Client().get(reverse("otb:tournaments")))
    assert 'name="announced_unrated"' not in officer.get(admin_page(done)).text, "there is a report"


def test_9_2_a_rated_event_that_was_announced_as_not_rated_leaves_its_list(officer, tournament, worker):
    """2000: 15 × (3 - 0.64 - 0.76 - 0.85) = +11.25. Without the tournament all have the rating before."""
    close_period(until=MAY, at=CLOSED)
    assert ratings() == [2011, 1904, 1796, 1689]
    judging = officer.get(admin_page(tournament, "judge")).text
    assert f"{admin_page(tournament, 'judge')}announced/" in judging
    address = f"{admin_page(tournament, 'judge')}announced/"
    shown = words(look(officer, address))
    assert "2011 2000 −11" in shown, shown
    decide(officer, address, {})
    worker()
    done = ChangeSet.objects.get()
    assert (done.state, done.moved) == (ChangeSet.State.APPLIED, 4), done.outcome
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (RECEIVED, None)
    assert ratings() == [2000, 1900, 1800, 1700]
    assert OtbList.objects.latest_of(MAY).revision == 2
    assert not TournamentResult.objects.exists()


def test_9_2_the_audit_finds_a_rated_one_and_nothing_else_and_mends_it(officer, tournament, worker):
    close_period(until=MAY, at=CLOSED)
    assert audit(only=["announced-unrated"]).open == {"announced-unrated": 0}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE fide_tournament SET announced_unrated = %s", [True])
    assert audit(only=["announced-unrated"]).open == {"announced-unrated": 1}
    (found,) = AuditFinding.objects.all()
    assert found.key == f"tournament {tournament.pk}"
    assert found.words == {"tournament": "Fjord Open (2026-03-14)", "day": "2026-05-01"}
    mends = found.mends
    assert mends == {"kind": "announce-unrated", "parameters": {"tournament": [str(tournament.pk)]}}
    decide(officer, f"{admin_page(tournament, 'judge')}announced/", {})
    worker()
    assert audit(only=["announced-unrated"]).open == {"announced-unrated": 0}
    assert ratings() == [2000, 1900, 1800, 1700]
