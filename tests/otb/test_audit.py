"""The audit over the board: it finds what was written behind the office's back, and nothing else."""

from datetime import UTC, date, datetime

import pytest
from django.db import connection

from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding
from ratings.otb.models import OtbList, OtbListEntry, Tournament, TournamentResult
from ratings.otb.services.period_closing import close_period
from tests.otb import tournaments
from tests.otb.test_late_events import APRIL_29, CUP, content
from tests.otb.test_stages import event
from tests.otb.tournaments import entrant, everybody_listed, report

pytestmark = pytest.mark.django_db

MAY, JULY, SEPTEMBER = date(2026, 5, 1), date(2026, 7, 1), date(2026, 9, 1)
CHECKS = ("tournament-results", "tournament-rows", "over-the-board-lists", "overdue-reports")


def close_two_periods():
    """An event of two stages for May, in which a new player begins; the same new player again, for July."""
    event()
    close_period(until=MAY, at=datetime(2026, 4, 26, tzinfo=UTC))
    what = report(
        [entrant(1), entrant(12), entrant(13)],
        [{(1, 12): "=", (13, None): "U"}],
        name="Later",
        kind="Swiss",
        first_day=date(2026, 4, 30),
    )
    tournaments.received(what, at=datetime(2026, 5, 2, tzinfo=UTC))
    close_period(until=JULY, at=datetime(2026, 6, 26, tzinfo=UTC))


@pytest.fixture(scope="class")
def two_periods(standing):
    standing(close_two_periods)


def found():
    """What is open: check, key, and the words."""
    audit(only=CHECKS)
    return {(one.check_name, one.key): one.words for one in AuditFinding.objects.filter(is_there=True)}


def sql(statement, *values):
    """What somebody writes without asking the office."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


def test_nothing_is_found_in_what_the_office_did(two_periods):
    later = TournamentResult.objects.get(tournament__name="Later", fide_id=1_000_012)
    # 8.4: without a rating on the first day, rated meanwhile.
    assert (later.rating, later.later_rating) == (None, 1757)
    assert found() == {}


@pytest.mark.parametrize(
    ("column", "value"),
    [("change", 99), ("rating", 1801), ("name", "Somebody"), ("k", None), ("fide_id", 1_000_077)],
)
def test_8_a_result_that_the_report_does_not_give_is_found(two_periods, column, value):
    row = TournamentResult.objects.get(tournament__name="Later", fide_id=1_000_001)
    sql(f"UPDATE fide_tournamentresult SET {column} = %s WHERE id = %s", value, row.pk)
    assert found() == {
        ("tournament-results", f"tournament {row.tournament_id}"): {
            "tournament": "Later (2026-04-30)",
            "number": str(row.tournament_id),
            "many": "1",
            "numbers": "1",
        }
    }


def test_7_14_a_wrong_result_of_a_new_player_does_not_accuse_later_tournaments(two_periods):
    final = TournamentResult.objects.get(tournament__name="Final", fide_id=1_000_012)
    sql("UPDATE fide_tournamentresult SET why_not_first = 6 WHERE id = %s", final.pk)
    assert list(found()) == [("tournament-results", f"tournament {final.tournament_id}")]


def test_8_a_missing_result_is_found_and_mended_by_its_report(two_periods):
    row = TournamentResult.objects.get(tournament__name="Later", fide_id=1_000_001)
    sql("DELETE FROM fide_tournamentresult WHERE id = %s", row.pk)
    assert list(found()) == [("tournament-results", f"tournament {row.tournament_id}")]
    mends = AuditFinding.objects.get().mends
    mended, effect = decide_at_once(Proposal(kind=kind_of(mends["kind"]), parameters=mends["parameters"]))
    assert mended is not None
    assert effect.moves == []
    assert found() == {}


def test_8_a_tournament_that_is_rated_for_a_list_that_is_not_there_is_found(two_periods):
    one = Tournament.objects.get(name="Later")
    sql("UPDATE fide_tournament SET rated_for = '2026-06-01' WHERE id = %s", one.pk)
    assert found()[("tournament-results", f"tournament {one.pk}")]["day"] == "2026-06-01"


def test_8_a_report_that_can_no_longer_be_read_is_found(two_periods):
    one = Tournament.objects.get(name="Later")
    sql("UPDATE fide_tournamentreport SET content = %s WHERE id = %s", b"nothing", one.report_id)
    ((key, words),) = found().items()
    assert key == ("tournament-rows", f"tournament {one.pk}")
    assert "reason" in words


def test_7_1_a_list_whose_lines_were_changed_is_found_in_every_revision(two_periods):
    entry = OtbListEntry.objects.get(otb_list=OtbList.objects.latest_of(MAY), fide_id=1_000_010)
    sql("UPDATE fide_otblistentry SET rating = 2400 WHERE id = %s", entry.pk)
    ((key, words),) = found().items()
    assert key == ("over-the-board-lists", "list 2026-05-01 1")
    assert words["published"] == entry.otb_list.checksum != words["found"]


def test_7_13_a_report_whose_list_was_never_closed_is_found(two_periods, monkeypatch):
    tournaments.received(
        content(first_day=date(2026, 7, 10), name="Forgotten"), at=datetime(2026, 7, 12, tzinfo=UTC)
    )
    today = datetime(2026, 8, 31, tzinfo=UTC)
    monkeypatch.setattr("ratings.otb.audit.timezone.now", lambda: today)
    assert found() == {}
    monkeypatch.setattr("ratings.otb.audit.timezone.now", lambda: today.replace(month=9, day=1))
    one = Tournament.objects.get(name="Forgotten")
    assert list(found()) == [("overdue-reports", f"tournament {one.pk}")]
    assert AuditFinding.objects.get().mends == {
        "kind": "close-period",
        "parameters": {"until": ["2026-09-01"]},
    }
    # What waits for consent is no fault of the office.
    Tournament.objects.filter(pk=one.pk).update(registered_on=date(2026, 7, 1))
    assert found() == {}


def test_7_13_an_official_event_that_was_kept_off_its_list_is_found_before_its_day(monkeypatch):
    everybody_listed(2000, 1900, 1800, 1700)
    tournaments.received(content())
    cup = Tournament.objects.create(
        name="World Cup",
        first_day=CUP["first_day"],
        last_day=CUP["last_day"],
        official=True,
        time_control="7200",
    )
    close_period(until=date(2026, 4, 24), at=datetime(2026, 4, 24, 12, tzinfo=UTC))
    tournaments.received(content(**CUP), at=datetime(2026, 5, 1, tzinfo=UTC))
    monkeypatch.setattr("ratings.otb.audit.timezone.now", lambda: datetime(2026, 5, 1, tzinfo=UTC))
    assert found() == {}
    monkeypatch.setattr("ratings.otb.audit.timezone.now", lambda: APRIL_29)
    assert list(found()) == [("overdue-reports", f"tournament {cup.pk}")]
