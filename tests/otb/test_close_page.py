"""Closing a rating period from the admin (B.02 7.13): what it does is shown first, then done by a job."""

import re
from datetime import date

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from ratings.office.models import ChangeSet, Job
from ratings.otb import findings
from ratings.otb.models import AssociationMember, OtbList, OtbListEntry, Tournament, TournamentResult
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import decide, look, shown_on
from tests.otb.test_tournament_admin import rows
from tests.otb.tournaments import FIRST_DAY, entrant, everybody_listed, received, report, round_robin
from tests.pages import words

pytestmark = pytest.mark.django_db

LISTS, CLOSE = admin_page(OtbList), admin_page(OtbList, "close")
# B.02 7.13: the list of 1 May 2026 is closed seven days before.
MAY, UNTIL = date(2026, 5, 1), {"until": "2026-04-24"}
REFUSED, RATED = Tournament.Status.REFUSED, Tournament.Status.RATED


@pytest.fixture
def tournament():
    """A round robin of four rated players that was received."""
    players = everybody_listed(2000, 1900, 1800, 1700)
    return received(report(players, round_robin("*111", "0*11", "00*1", "000*"))).tournament


def stored():
    """Every row of what a closing writes."""
    models = (Tournament, TournamentResult, OtbList, OtbListEntry, LogEntry, ChangeSet)
    return [list(model.objects.order_by("pk").values_list()) for model in models]


def test_the_lists_lead_to_the_page_for_who_may_close(clerk, tournament):
    officer, auditor = map(clerk, ("Rating officers", "Auditors"))
    assert f'href="{CLOSE}"' in officer.get(LISTS).text
    assert CLOSE not in auditor.get(LISTS).text
    page = officer.get(CLOSE)
    assert keeps_the_policy(page)
    assert f'name="until" value="{timezone.now().date()}"' in page.text


def test_the_preview_says_what_becomes_of_everybody_and_changes_nothing(officer, tournament, worker):
    before = stored()
    response = look(officer, CLOSE, UNTIL)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    text = words(response)
    assert "Over-the-board list 1 May 2026, revision 1 will be published" in text
    assert "Closing a period can’t be reversed. Later corrections appear in a revision of the list." in text
    assert "1 tournament will be rated. Players on the list: 4." in text
    assert "Among those who played: 0 new to the list, 0 delisted." in text
    assert rows(response, "rated") == ["Fjord Open NOR Round robin 14 Mar 2026 14 Mar 2026"]
    # B.02 8.5: 100 points are 0.64, 200 0.76, 300 0.85; K 15.
    assert rows(response, "lines") == [
        "PlayerA, Anna 1000001 2000 2011 +11.25 15 3",
        "PlayerB, Anna 1000002 1900 1904 +3.60 15 3",
        "PlayerC, Anna 1000003 1800 1796 −3.60 15 3",
        "PlayerD, Anna 1000004 1700 1689 −11.25 15 3",
    ]
    # Ratings over the board are whole numbers, also where a decision shows whose moves.
    assert "Before After Change before rounding K" in text
    assert "PlayerD, Anna Over the board 1700 1689 −11" in text
    assert "1689.00" not in text
    assert stored() == before


def test_a_delisted_player_and_a_new_one_are_told_from_the_others(officer, worker):
    """B.02 7.21: under 1200 a player is delisted; 7.14(g): seven games are enough for a first rating."""
    players = everybody_listed(*[1400] * 7, 1201)
    new = entrant(9)
    results = [
        {(number, 9 if number == turn else None): "0" if number == turn else "Z" for number in range(1, 8)}
        | {(8, None): "Z"}
        for turn in range(1, 8)
    ]
    lost = {(1, 8): "1", **{(number, None): "Z" for number in (2, 3, 4, 5, 6, 7, 9)}}
    received(report([*players, new], [*results, lost], kind="Swiss"))
    AssociationMember.objects.create(fide_id=new.fide_id, association="IBCA", since=FIRST_DAY)
    response = look(officer, CLOSE, UNTIL)
    shown = {row.split()[2]: row for row in rows(response, "lines")}
    assert shown["1000008"].startswith("PlayerH, Anna 1000008 1201 delisted")
    assert re.fullmatch(r"PlayerI, Anna 1000009 new \d{4} – – 7", shown["1000009"])
    assert "1 new to the list, 1 delisted." in words(response)


def test_what_is_not_rated_is_named_with_its_reasons(officer, tournament, worker):
    """B.02 1.1 leaves nothing to consent, 0.4 does."""
    players = [entrant(number, 2100 - 100 * number) for number in (1, 2, 3, 4)]
    rounds = round_robin("*111", "0*11", "00*1", "000*")
    fast = received(report(players, rounds, name="Fast", control="1800")).tournament
    late = received(report(players, rounds, name="Late"), registered_on=FIRST_DAY).tournament
    before = stored()
    response = look(officer, CLOSE, UNTIL)
    text = words(response)
    assert "Fast (14 Mar 2026) : it will be refused With 30 minutes for 60 moves" in text
    assert "Late (14 Mar 2026) : it will wait for the next list Registered on 14 Mar 2026, after" in text
    for one in (fast, late):
        assert f'href="{admin_page(one, "judge")}"' in response.text
    assert "1 tournament will be rated." in text
    assert stored() == before


def test_what_was_promised_is_done_by_the_worker_once(officer, tournament, worker):
    looked = look(officer, CLOSE, UNTIL)
    # As the preview says.
    lines = [(1000001, 2011), (1000002, 1904), (1000003, 1796), (1000004, 1689)]
    shown = {"shown": shown_on(looked)}
    response = officer.post(CLOSE, UNTIL | shown)
    job = ChangeSet.objects.get().job
    assert response["Location"] == admin_page(job)
    assert job.title == "Close the rating period ending on 24 Apr 2026"
    assert not OtbList.objects.exists()
    worker()
    published = OtbList.objects.latest_of(MAY)
    assert list(published.entries.order_by("folded").values_list("fide_id", "rating")) == lines
    assert published.published_by.username == "Rating officers"
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (RATED, MAY)
    page = officer.get(admin_page(job))
    assert (
        "Done. Over-the-board list 1 May 2026, revision 1 is published. Tournaments rated: 1."
        " Players: 4, new: 0, delisted: 0." in words(page)
    )
    assert f'href="{published.get_absolute_url()}"' in page.text
    assert LogEntry.objects.get().change_message == job.title

    officer.post(CLOSE, UNTIL | shown)
    before = stored()[:4]
    worker()
    again = Job.objects.first()
    assert again.state == "failed"
    assert again.error.startswith("Nothing to close: the list of 1 May 2026 is published;")
    assert stored()[:4] == before


def test_a_refused_tournament_is_told_of_on_the_page_of_the_job(officer, tournament, worker):
    players = [entrant(number, 2100 - 100 * number) for number in (1, 2, 3, 4)]
    rounds = round_robin("*111", "0*11", "00*1", "000*")
    fast = received(report(players, rounds, name="Fast", control="1800")).tournament
    decide(officer, CLOSE, UNTIL)
    worker()
    page = officer.get(admin_page(ChangeSet.objects.get().job))
    assert "Refused: Fast (14 Mar 2026)." in words(page)
    assert f'href="{admin_page(fast, "judge")}"' in page.text
    fast.refresh_from_db()
    assert fast.status == REFUSED


def test_the_lists_show_their_counts_and_lead_to_their_pages_and_lines(officer, tournament, worker):
    decide(officer, CLOSE, UNTIL)
    worker()
    published = OtbList.objects.latest_of(MAY)
    page = officer.get(LISTS)
    assert f'href="{published.get_absolute_url()}"' in page.text
    lines = f"{admin_page(OtbListEntry)}?otb_list__id__exact={published.pk}"
    assert f'href="{lines}"' in page.text
    found = officer.get(f"{lines}&q=1000002").context["cl"].queryset
    assert [(line.fide_id, line.rating) for line in found] == [(1000002, 1904)]
    assert published.checksum in words(officer.get(admin_page(published)))
    results = officer.get(f"{admin_page(TournamentResult)}?q=1000002").context["cl"].queryset
    assert [str(result.change) for result in results] == ["3.60"]


@pytest.mark.parametrize(
    ("until", "told"),
    [
        ("2026-04-24", "Nothing to close: no report of a tournament that ended by 24 Apr 2026"),
        ("2098-01-01", "Nothing to close: the period of the list of 1 Jan 2098 runs until"),
        ("2999-01-01", "No period can be closed on this day."),
        ("9999-12-31", "No period can be closed on this day."),
        ("0001-01-01", "No period can be closed on this day."),
        ("tomorrow", "Enter a valid date."),
        ("9" * 400, "Enter a valid date."),
        ("", "This field is required."),
    ],
)
def test_where_there_is_nothing_to_close_the_page_says_why(officer, worker, until, told):
    response = look(officer, CLOSE, {"until": until})
    assert response.status_code == 200
    assert told in words(response)
    assert 'method="post" action="/admin/otb/otblist/close/"' not in response.text
    assert not OtbList.objects.exists()


@pytest.mark.parametrize("until", ["2999-01-01", "tomorrow", ""])
def test_a_day_that_cannot_be_begins_no_job(officer, worker, until):
    assert officer.post(CLOSE, {"until": until}).status_code == 200
    assert not Job.objects.exists()


def test_of_many_players_the_first_are_shown_and_the_others_counted(officer, tournament, monkeypatch, worker):
    monkeypatch.setattr(findings, "SHOWN", 1)
    response = look(officer, CLOSE, UNTIL)
    assert rows(response, "lines") == ["PlayerA, Anna 1000001 2000 2011 +11.25 15 3"]
    assert "3 more are not shown." in words(response)
