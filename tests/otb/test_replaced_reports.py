"""A report that takes the place of another after its period was closed; and reports that come in at once."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ratings.otb.models import OtbList, OtbListEntry, Tournament, TournamentReport, TournamentResult
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.period_closing import close_period
from tests.otb.tournaments import FIRST_DAY, everybody_listed, received, report, round_robin
from tests.rbb.test_concurrency import at_once

MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
OTHERWISE = round_robin("*0==", "1*1=", "=0*1", "==0*")
"""The same, but that the first lost against the second."""

DAYS = [FIRST_DAY] * 3
CLOSED = datetime(2026, 4, 26, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 20, 12, tzinfo=UTC)


def ratings(otb_list):
    return list(
        OtbListEntry.objects.filter(otb_list=otb_list).order_by("fide_id").values_list("rating", flat=True)
    )


@pytest.fixture
def players(db):
    return everybody_listed(2100, 2000, 1900, 1800)


def closed(players):
    """A tournament that is rated, and the list that was published with it."""
    one = received(report(players, MET, days=DAYS)).tournament
    published = close_period(until=date(2026, 4, 25), at=CLOSED).otb_list
    one.refresh_from_db()
    return one, published


def test_a_new_report_of_a_rated_tournament_revises_its_list(players):
    one, published = closed(players)
    assert (one.status, one.rated_for) == (Tournament.Status.RATED, date(2026, 5, 1))
    # 0.64 + 0.76 + 0.85 are expected of the first, who has 2: 15 × -0.25 = -3.75.
    assert ratings(published)[0] == 2096
    done = received(report(players, OTHERWISE, days=DAYS), tournament=one, at=LATER)
    one.refresh_from_db()
    assert (one.status, one.rated_for) == (Tournament.Status.RATED, date(2026, 5, 1))
    assert [(one.list_day, one.revision) for one in done.revised] == [(date(2026, 5, 1), 2)]
    # Now he has 1: 15 × -1.25 = -18.75; what was published stays.
    assert ratings(done.revised[0])[0] == 2081
    assert ratings(published)[0] == 2096
    assert TournamentResult.objects.get(tournament=one, number=1).change == Decimal("-18.75")


def test_a_new_report_that_changes_no_rating_revises_nothing(players):
    one, _published = closed(players)
    done = received(report(players, MET, days=DAYS, kind="Round robin"), tournament=one, at=LATER)
    assert (done.is_new, done.revised) == (True, ())
    assert OtbList.objects.published().count() == 1


def test_a_new_report_that_may_not_be_rated_takes_the_tournament_out_of_its_list(players):
    one, _published = closed(players)
    done = received(report(players, MET, days=DAYS, control="900"), tournament=one, at=LATER)
    assert (done.tournament.status, done.tournament.rated_for) == (Tournament.Status.REFUSED, None)
    assert ratings(done.revised[0]) == [2100, 2000, 1900, 1800]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
def test_two_reports_of_one_tournament_at_once_make_one_tournament():
    players = everybody_listed(2100, 2000, 1900, 1800)

    def bring(content):
        try:
            return received(content).is_new
        except NotPossible:
            return None

    same, other = report(players, MET), report(players, OTHERWISE)
    came = at_once(lambda: bring(same), lambda: bring(same), lambda: bring(other))
    assert sorted(map(str, came)) in (["False", "None", "True"], ["None", "None", "True"])
    assert (Tournament.objects.count(), TournamentReport.objects.count()) == (1, 1)
