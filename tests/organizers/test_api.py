"""A program with a token is told what the pages tell an organizer, and may do what they let its login do."""

import time

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import get_access_token_model, get_application_model

from members.models import Member
from ratings.arena.services.registering import register_server
from ratings.league.models import Board, Team
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.inviting import end_scope
from ratings.organizers.services.programs import give_program
from ratings.rbb.personal import erase_member
from tests.arena.conftest import ApiClient, basic, program
from tests.formats.league_text import rounds_csv
from tests.league.office import ROUND_1, small_season
from tests.organizers.people import (
    MET,
    administrator,
    check,
    good_report,
    organizer,
    page_of,
    send_checked,
    sent,
    tournament,
)
from tests.otb.tournaments import FIRST_DAY, everybody_listed, received, report

pytestmark = [pytest.mark.django_db, pytest.mark.needs("arena")]

FILE = "application/octet-stream"
OF_A_FILE = ("source", "sha256", "tournament", "name", "first_day", "federation", "state", "sent_by")


@pytest.fixture
def olga():
    """An organizer with one tournament, whose program has a token."""
    client, scope = organizer(tournament=tournament())
    client.scope, client.page, client.api = scope, page_of(scope), program(scope.user)
    client.address = f"tournaments/{scope.tournament_id}/reports"
    return client


def send(api, address, content, status=201):
    """The answer to a file."""
    answer = api.generic("POST", f"/api/v1/{address}", content, content_type=FILE)
    assert answer.status_code == status, answer.text
    if status >= 400:
        assert answer["Content-Type"] == "application/problem+json"
    return answer.json()


def reasons(problem):
    return [error["detail"] for error in problem["errors"]]


def test_a_report_by_token_is_the_same_as_by_the_page_and_has_the_same_receipt(olga, worker):
    send_checked(olga, olga.page, check(olga, olga.page, good_report()))
    by_page = Submission.objects.values(*OF_A_FILE).get()
    worker()
    (of_page,) = mail.outbox
    Submission.objects.all().delete()
    answer = send(olga.api, f"{olga.address}?name=open.trf", good_report())
    assert Submission.objects.values(*OF_A_FILE).get() == by_page
    worker()
    (_first, of_token) = mail.outbox
    assert (of_token.to, of_token.subject) == (of_page.to, of_page.subject)
    stored = Submission.objects.get()
    assert bytes(stored.content) == good_report()
    assert answer == {
        "id": stored.pk,
        "tournament": olga.scope.tournament_id,
        "team": None,
        "title": "Fjord Open (14 Mar 2026)",
        "name": "open.trf",
        "sha256": by_page["sha256"],
        "state": "sent",
        "reason": "",
        "sent_at": stored.sent_at.isoformat().replace("+00:00", "Z"),
        "confirmed_at": None,
        "closed_at": None,
        "rated_for": None,
        "url": stored.get_absolute_url(),
    }
    assert f"SHA-256: {answer['sha256']}" in olga.get(f"{answer['url']}receipt.txt").text


def test_a_dry_run_finds_what_the_page_finds_and_sends_nothing(olga):
    players = everybody_listed(2100, 2000, 1900, 1800)
    players[0] = players[0]._replace(rating=2150)
    content = report(players, MET, days=[FIRST_DAY] * 3, more=[("XXR", "9")])
    on_page = check(olga, olga.page, content).context["found"]
    found = send(olga.api, f"{olga.address}?dry_run=true", content, status=200)
    assert found["matches"] is None
    told = found["report"]
    assert [one["detail"] for one in told["findings"]] == [one.sentence for one in on_page.findings.rows]
    assert [one["refuses"] for one in told["findings"]] == [one.refuses for one in on_page.findings.rows]
    assert [(one["line"], one["detail"]) for one in told["remarks"]] == [
        (one.line, one.text) for one in on_page.remarks
    ]
    assert (told["name"], told["players"], told["refusing"]) == ("Fjord Open", 4, 1)
    assert told["tournament"] == olga.scope.tournament_id
    assert not Submission.objects.exists()


@pytest.mark.parametrize("asked", ["", "?dry_run=true"])
def test_a_file_with_faults_is_refused_with_those_that_the_page_names(olga, asked):
    content = good_report().replace(b"001 ", b"101 ", 1)
    on_page = check(olga, olga.page, content).context["faults"].rows
    problem = send(olga.api, olga.address + asked, content, status=422)
    assert problem["kind"] == "refused"
    assert reasons(problem) == on_page
    for error in problem["errors"]:
        assert error["field"] == "file"
        assert error["detail"].startswith(f"line {error['line']}: ")
    assert not Submission.objects.exists()


def test_an_empty_body_is_an_empty_file(olga):
    (told,) = reasons(send(olga.api, olga.address, b"", status=422))
    assert told == "line 1: the file is empty; it must be a tournament report (TRF)"


def test_the_report_that_the_office_has_need_not_be_sent_again(olga):
    received(good_report(), tournament=olga.scope.tournament)
    (told,) = reasons(send(olga.api, olga.address, good_report(), status=422))
    assert told == "We already have this report: the file is identical."


def test_a_contradiction_of_days_names_its_line_too(olga):
    content = good_report().replace(b"052 2026/03/14", b"052 2025/03/14")
    (error,) = send(olga.api, olga.address, content, status=422)["errors"]
    assert error["line"] > 0
    assert f"line {error['line']}: " in error["detail"]


@pytest.mark.parametrize("said", ["nor", "NOR", "Norway"])
def test_a_federation_is_named_as_in_every_filter(said):
    _client, scope = organizer(federation="NOR")
    found = send(program(scope.user), f"reports?dry_run=true&federation={said}", good_report(), 200)
    assert found["report"]["federation"] == "NOR"


@pytest.mark.parametrize(
    ("asked", "field", "detail"),
    [
        (
            "federation=XX",
            "federation",
            "No federation is called “XX”. Use its name or FIDE’s code, such as NOR.",
        ),
        ("federation=NOR&dry_run=1", "dry_run", "Send dry_run=true, or leave it out."),
        (
            "file=open.trf",
            "file",
            "This address has no such parameter. It takes dry_run, federation, name, team.",
        ),
    ],
)
def test_a_wrong_parameter_is_named_with_what_it_takes(olga, asked, field, detail):
    (error,) = send(olga.api, f"reports?{asked}", good_report(), 400)["errors"]
    assert error == {"field": field, "detail": detail}


def test_the_same_file_sent_by_page_and_by_token_waits_once(olga):
    first = sent(olga.scope, good_report())
    assert send(olga.api, olga.address, good_report())["id"] == first.pk
    assert Submission.objects.count() == 1


def test_a_program_learns_what_it_may_report_and_what_became_of_its_reports(olga):
    key = send(olga.api, olga.address, good_report())["id"]
    told = olga.api.ask("GET", "reports")
    assert told["may_report"] == [
        {
            "tournament": olga.scope.tournament_id,
            "federation": None,
            "team": None,
            "title": "Fjord Open (14 Mar 2026)",
        }
    ]
    assert [one["id"] for one in told["reports"]] == [key]
    received(good_report(), tournament=olga.scope.tournament)
    assert olga.api.ask("GET", f"reports/{key}")["state"] == "received"


def test_a_report_is_withdrawn_until_the_office_takes_it_up(olga):
    key = send(olga.api, olga.address, good_report())["id"]
    Submission.objects.update(state="taken")
    problem = olga.api.ask("POST", f"reports/{key}/withdraw", status=422)
    assert problem["detail"] == ("This report is with the office, so it can no longer be withdrawn.")
    Submission.objects.update(state="sent")
    assert olga.api.ask("POST", f"reports/{key}/withdraw")["state"] == "withdrawn"


def test_of_another_organizer_there_is_nothing(olga):
    _client, scope = organizer("otto", tournament=tournament("Other Cup"))
    otto = program(scope.user)
    key = sent(olga.scope, good_report()).pk
    for address in (olga.address, "reports?federation=NOR"):
        assert send(otto, address, good_report(), 404)["kind"] == "not-found"
    assert otto.ask("GET", f"reports/{key}", status=404)["kind"] == "not-found"
    assert otto.ask("POST", f"reports/{key}/withdraw", status=404)["kind"] == "not-found"
    assert otto.ask("GET", "reports")["reports"] == []
    assert Submission.objects.get().state == "sent"


def test_a_captain_sends_matches_of_the_own_team():
    season = small_season()
    _client, scope = organizer("nils", team=Team.objects.get(season=season, name="North"))
    api, address = program(scope.user), f"reports?team={scope.team_id}"
    found = send(api, f"{address}&dry_run=true", rounds_csv(*ROUND_1), 200)
    assert found == {
        "report": None,
        "matches": {
            "read_as": "comma-separated, UTF-8",
            "new_boards": 2,
            "new_players": {},
            "remarks": [],
        },
    }
    answer = send(api, address, rounds_csv(*ROUND_1))
    assert (answer["team"], answer["tournament"], answer["name"]) == (scope.team_id, None, "round.csv")
    assert Submission.objects.get().scope == scope
    assert not Board.objects.exists()
    other = Team.objects.get(season=season, name="South")
    send(api, f"reports?team={other.pk}", rounds_csv(*ROUND_1), 404)


def test_of_a_tournament_that_does_not_exist_there_is_nothing(olga):
    assert send(olga.api, "tournaments/99999/reports", good_report(), 404)["kind"] == "not-found"


def test_a_federation_sends_new_tournaments_and_those_that_are_registered():
    _client, scope = organizer(federation="NOR")
    api = program(scope.user)
    new = send(api, "reports?federation=NOR", good_report())
    assert (new["tournament"], Submission.objects.get().scope_id) == (None, scope.pk)
    known = tournament("Other Cup")
    of_known = send(api, f"tournaments/{known.pk}/reports", good_report(name="Other Cup"))
    assert of_known["tournament"] == known.pk


def test_what_a_rating_administrator_sends_is_confirmed_at_once():
    organizer("ada", federation="NOR")
    _client, scope = administrator("ada")
    answer = send(program(scope.user), "reports?federation=NOR", good_report())
    assert answer["confirmed_at"] == answer["sent_at"]


@pytest.mark.parametrize("asked", ["", "?federation=NOR&team=1"])
def test_a_new_report_is_of_a_federation_or_of_a_team(olga, asked):
    problem = send(olga.api, f"reports{asked}", good_report(), 400)
    assert reasons(problem) == ["Send either a federation or a team."]


def test_a_file_that_is_too_large_is_refused(olga, monkeypatch):
    monkeypatch.setattr("ratings.organizers.api.MOST_OF_REPORT", 1000)
    problem = send(olga.api, olga.address, b"x" * 1001, 413)
    assert (problem["kind"], problem["most"]) == ("too-large", 1000)


def test_files_checked_by_page_and_by_token_count_together(olga, monkeypatch):
    monkeypatch.setattr("ratings.organizers.services.checking._CHECKED", 2)
    check(olga, olga.page, good_report())
    send(olga.api, f"{olga.address}?dry_run=true", good_report(), 200)
    assert send(olga.api, olga.address, good_report(), 429)["kind"] == "too-many"
    assert check(olga, olga.page, good_report()).status_code == 429


def test_a_day_takes_no_more_files_by_token_than_by_the_page(olga, monkeypatch):
    monkeypatch.setattr("ratings.organizers.services.submissions.PER_DAY", 1)
    sent(olga.scope, good_report())
    problem = send(olga.api, olga.address, good_report(kind="Swiss"), 422)
    assert problem["detail"] == "Too many files were sent today. Please send this one tomorrow."


def test_a_body_of_another_kind_is_not_taken(olga):
    assert olga.api.ask("POST", olga.address, {}, status=415)["kind"] == "unsupported-media-type"


def test_without_a_token_there_is_nothing(olga):
    answer = Client().post(f"/api/v1/{olga.address}", good_report(), content_type=FILE)
    assert (answer.status_code, answer.json()["kind"]) == (401, "unauthorized")


def test_a_server_reports_no_tournament_and_a_program_sends_no_game(olga):
    server = ApiClient(register_server("arena")[0])
    problem = send(server, olga.address, good_report(), 403)
    assert (problem["kind"], problem["scope"]) == ("scope-missing", "reports")
    assert olga.api.ask("GET", "games", status=403)["scope"] == "games"


def test_a_server_cannot_be_given_the_scope_of_organizers(olga):
    server = ApiClient(register_server("arena", scopes=["reports"])[0])
    assert send(server, olga.address, good_report(), 403)["kind"] == "not-active"


@pytest.mark.parametrize("end", ["scope", "login", "staff"])
def test_who_may_report_nothing_any_more_has_a_program_that_may_not_either(olga, officer, end):
    user = olga.scope.user
    if end == "scope":
        end_scope(olga.scope, by=officer.user, at=olga.scope.given_at)
    else:
        type(user).objects.filter(pk=user.pk).update(is_active=end != "login", is_staff=end == "staff")
    assert send(olga.api, olga.address, good_report(), 403)["kind"] == "not-active"


def token_of(credentials, status=200, **asked):
    answer = Client().post(
        "/oauth/token/",
        {"grant_type": "client_credentials", **asked},
        headers={"authorization": basic(credentials)},
    )
    assert answer.status_code == status
    return answer.json()


def with_token(credentials):
    token = token_of(credentials)["access_token"]
    return ApiClient.__base__(headers={"authorization": f"Bearer {token}"})


def test_the_secret_from_the_page_gets_tokens_for_reports_and_for_nothing_else(olga):
    credentials = give_program(olga.scope.user)
    assert token_of(credentials)["scope"] == "reports"
    assert token_of(credentials, 400, scope="games")["error"] == "invalid_scope"
    answer = with_token(credentials).get("/api/v1/reports")
    assert answer.json()["may_report"][0]["tournament"] == olga.scope.tournament_id


@pytest.fixture
def at_home(olga):
    """Olga, who has just entered her password."""
    return entered(olga, time.time())


def entered(client, when):
    session = client.session
    session["confirmed_at"] = when
    session.save()
    return client


def test_the_page_asks_for_the_password_before_it_gives_a_secret(olga):
    answer = entered(olga, 0).post("/organizers/program/", {"give": ""})
    assert answer["Location"].startswith("/account/confirm/")
    assert not get_application_model().objects.filter(name="organizer").exists()


def test_the_page_shows_a_secret_once_and_the_login_is_told_by_mail(at_home, worker):
    assert 'href="/organizers/program/"' in at_home.get("/organizers/").text
    page = at_home.post("/organizers/program/", {"give": ""})
    credentials = page.context["credentials"]
    assert credentials.secret in page.text
    assert with_token(credentials).get("/api/v1/reports").status_code == 200
    again = at_home.get("/organizers/program/").text
    assert credentials.client_id in again
    assert credentials.secret not in again
    worker()
    assert [one.to for one in mail.outbox] == [["olga@example.org"]]
    assert "A client ID and a secret were issued" in mail.outbox[0].body


def test_a_new_secret_ends_the_old_one_with_its_tokens(at_home):
    first = at_home.post("/organizers/program/", {"give": ""}).context["credentials"]
    old = with_token(first)
    second = at_home.post("/organizers/program/", {"give": ""}).context["credentials"]
    assert first.client_id == second.client_id
    assert old.get("/api/v1/reports").status_code == 401
    token_of(first, 401)
    assert with_token(second).get("/api/v1/reports").status_code == 200


def test_access_that_is_ended_on_the_page_ends_at_once(at_home):
    credentials = at_home.post("/organizers/program/", {"give": ""}).context["credentials"]
    old = with_token(credentials)
    at_home.post("/organizers/program/", {"end": ""})
    assert old.get("/api/v1/reports").status_code == 401
    token_of(credentials, 401)
    assert not get_access_token_model().objects.exists()


def test_a_member_who_leaves_takes_the_program_along(olga):
    user = olga.scope.user
    Member.objects.create(username="olga", user=user)
    credentials = give_program(user)
    api = with_token(credentials)
    erase_member(member=Member.objects.get(), at=timezone.now())
    assert api.get("/api/v1/reports").status_code == 401
    assert not get_application_model().objects.filter(name="organizer").exists()


def test_who_has_nothing_to_report_gets_no_secret(at_home):
    Scope.objects.all().delete()
    assert at_home.post("/organizers/program/", {"give": ""}).status_code == 404
