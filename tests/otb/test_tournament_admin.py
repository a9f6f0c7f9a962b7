"""Tournaments behind the counter: registered, reported after a preview, judged; who may do which of it."""

import os
import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.utils import timezone

from foa.text import date_text
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.jobs import settle
from ratings.office.models import ChangeSet, Job
from ratings.otb.models import AcceptedFinding, OtbList, Tournament, TournamentReport, TournamentResult
from ratings.otb.services.period_closing import close_period
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import confirmed_on, decide, look, shown_on
from tests.files import brought_files
from tests.otb.tournaments import (
    AT,
    FIRST_DAY,
    IN_TIME,
    entrant,
    everybody_listed,
    received,
    report,
    round_robin,
)
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

TOURNAMENTS, ADD = admin_page(Tournament), admin_page(Tournament, "add")
RECEIVE = admin_page(Tournament, "receive")
REGISTERED, RECEIVED, REFUSED, RATED = Tournament.Status
FORM = {
    "name": "Fjord Open",
    "city": "Bergen",
    "federation": "nor",
    "first_day": "2026-03-14",
    "last_day": "2026-03-15",
    "registered_on": "2026-01-10",
    "kind": "1",
    "time_control": "40/5400+30:1800+30",
    "planned_games": "",
    "chapter": "1",
}


@pytest.fixture
def content():
    """A round robin of four rated players, first against last."""
    players = everybody_listed(2000, 1900, 1800, 1700)
    return report(players, round_robin("*111", "0*11", "00*1", "000*"))


def posted(content, **changes):
    return {"file": SimpleUploadedFile("open.trf", content), "registered_on": "2026-01-10", **changes}


def looked_at(client, address, form):
    """The preview of the report that this form takes."""
    answer = client.post(address, form)
    assert answer.status_code == 302, words(answer)
    return look(client, answer["Location"])


def rows(response, section):
    """The rows of the table of a section, in words."""
    table = re.search(rf'id="{section}".*?</section>', response.text, re.S).group()
    return [
        " ".join(re.sub(r"<[^>]*>", " ", row).split())
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    ]


def stored():
    """Every row of what receiving and judging write."""
    models = (
        Tournament,
        TournamentReport,
        TournamentResult,
        AcceptedFinding,
        OtbList,
        LogEntry,
        Job,
        ChangeSet,
    )
    return [list(model.objects.order_by("pk").values_list()) for model in models]


def rate(tournament):
    """Close the period of a tournament that was received."""
    close_period(until=AT.date() + timedelta(days=60), at=AT + timedelta(days=60))
    tournament.refresh_from_db()
    assert tournament.status == RATED


def test_a_tournament_is_registered_today_unless_another_day_is_written(officer):
    page = officer.get(ADD)
    assert keeps_the_policy(page)
    assert f'name="registered_on" value="{timezone.now().date()}"' in page.text
    assert officer.post(ADD, FORM).status_code == 302
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.federation, tournament.registered_on, tournament.status) == (
        "Fjord Open",
        "NOR",
        IN_TIME,
        REGISTERED,
    )
    assert "No reports yet." in words(officer.get(admin_page(tournament)))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"time_control": "90 minutes or so"}, "This isn’t a time control we can check."),
        ({"federation": "XYZ"}, "No FIDE federation has this code."),
        ({"last_day": "2026-03-13"}, "The last day is before the first."),
        ({"first_day": "0001-01-01"}, "Enter a date between 1971-01-01 and"),
        ({"last_day": "9999-12-31"}, "Enter a date between 1971-01-01 and"),
        ({"registered_on": "9999-12-31"}, "Enter a date between 1971-01-01 and"),
        ({"kind": "7"}, "7 is not one of the available choices"),
        ({"name": ""}, "This field is required."),
        ({"planned_games": "9" * 30}, "less than or equal to"),
    ],
)
@pytest.mark.rendered
def test_what_no_tournament_can_be_is_not_registered(officer, changes, told):
    response = officer.post(ADD, FORM | changes)
    assert response.status_code == 200
    assert told in words(response)
    assert not Tournament.objects.exists()


def test_a_tournament_is_corrected_until_it_is_rated_and_deleted_until_it_is_reported(officer, content):
    tournament = received(content).tournament
    page = admin_page(tournament)
    assert officer.post(page, FORM | {"name": "Fjord Cup"}).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.name, tournament.status) == ("Fjord Cup", RECEIVED)
    assert officer.post(admin_page(tournament, "delete"), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": tournament.pk, "post": "yes"}
    assert "Cannot delete tournament" in words(officer.post(TOURNAMENTS, chosen))
    assert Tournament.objects.filter(pk=tournament.pk).exists()
    rate(tournament)
    before = stored()
    assert officer.post(page, FORM).status_code == 403
    assert stored() == before
    response = officer.get(page)
    assert 'name="_save"' not in response.text
    assert "Replace the report …" in words(response)
    other = Tournament.objects.create(name="Another", first_day=FIRST_DAY, last_day=FIRST_DAY)
    assert officer.post(admin_page(other, "delete"), {"post": "yes"}).status_code == 302
    assert list(Tournament.objects.all()) == [tournament]


def test_the_form_of_a_tournament_writes_nothing_that_the_services_have_written_since(officer, content):
    """A report comes in while somebody corrects the name: status and report stay."""
    tournament = received(content).tournament
    response = officer.post(
        admin_page(tournament), FORM | {"status": "1", "report": "", "rated_for": "2026-05-01"}
    )
    assert response.status_code == 302
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (RECEIVED, None)
    assert tournament.report is not None


def test_tournaments_are_found_by_name_status_kind_federation_and_day(officer):
    for name, federation, kind in (("Fjord Open", "NOR", 1), ("Vistula Cup", "POL", 2)):
        Tournament.objects.create(
            name=name, federation=federation, kind=kind, first_day=FIRST_DAY, last_day=FIRST_DAY
        )
    for query in ("q=vistula", "federation=pol", "kind__exact=2"):
        found = officer.get(f"{TOURNAMENTS}?{query}").context["cl"].queryset
        assert [one.name for one in found] == ["Vistula Cup"], query
    assert officer.get(f"{TOURNAMENTS}?status__exact=4").context["cl"].result_count == 0
    assert officer.get(f"{TOURNAMENTS}?last_day__year=2026").context["cl"].result_count == 2


def test_the_preview_shows_what_the_report_gives_everybody_and_stores_nothing(officer, content, worker):
    before = stored()
    response = looked_at(officer, RECEIVE, posted(content))
    assert response.status_code == 200
    assert keeps_the_policy(response)
    text = words(response)
    assert "This is a new tournament. It will be registered with its report." in text
    assert "Place Bergen, NOR Days 14 Mar 2026 Registered on 10 Jan 2026" in text
    assert (
        "Kind Round robin (by the pairings) Rating type standard Time control 7200 Players 4 Rounds 3" in text
    )
    # B.02 8.5: 100 points are 0.64, 200 0.76, 300 0.85; K 15.
    assert rows(response, "effects") == [
        "1 PlayerA, Anna 1000001 2000 3 3 1800 2.25 +11.25 15 2011.25",
        "2 PlayerB, Anna 1000002 1900 3 2 1833 1.76 +3.60 15 1903.60",
        "3 PlayerC, Anna 1000003 1800 3 1 1867 1.24 −3.60 15 1796.40",
        "4 PlayerD, Anna 1000004 1700 3 0 1900 0.75 −11.25 15 1688.75",
    ]
    assert rows(response, "findings") == [
        "B.02 3.1 note The dates of the rounds aren’t known, so rounds and hours per day "
        "couldn’t be checked"
        " (B.02 3.1). –"
    ]
    assert stored() == before
    (file,) = brought_files()
    assert file.read_bytes() == content
    assert (file.stat().st_mode & 0o777) == 0o600


def test_remarks_stand_with_their_lines_and_findings_with_article_and_severity(officer, worker):
    players = everybody_listed(2000, 1900, 1800, 1700)
    players[1] = players[1]._replace(rating=1950)
    content = report(players, round_robin("*111", "0*11", "00*1", "000*"), control="1800")
    response = looked_at(officer, RECEIVE, posted(content))
    line = content.splitlines().index(next(row for row in content.splitlines() if b"PlayerB" in row)) + 1
    assert rows(response, "remarks") == [
        f"{line} rated 1950 in the report, but 1900 on the list in force, which is used (B.02 4.13)"
    ]
    first = rows(response, "findings")[0]
    assert first.startswith("B.02 1.1 refusal With 30 minutes for 60 moves, the players have too little time")
    assert first.endswith("cannot be accepted")
    assert "1 finding prevents it from being rated." in words(response)
    assert "If it were rated (currently blocked):" in words(response)


def test_two_confirmations_store_once_exactly_what_was_looked_at(
    officer, content, worker, django_capture_on_commit_callbacks
):
    looked = looked_at(officer, RECEIVE, posted(content))
    with django_capture_on_commit_callbacks(execute=True):
        response = confirmed_on(officer, looked)
    change_set, tournament = ChangeSet.objects.get(), Tournament.objects.get()
    assert response["Location"] == admin_page(change_set)
    assert (tournament.status, tournament.registered_on) == (RECEIVED, IN_TIME)
    assert bytes(tournament.report.content) == content
    assert tournament.report.received_by.username == "Rating officers"
    assert brought_files() == []
    told = words(officer.get(admin_page(change_set)))
    assert "Report open.trf received." in told
    told = LogEntry.objects.get()
    assert (told.object_repr, told.change_message) == (
        "Fjord Open (14 Mar 2026)",
        "Import a tournament report: open.trf",
    )
    before = stored()
    response = confirmed_on(officer, looked)
    assert "The file has expired. Choose it again." in words(response)
    assert stored() == before
    response = officer.post(RECEIVE, posted(content), follow=True)
    assert "We already have this report." in words(response)
    assert 'name="shown"' not in response.text
    assert (stored(), brought_files()) == (before, [])


def test_what_was_shown_to_somebody_else_or_of_another_decision_stores_nothing(
    officer, clerk, content, worker, django_user_model
):
    before = stored()
    looked = looked_at(officer, RECEIVE, posted(content))
    address, asked = looked.request["PATH_INFO"], QueryDict(looked.request["QUERY_STRING"]).dict()
    shown = shown_on(looked)
    for wrong in (shown[:-1] + ("A" if shown[-1] != "A" else "B"), "", "x", "a:b:c", "9" * 5000):
        response = officer.post(address, {**asked, "shown": wrong})
        assert response.status_code == 200, wrong
        assert "Nothing was done." in words(response)
    other = clerk("Auditors")
    other.force_login(django_user_model.objects.create_superuser("another"))
    assert "Nothing was done." in words(other.post(address, {**asked, "shown": shown}))
    assert "Nothing was done." in words(officer.post(address, {**asked, "kind": "2", "shown": shown}))
    assert stored() == before
    assert len(brought_files()) == 1


def test_bytes_that_are_no_longer_those_that_were_looked_at_are_not_stored(officer, content, worker):
    looked = looked_at(officer, RECEIVE, posted(content))
    before = stored()
    (file,) = brought_files()
    file.write_bytes(content.replace(b"2000", b"2100"))
    assert "The file has expired. Choose it again." in words(confirmed_on(officer, looked))
    assert stored() == before


def test_the_worker_deletes_the_file_of_a_preview_that_nobody_confirms(officer, content, worker):
    officer.post(RECEIVE, posted(content))
    (file,) = brought_files()
    os.utime(file, (0, 0))
    settle()
    assert brought_files() == []


def test_every_problem_of_a_report_is_named_with_its_line_and_nothing_is_stored(officer, content, worker):
    lines = content.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith(b"001"))
    lines[first] = lines[first].replace(b"2 w 1", b"1 w 1")
    lines[first + 1] = lines[first + 1].replace(b"1900", b"19x0")
    before = stored()
    response = officer.post(RECEIVE, posted(b"".join(lines)))
    assert response.status_code == 200
    assert keeps_the_policy(response)
    problems = re.findall(r"<li>(line \d+: [^<]*)</li>", response.text)
    assert len(problems) >= 2
    assert {f"line {first + 1}", f"line {first + 2}"} <= {one.partition(":")[0] for one in problems}
    assert f"{len(problems)} problems" in words(response)
    assert stored() == before
    (file,) = brought_files()
    assert f'name="upload" value="{file.name}"' in response.text


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"file": ""}, "This field is required."),
        ({"file": SimpleUploadedFile("x.trf", b"")}, "The submitted file is empty."),
        ({"file": SimpleUploadedFile("x.trf", b"no report at all")}, "line 1: "),
        ({"file": SimpleUploadedFile("x.zip", b"PK\x03\x04broken")}, "not a tournament report"),
        ({"file": SimpleUploadedFile("x.trf", b"x" * ((1 << 23) + 1))}, "The file is too large."),
        ({"kind": "7"}, "7 is not one of the available choices"),
        ({"kind": "x"}, "x is not one of the available choices"),
        ({"registered_on": "soon"}, "Enter a valid date."),
        ({"registered_on": "0001-01-01"}, ""),
    ],
)
@pytest.mark.rendered
def test_what_is_no_report_is_refused_on_the_page(officer, content, worker, changes, told):
    before = stored()
    response = officer.post(RECEIVE, posted(content) | changes, follow=True)
    assert response.status_code == 200
    assert told in words(response)
    assert stored() == before


def test_a_report_takes_the_place_of_another_and_both_can_be_had_as_files(officer, content, worker):
    tournament = received(content, source="first.trf").tournament
    page = admin_page(tournament)
    receive = admin_page(tournament, "receive")
    assert f'href="{receive}"' in officer.get(page).text
    later = content.replace(b"022 Bergen", b"022 Voss")
    response = looked_at(officer, receive, posted(later))
    assert "The tournament already has a report, which will be replaced." in words(response)
    confirmed_on(officer, response)
    worker()
    tournament.refresh_from_db()
    assert (tournament.city, tournament.status, tournament.reports.count()) == ("Voss", RECEIVED, 2)
    assert bytes(tournament.report.content) == later
    found = re.findall(
        rf'href="({admin_page(Tournament)}{tournament.pk}/report/\d+/)"', officer.get(page).text
    )
    files = [officer.get(address) for address in found]
    assert [file.content for file in files] == [later, content]
    assert files[0]["Content-Type"] == "text/plain"
    number = tournament.report.pk
    name = f'attachment; filename="tournament-{tournament.pk}-report-{number}.trf"'
    assert files[0]["Content-Disposition"] == name


def test_a_report_of_another_tournament_is_not_there(officer, content):
    tournament = received(content).tournament
    other = Tournament.objects.create(name="Other", first_day=FIRST_DAY, last_day=FIRST_DAY)
    address = f"{TOURNAMENTS}{other.pk}/report/{tournament.report.pk}/"
    for page in (address, address.replace(str(other.pk), "9" * 30), f"{TOURNAMENTS}{'9' * 30}/judge/"):
        response = officer.get(page)
        assert response.status_code == 404
        assert is_friendly(response)
    assert officer.get(f"{TOURNAMENTS}{'9' * 30}/receive/").status_code == 404


def test_the_report_of_a_rated_tournament_is_replaced_by_the_worker_after_a_preview_of_the_revisions(
    officer, content, worker, django_capture_on_commit_callbacks
):
    tournament = received(content).tournament
    rate(tournament)
    day = tournament.rated_for
    players = [entrant(number, 2100 - 100 * number) for number in (1, 2, 3, 4)]
    later = report(players, round_robin("*=11", "=*11", "00*1", "000*"))
    receive = admin_page(tournament, "receive")
    before = stored()
    looked = looked_at(officer, receive, posted(later))
    assert stored()[:6] == before[:6]
    text = words(looked)
    assert "The tournament has already been rated; its report will be replaced." in text
    # 1 against 2 is a draw now: 2000 and 1900 change by 7.5, to 2004 and 1911.
    assert f"Over-the-board list {date_text(day)}, revision 2: 2 ratings change." in text
    response = confirmed_on(officer, looked)
    job = ChangeSet.objects.get().job
    assert response["Location"] == admin_page(job)
    assert job.title == "Replace a tournament report: Fjord Open (14 Mar 2026), open.trf"
    assert OtbList.objects.latest_of(day).revision == 1
    with django_capture_on_commit_callbacks(execute=True):
        worker()
    tournament.refresh_from_db()
    assert (tournament.status, bytes(tournament.report.content)) == (RATED, later)
    revised = OtbList.objects.latest_of(day)
    assert revised.revision == 2
    assert dict(revised.entries.values_list("fide_id", "rating")) == {
        1000001: 2004,
        1000002: 1911,
        1000003: 1796,
        1000004: 1689,
    }
    told = words(officer.get(admin_page(job)))
    assert "Done. New report for Fjord Open (14 Mar 2026) received." in told
    assert f"Over-the-board list {date_text(day)}, revision 2 is published: 2 ratings changed." in told
    assert LogEntry.objects.get().change_message == f"{job.title}: seen by two"
    assert brought_files() == []


def test_a_rated_tournament_whose_new_report_may_not_be_rated_is_in_no_list_any_more(
    officer, content, worker
):
    tournament = received(content).tournament
    rate(tournament)
    day = tournament.rated_for
    receive = admin_page(tournament, "receive")
    response = looked_at(officer, receive, posted(content.replace(b"7200", b"1800")))
    assert "1 finding prevents it from being rated." in words(response)
    assert f"Over-the-board list {date_text(day)}, revision 2: 4 ratings change." in words(response)
    confirmed_on(officer, response)
    worker()
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (REFUSED, None)
    told = words(officer.get(admin_page(ChangeSet.objects.get().job)))
    assert "With this report, the tournament can’t be rated, so it no longer counts for any list." in told
    assert f"Over-the-board list {date_text(day)}, revision 2 is published: 4 ratings changed." in told


def test_a_tournament_that_was_rated_after_the_preview_is_looked_at_again(officer, content, worker):
    tournament = received(content).tournament
    receive = admin_page(tournament, "receive")
    looked = looked_at(officer, receive, posted(content.replace(b"022 Bergen", b"022 Voss")))
    rate(tournament)
    before = stored()[:5]
    confirmed_on(officer, looked)
    worker()
    told = ChangeSet.objects.get().job.error
    assert told.startswith("The data has changed since the preview. Nothing was done.")
    assert "The tournament has already been rated" in told
    assert stored()[:5] == before


def test_a_finding_that_may_be_accepted_is_with_a_reason_and_the_history_says_so(officer, content):
    tournament = received(content, registered_on=FIRST_DAY).tournament
    judge = admin_page(tournament, "judge")
    assert f'href="{judge}"' in officer.get(admin_page(tournament)).text
    page = officer.get(judge)
    assert keeps_the_policy(page)
    assert "1 finding prevents it from being rated." in words(page)
    (finds,) = re.findall(r'name="finds" value="(\d+)"', page.text)
    accept = f"{judge}accept/"
    assert f'action="{accept}"' in page.text
    unsaid = "Say why it is accepted."
    for reason, told in (("", unsaid), ("  ", unsaid), ("x" * 501, "longer than 500 characters")):
        response = officer.get(accept, {"finds": finds, "reason": reason})
        assert response.status_code == 200
        assert f'name="reason" value="{reason}"' in response.text
        assert f'action="{accept}"' in response.text
        assert told in words(response)
    looked = officer.get(accept, {"finds": finds, "reason": " The storm "})
    assert not AcceptedFinding.objects.exists()
    response = confirmed_on(officer, looked)
    told = "Accepted (B.02 0.4, registered less than a month ahead): The storm"
    assert told in words(officer.get(response["Location"]))
    accepted = AcceptedFinding.objects.get()
    assert (accepted.reason, accepted.accepted_by.username) == ("The storm", "Rating officers")
    assert LogEntry.objects.get().change_message == "Accept findings: Fjord Open (14 Mar 2026), B.02 0.4"
    page = officer.get(judge)
    assert "Nothing prevents the tournament from being rated." in words(page)
    assert "B.02 0.4, registered less than a month ahead: The storm (Rating officers" in words(
        officer.get(admin_page(tournament))
    )
    assert "This finding has already been accepted." in words(confirmed_on(officer, looked))
    assert AcceptedFinding.objects.count() == 1
    # What was accepted can be withdrawn on the same page.
    withdraw = f"{judge}withdraw/"
    assert f'href="{withdraw}?finds={finds}"' in page.text
    assert decide(officer, withdraw, {"finds": finds}).status_code == 302
    assert not AcceptedFinding.objects.exists()


def test_several_findings_are_accepted_at_once_each_for_its_reason_and_taken_back_at_once(officer, content):
    tournament = received(content, registered_on=FIRST_DAY).tournament
    Tournament.objects.filter(pk=tournament.pk).update(other_laws="Freestyle")
    judge = admin_page(tournament, "judge")
    page = officer.get(judge)
    finds = re.findall(r'name="finds" value="(\d+)"', page.text)
    assert finds == ["2", "28"]
    accept = f"{judge}accept/"
    # Without a reason a finding stays.
    shown = officer.get(accept, {"finds": finds, "reason": ["", "A club evening"]})
    assert "1 change" in words(shown)
    looked = officer.get(accept, {"finds": finds, "reason": ["The storm", "A club evening"]})
    confirmed_on(officer, looked)
    kept = AcceptedFinding.objects.order_by("finds").values_list("finds", "reason")
    assert list(kept) == [(2, "The storm"), (28, "A club evening")]
    done = ChangeSet.objects.get()
    assert done.undo["parameters"]["finds"] == finds
    decide_at_once(Proposal(kind=kind_of(done.undo["kind"]), parameters=done.undo["parameters"], undoes=done))
    assert not AcceptedFinding.objects.exists()


@pytest.mark.parametrize("finds", ["", "x", "999", "-1", "9" * 5000])
@pytest.mark.rendered
def test_a_finding_that_cannot_be_is_not_accepted(officer, content, finds):
    judge = admin_page(received(content).tournament, "judge")
    asked = {"finds": finds, "reason": "x"}
    for response in (officer.get(f"{judge}accept/", asked), officer.post(f"{judge}accept/", asked)):
        assert response.status_code == 400
        assert 'name="shown"' not in response.text
        assert '<a href="/admin/otb/tournament/">Back</a>' in response.text
        assert officer.get(f"{judge}withdraw/", {"finds": finds}).status_code == 400
    assert officer.get(f"{judge}accept/", {"finds": "\0"}).status_code == 400


def test_what_no_article_leaves_to_consent_is_not_accepted(officer, content):
    judge = admin_page(received(content.replace(b"7200", b"1800")).tournament, "judge")
    response = officer.get(f"{judge}accept/", {"finds": "4", "reason": "x"})
    assert "B.02 1.1 allows no exceptions, so it can’t be accepted." in words(response)
    assert not AcceptedFinding.objects.exists()


def test_a_refusal_says_until_when_the_organizer_may_appeal_and_is_taken_back(officer, content):
    tournament = received(content, registered_on=FIRST_DAY).tournament
    judge = admin_page(tournament, "judge")
    refuse, take_back = f"{judge}refuse/", f"{judge}take-back/"
    page = officer.get(judge)
    # What was found is offered as the reason.
    reason = page.context["form"]["reason"].value()
    assert reason.startswith("Registered on 14 Mar 2026, after the tournament had started;")
    assert f'action="{refuse}"' in page.text
    assert "This field is required." in words(officer.post(refuse, {"reason": ""}))
    looked = officer.post(refuse, {"reason": "Registered too late."})
    assert keeps_the_policy(looked)
    says = "The tournament will not be rated: none of its games will count, and it won’t be on any list."
    assert says in words(looked)
    until = date_text(timezone.now().date() + timedelta(days=7))
    assert f"The organizer can appeal until {until} (B.02 0.5)." in words(looked)
    tournament.refresh_from_db()
    assert tournament.status == RECEIVED
    told = officer.get(confirmed_on(officer, looked)["Location"])
    assert "The organizer has 7 days to appeal (B.02 0.5)." in words(told)
    tournament.refresh_from_db()
    today = timezone.now().date()
    refusal = tournament.refusal
    assert (tournament.status, refusal.text, refusal.refused_on) == (REFUSED, "Registered too late.", today)
    page = officer.get(judge)
    until = today + timedelta(days=7)
    assert (
        f"Refused on {date_text(today)}. The organizer can appeal until {date_text(until)} (B.02 0.5)."
        in words(page)
    )
    assert f'action="{take_back}"' in page.text
    response = officer.post(refuse, {"reason": "Again"})
    assert "can’t be refused." in words(response)
    assert decide(officer, take_back, {"reason": "It was in time."}).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.status, tournament.refusal) == (RECEIVED, None)
    assert "We withdrew the refusal on" in words(officer.get(judge))
    messages = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert list(messages) == [
        "Refuse a tournament: Fjord Open (14 Mar 2026)",
        "Reverse the refusal of a tournament: Fjord Open (14 Mar 2026)",
    ]
    assert "The tournament hasn’t been refused." in words(officer.get(take_back, {"reason": "Again"}))


def test_0_5_an_officer_notes_and_decides_an_appeal_on_the_page_of_the_findings(officer, content):
    tournament = received(content, registered_on=FIRST_DAY).tournament
    judge = admin_page(tournament, "judge")
    confirmed_on(officer, officer.post(f"{judge}refuse/", {"reason": "Registered too late."}))
    page = officer.get(judge)
    assert f'action="{judge}appeal/"' in page.text
    assert f'action="{judge}decide-appeal/"' not in page.text
    asked = {"appealed_on": timezone.now().date(), "appeal": "The post was slow."}
    confirmed_on(officer, officer.post(f"{judge}appeal/", asked))
    page = officer.get(judge)
    assert "We haven’t decided the appeal yet." in words(page)
    assert f'action="{judge}appeal/"' not in page.text
    assert f'action="{judge}take-back/"' not in page.text
    looked = officer.post(f"{judge}decide-appeal/", {"upheld": "yes", "reason": "The stamp shows it."})
    assert keeps_the_policy(looked)
    confirmed_on(officer, looked)
    tournament.refresh_from_db()
    assert tournament.status == RECEIVED
    said = words(officer.get(admin_page(tournament)))
    for text in ("Registered too late.", "The post was slow.", "The stamp shows it."):
        assert text in said


def test_reading_the_page_of_the_findings_does_nothing_whatever_its_address_says(officer, content):
    judge = admin_page(received(content).tournament, "judge")
    before = stored()
    for page in ("", "accept/", "refuse/"):
        assert officer.get(judge + page, {"reason": "x", "finds": "2"}).status_code == 200
    assert officer.get(f"{judge}withdraw/", {"finds": "2"}).status_code == 200
    assert officer.get(f"{judge}take-back/").status_code == 200
    assert officer.post(judge, {"action": "refuse", "reason": "x"}).status_code == 200
    assert stored() == before


@pytest.mark.rendered
def test_who_may_not_receive_or_judge_is_refused_and_a_visitor_led_to_the_login(
    clerk, client, content, worker
):
    tournament = received(content).tournament
    addresses = {
        RECEIVE: posted(content),
        admin_page(tournament, "receive"): posted(content),
        admin_page(tournament, "judge"): {},
        f"{admin_page(tournament, 'judge')}refuse/": {"reason": "x"},
        admin_page(tournament, "replace"): {"report": tournament.report.pk},
    }
    auditor, registrar = map(clerk, ("Auditors", "Registrars"))
    before = stored()
    for address, form in addresses.items():
        for other in (auditor, registrar):
            assert other.get(address).status_code == 403, address
            assert other.post(address, form).status_code == 403, address
            assert other.post(address, {**form, "shown": "x"}).status_code == 403, address
        response = client.get(address)
        assert response["Location"].startswith("/admin/login/?next="), address
        assert client.post(address, form).status_code == 302
    assert stored() == before
    file = f"{TOURNAMENTS}{tournament.pk}/report/{tournament.report.pk}/"
    assert [one.get(file).status_code for one in (auditor, registrar, client)] == [200, 403, 302]
    page = auditor.get(admin_page(tournament))
    for address in addresses:
        assert f'href="{address}"' not in page.text
        assert f'href="{address}"' not in auditor.get(TOURNAMENTS).text


def test_a_report_that_was_refused_is_kept_and_read_again_with_another_option(officer, content):
    refused = officer.post(RECEIVE, posted(content.replace(b" NOR ", b" KIL ", 1)))
    assert "correct it, or leave out unknown federations" in words(refused)
    assert "Choose a file only to replace it." in words(refused)
    kept = dict(
        re.findall(r'<input type="hidden" name="(upload|sha256|source)" value="([^"]*)"', refused.text)
    )
    assert officer.post(RECEIVE, kept | {"sha256": "0"}).status_code == 200
    looked = officer.post(RECEIVE, kept | {"skip_unknown_federations": "on"}, follow=True)
    assert confirmed_on(officer, looked).status_code == 302
    assert Tournament.objects.get().report.skip_unknown_federations


def test_a_report_is_asked_for_where_none_is_kept(officer):
    assert "This field is required." in words(officer.post(RECEIVE, {}))
