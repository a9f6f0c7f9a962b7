"""An organizer checks a report, sends it, and sees what becomes of it; nobody else sees anything of it."""

from datetime import date, timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from ratings.organizers.models import Scope, Submission
from ratings.organizers.services import submissions
from ratings.organizers.services.inviting import end_scope
from ratings.otb.models import Tournament, TournamentReport
from ratings.otb.services import rating, receiving
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

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    """An organizer with one tournament."""
    client, client.scope = organizer(tournament=tournament())
    client.page = page_of(client.scope)
    return client


def faults_of(answer):
    """What the page says is wrong with a file."""
    assert answer.status_code == 409
    return answer.context["faults"].rows


def test_a_checked_report_shows_findings_and_remarks_and_stores_nothing(olga):
    players = everybody_listed(2100, 2000, 1900, 1800)
    players[0] = players[0]._replace(rating=2150)
    checked = check(olga, olga.page, report(players, MET, days=[FIRST_DAY] * 3, more=[("XXR", "9")]))
    assert checked.status_code == 200
    assert "3 rounds have results, but the report says that there are 9 rounds." in checked.text
    assert "rated 2150 in the report, but 2100 on the list in force" in checked.text
    assert "1 finding prevents it from being rated." in checked.text
    assert (Submission.objects.count(), TournamentReport.objects.count()) == (0, 0)


def test_a_sent_report_has_a_receipt_with_its_sha256_and_waits_for_the_office(olga, worker):
    content = good_report()
    answer = send_checked(olga, olga.page, check(olga, olga.page, content))
    submission = Submission.objects.get()
    assert answer["Location"] == f"/organizers/reports/{submission.pk}/"
    assert (submission.state, bytes(submission.content), submission.source) == ("sent", content, "open.trf")
    page = olga.get(answer["Location"]).text
    assert submission.sha256 in page
    receipt = olga.get(f"{answer['Location']}receipt.txt")
    assert receipt["Content-Type"] == "text/plain; charset=utf-8"
    assert f"SHA-256: {submission.sha256}" in receipt.text.splitlines()
    worker()
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["olga@example.org"], "Receipt: Fjord Open (14 Mar 2026)")
    assert submission.sha256 in message.body
    assert Tournament.objects.get().status == Tournament.Status.REGISTERED
    assert "<td>sent</td>" in olga.get("/organizers/").text


def test_a_report_is_rated_for_its_check_and_not_again_when_it_is_sent(olga, monkeypatch):
    rated = []

    def rate(*of):
        rated.append(of)
        return rating.rate(*of)

    monkeypatch.setattr(receiving, "rate", rate)
    checked = check(olga, olga.page, good_report())
    assert len(rated) == 1
    send_checked(olga, olga.page, checked)
    assert (len(rated), Submission.objects.count()) == (1, 1)


def test_a_report_with_a_fault_says_the_line_and_cannot_be_sent(olga):
    answer = check(olga, olga.page, good_report().replace(b"001 ", b"101 ", 1))
    (first, *_others) = faults_of(answer)
    assert first.startswith("line ")
    assert "send" not in answer.context
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "line 1: the file is empty; it must be a tournament report (TRF)"),
        (b"%PDF-1.7\n", "line 1: this is a PDF document, not a tournament report (TRF)"),
        (b"name;rating\nAnna;2000\n", "line 1: no players (record 001)"),
    ],
)
def test_a_file_that_is_no_report_says_so(olga, content, told):
    assert any(fault.startswith(told) for fault in faults_of(check(olga, olga.page, content)))


def test_a_file_that_is_too_large_is_refused(olga, monkeypatch):
    monkeypatch.setattr("ratings.organizers.forms.MOST_OF_REPORT", 1 << 20)
    answer = check(olga, olga.page, b"x" * ((1 << 20) + 1))
    assert answer.status_code == 400
    assert "The file is larger than 1 MB. Choose a smaller one." in answer.text


def test_the_report_of_another_tournament_is_remarked_upon_before_it_is_sent(olga):
    other = good_report(name="Other Cup", first_day=FIRST_DAY + timedelta(days=1))
    checked = check(olga, olga.page, other)
    assert "until now the tournament was called Fjord Open, 2026-03-14 – 2026-03-14" in checked.text


def test_a_name_and_day_that_another_tournament_has_are_refused(olga):
    tournament("Other Cup")
    (told,) = faults_of(check(olga, olga.page, good_report(name="Other Cup")))
    assert told.startswith("Other Cup (14 Mar 2026) already exists as number")


def test_the_report_that_the_office_has_need_not_be_sent_again(olga):
    content = good_report()
    received(content, tournament=olga.scope.tournament)
    told = "We already have this report: the file is identical."
    assert faults_of(check(olga, olga.page, content)) == [told]


def test_the_same_file_sent_twice_waits_once(olga):
    checked = check(olga, olga.page, good_report())
    first = sent(olga.scope, good_report())
    assert send_checked(olga, olga.page, checked)["Location"] == first.get_absolute_url()
    assert Submission.objects.count() == 1


def test_the_button_pressed_twice_leads_to_one_receipt(olga):
    checked = check(olga, olga.page, good_report())
    first, second = (send_checked(olga, olga.page, checked)["Location"] for _press in range(2))
    assert first == second == Submission.objects.get().get_absolute_url()


def test_another_file_takes_the_place_of_the_one_that_waits(olga):
    first = sent(olga.scope, good_report())
    second = sent(olga.scope, good_report(kind="Swiss"))
    first.refresh_from_db()
    assert (first.state, second.state) == ("withdrawn", "sent")


def test_a_file_that_the_office_has_taken_up_stays_beside_the_next_one(olga):
    first = sent(olga.scope, good_report())
    Submission.objects.update(state="taken")
    sent(olga.scope, good_report(kind="Swiss"))
    first.refresh_from_db()
    assert first.state == "taken"


def test_a_file_is_withdrawn_until_the_office_takes_it_up(olga):
    first = sent(olga.scope, good_report())
    assert olga.post(first.get_absolute_url(), {"withdraw": ""}).status_code == 302
    again = sent(olga.scope, good_report())
    Submission.objects.filter(pk=again.pk).update(state="taken")
    answer = olga.post(again.get_absolute_url(), {"withdraw": ""})
    assert answer.status_code == 409
    told = "This report is with the office, so it can no longer be withdrawn."
    assert told in answer.text
    assert list(Submission.objects.values_list("state", flat=True)) == ["taken", "withdrawn"]


def test_a_checked_file_that_has_expired_has_to_be_chosen_again(olga):
    checked = check(olga, olga.page, good_report())
    kept = {**checked.context["kept"].initial, "upload": "0" * 32, "send": ""}
    assert faults_of(olga.post(olga.page, kept)) == ["The file has expired. Choose it again."]


def test_a_checked_file_that_was_exchanged_is_refused(olga):
    checked = check(olga, olga.page, good_report())
    kept = {**checked.context["kept"].initial, "sha256": "0" * 64, "send": ""}
    assert faults_of(olga.post(olga.page, kept)) == ["The file has expired. Choose it again."]


def test_what_has_changed_since_the_check_is_said_when_the_file_is_sent(olga):
    content = good_report()
    checked = check(olga, olga.page, content)
    received(content, tournament=olga.scope.tournament)
    told = "We already have this report: the file is identical."
    assert faults_of(send_checked(olga, olga.page, checked)) == [told]


def test_a_scope_that_ends_between_check_and_sending_sends_nothing(olga, django_user_model):
    checked = check(olga, olga.page, good_report())
    officer = django_user_model.objects.create_superuser("officer")
    end_scope(olga.scope, by=officer, at=timezone.now())
    assert send_checked(olga, olga.page, checked).status_code == 404
    with pytest.raises(ValidationError, match="You can no longer send reports"):
        sent(olga.scope, good_report())
    assert not Submission.objects.exists()


def test_an_ended_scope_shows_nothing_any_more(olga, django_user_model):
    submission = sent(olga.scope, good_report())
    officer = django_user_model.objects.create_superuser("officer")
    end_scope(olga.scope, by=officer, at=timezone.now())
    pages = ("/organizers/", olga.page, submission.get_absolute_url())
    assert [olga.get(page).status_code for page in pages] == [404, 404, 404]


def test_more_files_than_a_day_takes_are_refused(olga, monkeypatch):
    monkeypatch.setattr(submissions, "PER_DAY", 1)
    sent(olga.scope, good_report())
    checked = check(olga, olga.page, good_report(kind="Swiss"))
    told = "Too many files were sent today. Please send this one tomorrow."
    assert faults_of(send_checked(olga, olga.page, checked)) == [told]


def test_more_checks_than_an_hour_takes_are_refused(olga, monkeypatch):
    monkeypatch.setattr("ratings.organizers.services.checking._CHECKED", 1)
    check(olga, olga.page, b"")
    answer = check(olga, olga.page, b"")
    assert answer.status_code == 429
    assert "Too many files were checked within an hour. Try again later." in answer.text


class TestWhoSees:
    """One organizer never sees another's pages, files and receipts."""

    @pytest.fixture
    def pages(self, olga):
        submission = sent(olga.scope, good_report())
        receipt = submission.get_absolute_url()
        return [olga.page, f"{olga.page}appeal/", receipt, f"{receipt}receipt.txt", f"{receipt}file/"]

    def statuses(self, client, pages):
        return [client.get(page).status_code for page in pages]

    def test_who_has_the_scope_sees_them(self, olga, pages):
        assert self.statuses(olga, pages) == [200] * 5

    @pytest.mark.parametrize("of", ["another tournament", "another federation", "nothing", "staff"])
    def test_nobody_else_does(self, pages, of, django_user_model, client):
        if of == "another tournament":
            client, _scope = organizer("boris", tournament=tournament("Other Cup"))
        elif of == "another federation":
            client, _scope = administrator("carl", "SWE")
        else:
            client.force_login(django_user_model.objects.create_user("x", is_staff=of == "staff"))
        assert self.statuses(client, pages) == [404] * 5
        assert [client.post(page, {"withdraw": "", "confirm": ""}).status_code for page in pages[:3]] == [
            404
        ] * 3
        assert Submission.objects.get().state == "sent"

    def test_visitors_are_asked_to_log_in(self, pages, client):
        answers = [client.get(page) for page in ("/organizers/", *pages)]
        assert {one.status_code for one in answers} == {302}
        assert all(one["Location"].startswith("/login/?next=/organizers/") for one in answers)

    def test_another_organizer_of_the_same_tournament_has_their_own_files(self, olga, pages):
        other, scope = organizer("oskar", tournament=olga.scope.tournament)
        assert "Sent so far" not in other.get(page_of(scope)).text
        assert other.get(pages[2]).status_code == 404

    def test_a_scope_of_one_tournament_opens_no_page_of_another(self, olga):
        other = tournament("Other Cup")
        assert olga.get(page_of(olga.scope, other)).status_code == 404
        assert olga.get(f"/organizers/{olga.scope.pk}/").status_code == 404

    def test_no_public_page_names_the_login_or_its_address(self, olga, pages, client):
        submission = Submission.objects.get()
        received(bytes(submission.content), tournament=submission.tournament)
        for page in (submission.tournament.get_absolute_url(), "/fide/tournaments/", "/register/"):
            text = client.get(page).text
            assert "olga" not in text

    def test_staff_have_no_pages_of_their_own_even_with_a_scope(self, olga, pages):
        olga.scope.user.is_staff = True
        olga.scope.user.save()
        assert self.statuses(olga, ["/organizers/", *pages]) == [404] * 6

    def test_only_who_may_report_has_the_link_in_the_header(self, olga, client, django_user_model):
        client.force_login(django_user_model.objects.create_user("anna"))
        assert "My tournaments" in olga.get("/").text
        assert "My tournaments" not in client.get("/").text


class TestFederations:
    """B.02 9.3: a federation sends reports of its tournaments, and its administrator confirms others'."""

    def test_a_federation_reports_a_new_tournament(self):
        client, scope = organizer("nora", federation="NOR")
        checked = check(client, page_of(scope), good_report())
        assert "new; it will be registered when its report is sent" in checked.text
        assert "<dt>Rating type</dt>\n    <dd>standard</dd>" in checked.text
        send_checked(client, page_of(scope), checked)
        submission = Submission.objects.get()
        assert (submission.tournament, submission.federation) == (None, "NOR")

    def test_a_new_tournament_is_called_as_in_its_report_until_the_office_has_it(self, worker):
        client, scope = organizer("nora", federation="NOR")
        receipt = send_checked(client, page_of(scope), check(client, page_of(scope), good_report()))
        assert "Fjord Open (14 Mar 2026)" in client.get(receipt["Location"]).text
        assert ">Fjord Open</a>" in client.get("/organizers/").text
        worker()
        assert mail.outbox[-1].subject == "Receipt: Fjord Open (14 Mar 2026)"

    def test_the_mended_report_of_a_new_tournament_takes_the_place_of_the_one_that_waits(self):
        client, scope = organizer("nora", federation="NOR")
        for content in (good_report(), good_report(name="Other Open"), good_report(kind="Swiss")):
            send_checked(client, page_of(scope), check(client, page_of(scope), content))
        assert list(Submission.objects.order_by("pk").values_list("name", "state")) == [
            ("Fjord Open", "withdrawn"),
            ("Other Open", "sent"),
            ("Fjord Open", "sent"),
        ]

    def test_a_federation_reports_each_of_its_registered_tournaments(self):
        of_federation, client_scope = tournament(), organizer("nora", federation="NOR")
        client, scope = client_scope
        page = page_of(scope, of_federation)
        assert page in client.get("/organizers/").text
        send_checked(client, page, check(client, page, good_report()))
        assert Submission.objects.get().tournament == of_federation

    def test_a_federation_reports_no_tournament_of_another_one(self):
        foreign = tournament(federation="SWE")
        client, scope = organizer("nora", federation="NOR")
        assert client.get(page_of(scope, foreign)).status_code == 404
        told = "Fjord Open doesn’t belong to NOR. Its federation is SWE (record 032)."
        assert faults_of(check(client, page_of(scope), good_report())) == [told]

    def test_a_federation_cannot_give_its_tournament_to_another_one(self):
        client, scope = organizer("nora", federation="NOR")
        page = page_of(scope, tournament())
        told = "Fjord Open doesn’t belong to NOR. Its federation is SWE (record 032)."
        content = good_report().replace(b"032 NOR", b"032 SWE")
        assert faults_of(check(client, page, content)) == [told]

    def test_the_administrator_confirms_what_an_organizer_sent(self, olga):
        submission = sent(olga.scope, good_report())
        assert not submission.lacks_confirmation(timezone.now())
        ada, _scope = administrator()
        assert submission.lacks_confirmation(timezone.now())
        assert submission.get_absolute_url() in ada.get("/organizers/").text
        assert "No findings." in ada.get(submission.get_absolute_url()).text
        assert ada.get(f"{submission.get_absolute_url()}file/").content == bytes(submission.content)
        assert ada.post(submission.get_absolute_url(), {"confirm": ""}).status_code == 302
        submission.refresh_from_db()
        assert submission.confirmed_by.username == "ada"
        assert ada.post(submission.get_absolute_url(), {"confirm": ""}).status_code == 409

    def test_what_the_administrator_sends_is_confirmed(self):
        _ada, scope = administrator()
        assert sent(scope, good_report()).confirmed_by == scope.user

    def test_a_login_of_the_federation_that_is_not_its_administrators_confirms_nothing(self, olga):
        submission = sent(olga.scope, good_report())
        nora, _scope = organizer("nora", federation="NOR")
        assert nora.post(submission.get_absolute_url(), {"confirm": ""}).status_code == 404

    def test_the_organizer_does_not_confirm_their_own_report(self, olga):
        administrator()
        submission = sent(olga.scope, good_report())
        assert olga.post(submission.get_absolute_url(), {"confirm": ""}).status_code == 404

    def test_who_is_no_longer_designated_confirms_nothing(self, olga):
        ada, scope = administrator()
        submission = sent(olga.scope, good_report())
        type(scope.administrator).objects.create(federation="NOR", name="Next", since=date(2026, 3, 1))
        assert ada.get(submission.get_absolute_url()).status_code == 404


class TestConstraints:
    """What the database refuses, whoever writes to it."""

    @pytest.mark.parametrize("more", [{}, {"federation": "NOR", "with_tournament": True}])
    def test_a_scope_is_exactly_one(self, more, django_user_model):
        asked = {"federation": more["federation"], "tournament": tournament()} if more else {}
        now, user = timezone.now(), django_user_model.objects.create_user("x")
        with pytest.raises(IntegrityError, match="scope_is_exactly_one"), transaction.atomic():
            Scope.objects.create(user=user, language="en", given_at=now, invited_at=now, **asked)

    def test_an_invitation_has_an_address_and_a_login_has_none_here(self):
        now = timezone.now()
        with pytest.raises(IntegrityError, match="scope_has_login_or_address"), transaction.atomic():
            Scope.objects.create(federation="NOR", language="en", given_at=now, invited_at=now)

    def test_a_file_waits_once(self, olga):
        submission = sent(olga.scope, good_report())
        submission.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            submission.save(force_insert=True)

    def test_a_returned_file_says_why(self, olga):
        sent(olga.scope, good_report())
        with pytest.raises(IntegrityError, match="submission_returned_says_why"), transaction.atomic():
            Submission.objects.update(state="returned", closed_at=timezone.now())
