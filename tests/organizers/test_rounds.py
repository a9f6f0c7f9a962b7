"""Captains send matches of their league's round; the office imports them as any other file of rounds."""

import pytest
from django.core import mail

from ratings.league.models import Board, Team
from ratings.organizers.models import Submission
from tests.formats.league_text import rounds_csv
from tests.league.office import ROUND_1, bring_round, small_season
from tests.organizers.people import check, organizer, page_of, send_checked, sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def captain():
    """The captain of North."""
    season = small_season()
    client, client.scope = organizer("nils", team=Team.objects.get(season=season, name="North"))
    client.season, client.page = season, page_of(client.scope)
    return client


def faults_of(answer):
    assert answer.status_code == 409
    return answer.context["faults"].rows


def test_a_captain_checks_and_sends_a_match_and_nothing_is_stored(captain):
    assert captain.page in captain.get("/organizers/").text
    checked = check(captain, captain.page, rounds_csv(*ROUND_1), "round.csv")
    assert "2 new boards." in checked.text
    assert "Read as comma-separated, UTF-8." in checked.text
    send_checked(captain, captain.page, checked)
    submission = Submission.objects.get()
    assert (submission.team, submission.state) == (captain.scope.team, "sent")
    assert not Board.objects.exists()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (("1,North,Nowhere,1,Adams,Baker,1-0",), "line 2: “Nowhere” isn’t a team of 2026"),
        (("x,North,South,1,Adams,Baker,1-0",), "line 2: round"),
        ((), "North has no match in this file."),
    ],
)
def test_a_file_with_a_fault_is_not_sent(captain, rows, told):
    (first, *_others) = faults_of(check(captain, captain.page, rounds_csv(*rows), "round.csv"))
    assert first.startswith(told)
    assert not Submission.objects.exists()


def test_a_captain_sends_no_matches_of_others(captain):
    Team.objects.create(season=captain.season, name="East")
    Team.objects.create(season=captain.season, name="West")
    match = rounds_csv("1,East,West,1,New One,New Two,1-0")
    told = "North has no match in this file."
    assert faults_of(check(captain, captain.page, match, "round.csv")) == [told]


def test_a_player_in_no_squad_is_said(captain):
    checked = check(captain, captain.page, rounds_csv("1,North,South,1,Adems,Baker,1-0"), "round.csv")
    told = (
        "Adems isn’t in a squad. Is the name correct? If so, we can add them to North with a "
        "captain’s estimate."
    )
    assert told in checked.text


def test_what_is_stored_already_need_not_be_sent(captain):
    bring_round(captain.season, *ROUND_1)
    told = "We already have all the boards in this file."
    assert faults_of(check(captain, captain.page, rounds_csv(*ROUND_1), "round.csv")) == [told]


def test_the_office_imports_it_and_the_captain_is_told(captain, officer, worker):
    submission = sent(captain.scope, rounds_csv(*ROUND_1))
    page = f"/admin/organizers/submission/{submission.pk}/"
    assert "2 new boards." in officer.get(f"{page}change/").text
    imported = officer.post(f"{page}receive/")["Location"]
    assert officer.post(f"{page}receive/")["Location"] == imported
    assert imported.startswith("/admin/office/fileimport/")
    worker()
    assert "new boards: 2" in officer.get(imported).text
    submission.refresh_from_db()
    assert submission.state == "taken"
    officer.post(imported, {"apply": "", "shown": ""})
    worker()
    submission.refresh_from_db()
    assert (submission.state, Board.objects.count()) == ("received", 2)
    assert mail.outbox[-1].subject == "Received: North"
    worker()
    assert len(mail.outbox) == 2


def test_a_captain_sees_no_tournament_and_no_other_team(captain):
    _other, scope = organizer("sven", team=Team.objects.get(name="South"))
    assert captain.get(page_of(scope)).status_code == 404
    assert captain.get(f"/organizers/{captain.scope.pk}/tournaments/1/").status_code == 404
