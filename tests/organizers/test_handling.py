"""The office looks at what was sent, receives or returns it; the sender reads that and gets mails."""

from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.utils import timezone

from ratings.office.due import due_for
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.submissions import tell_of_lists
from ratings.otb.models import Tournament
from ratings.otb.services.judging import refuse
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.time_controls import Chapter
from tests.decisions import shown_on
from tests.organizers.people import (
    administrator,
    good_report,
    organizer,
    page_of,
    send_checked,
    sent,
    tournament,
)
from tests.organizers.people import check as check_file
from tests.otb.tournaments import AT, received

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    """An organizer with one tournament, whose report waits."""
    client, client.scope = organizer(tournament=tournament())
    client.sent = sent(client.scope, good_report())
    client.page = page_of(client.scope)
    return client


def admin(sent, page="change"):
    return f"/admin/organizers/submission/{sent.pk}/{page}/"


def take_and_confirm(officer, sent):
    """Press “Import”, look at the decision, and confirm it."""
    decision = officer.post(admin(sent, "receive"))["Location"]
    page = officer.get(decision)
    asked = dict(page.context["parameters"])
    return officer.post(decision.partition("?")[0], {**asked, "shown": shown_on(page)}, follow=True)


def subjects():
    return [message.subject for message in mail.outbox]


def test_a_sent_report_is_due_for_who_may_handle_it(olga, officer, django_user_model):
    (due,) = (one for one in due_for(officer.user, timezone.now()) if one.link == admin(olga.sent))
    assert due.text == "Report received: Fjord Open (14 Mar 2026), open.trf"
    for role in ("League", "Registrars"):
        clerk = django_user_model.objects.create_user(role, is_staff=True)
        clerk.groups.set(Group.objects.filter(name=role))
        assert admin(olga.sent) not in [one.link for one in due_for(clerk, timezone.now())]


def test_the_office_sees_the_file_as_it_reads_it(olga, officer):
    page = officer.get(admin(olga.sent)).text
    assert "No findings." in page
    assert olga.sent.sha256 in page
    assert officer.get(admin(olga.sent, "file")).content == bytes(olga.sent.content)


def test_an_unconfirmed_report_is_shown_as_such(olga, officer):
    assert "not confirmed" not in officer.get(admin(olga.sent)).text
    administrator()
    assert "not confirmed" in officer.get(admin(olga.sent)).text


def test_received_by_the_existing_decision_and_the_sender_is_told(olga, officer, worker):
    content = bytes(olga.sent.content)
    assert "Import a tournament report: Fjord Open" in take_and_confirm(officer, olga.sent).text
    olga.sent.refresh_from_db()
    of = Tournament.objects.get()
    assert (olga.sent.state, olga.sent.handled_by) == ("received", officer.user)
    assert (of.status, bytes(of.report.content)) == (Tournament.Status.RECEIVED, content)
    assert "<td>received</td>" in olga.get("/organizers/").text
    worker()
    assert subjects() == ["Receipt: Fjord Open (14 Mar 2026)", "Received: Fjord Open (14 Mar 2026)"]
    assert olga.sent.pk not in [one.link for one in due_for(officer.user, timezone.now())]


def test_a_preview_of_the_office_leaves_the_file_where_it_is(olga, officer):
    officer.get(officer.post(admin(olga.sent, "receive"))["Location"])
    olga.sent.refresh_from_db()
    assert (olga.sent.state, Tournament.objects.get().report) == ("taken", None)


def test_a_new_tournament_of_a_federation_is_registered_with_its_report(officer):
    client, scope = organizer("nora", federation="NOR")
    submission = sent(scope, good_report())
    take_and_confirm(officer, submission)
    submission.refresh_from_db()
    new = Tournament.objects.get()
    assert (submission.state, submission.tournament) == ("received", new)
    assert new.registered_on == submission.sent_at.date()
    assert submission.get_absolute_url() in client.get(page_of(scope, submission.tournament)).text


def test_the_next_report_replaces_the_one_before(olga, officer, worker):
    take_and_confirm(officer, olga.sent)
    again = sent(olga.scope, good_report(kind="Individual: Round-Robin"))
    assert "received; new report: sent" in olga.get("/organizers/").text
    decision = officer.post(admin(again, "receive"))["Location"]
    assert decision.startswith(f"/admin/otb/tournament/{olga.scope.tournament_id}/replace/?")
    page = officer.get(decision)
    worker()
    page = officer.get(page["Location"])
    posted = {"rehearsal": page.context["rehearsal"].pk, "shown": shown_on(page)}
    posted |= {"public_reason": "error", "staff_note": "x"}
    officer.post(decision.partition("?")[0], posted)
    worker()
    again.refresh_from_db()
    assert again.state == "received"


def test_a_report_that_the_office_got_another_way_is_received_too(olga):
    received(bytes(olga.sent.content), tournament=olga.scope.tournament)
    olga.sent.refresh_from_db()
    assert olga.sent.state == "received"


def test_returned_with_a_reason_that_the_sender_reads(olga, officer, worker):
    answer = officer.post(admin(olga.sent, "return"), {"reason": "Round 2 is missing."}, follow=True)
    assert "Returned. We’ll email the reason to the sender." in answer.text
    assert "returned: Round 2 is missing." in olga.get(olga.page).text
    assert "<td>returned</td>" in olga.get("/organizers/").text
    worker()
    message = mail.outbox[-1]
    assert message.subject == "Please correct the report: Fjord Open (14 Mar 2026)"
    assert "Round 2 is missing." in message.body
    assert olga.page in message.body


def test_why_a_report_is_returned_stays_in_the_form_if_a_colleague_was_faster(olga, officer):
    returned = {"reason": "Round 2 is missing."}
    officer.post(admin(olga.sent, "return"), returned)
    again = officer.post(admin(olga.sent, "return"), returned)
    assert again.context["form"].errors == {"reason": ["This report is returned, so it can’t be changed."]}
    assert "Round 2 is missing.</textarea>" in again.text


def test_a_report_is_not_returned_without_a_reason(olga, officer):
    answer = officer.post(admin(olga.sent, "return"), {"reason": " "})
    assert "This field is required." in answer.text
    olga.sent.refresh_from_db()
    assert olga.sent.state == "sent"


@pytest.mark.parametrize("page", ["receive", "return"])
def test_what_was_withdrawn_meanwhile_is_neither_received_nor_returned(olga, officer, page):
    olga.post(olga.sent.get_absolute_url(), {"withdraw": ""})
    answer = officer.post(admin(olga.sent, page), {"reason": "x"}, follow=True)
    assert "This report is withdrawn, so it can’t be changed." in answer.text


def test_a_mended_report_is_sent_again(olga, officer):
    officer.post(admin(olga.sent, "return"), {"reason": "Round 2 is missing."})
    mended = check_file(olga, olga.page, good_report(kind="Individual: Round-Robin"))
    send_checked(olga, olga.page, mended)
    assert list(Submission.objects.values_list("state", flat=True)) == ["sent", "returned"]
    assert "<td>sent</td>" in olga.get("/organizers/").text


def test_the_sender_is_told_once_that_the_tournament_is_rated(olga, worker):
    received(bytes(olga.sent.content), tournament=olga.scope.tournament)
    close_period(until=date(2026, 5, 1), at=AT.replace(month=5))
    tell_of_lists()
    tell_of_lists()
    worker()
    assert subjects().count("Rated: Fjord Open (14 Mar 2026)") == 1
    assert "has been rated for the 1 May 2026 list." in mail.outbox[-1].body
    assert "/fide/otb/2026-05-01/" in mail.outbox[-1].body
    assert "rated for the 1 May 2026 list" in olga.get("/organizers/").text


def test_the_sender_is_led_to_the_list_of_the_chapter(worker, settings):
    settings.OTB_REGULATIONS_2024_SINCE = None
    _client, scope = organizer("nora", federation="NOR")
    sent(scope, good_report(control="900+10"))
    received(good_report(control="900+10"))
    received(good_report(name="Slow Open"))
    for chapter in Chapter.RAPID, Chapter.STANDARD:
        close_period(until=date(2026, 4, 1), chapter=chapter, at=AT)
    tell_of_lists()
    worker()
    assert "/fide/otb/rapid/2026-04-01/1/" in mail.outbox[-1].body


def test_whose_scope_has_ended_gets_no_more_mails(olga, worker):
    worker()
    Scope.objects.update(ended_at=timezone.now())
    received(bytes(olga.sent.content), tournament=olga.scope.tournament)
    worker()
    assert subjects() == ["Receipt: Fjord Open (14 Mar 2026)"]


def test_mails_are_in_the_language_of_the_login(olga, worker):
    olga.post("/language/set/", {"language": "pl"})
    worker()
    assert mail.outbox[-1].to == ["olga@example.org"]


class TestAppeals:
    """B.02 0.5: an organizer appeals within seven days; the office notes it when it gets round to it."""

    @pytest.fixture
    def refused(self, olga, officer):
        """The tournament is refused today."""
        of = olga.scope.tournament
        received(bytes(olga.sent.content), tournament=of)
        return refuse(of, "No arbiter.", timezone.now().date(), officer.user)

    def test_the_reasons_and_the_last_day_come_by_mail(self, olga, refused, worker):
        worker()
        message = mail.outbox[-1]
        assert message.subject == "Refused: Fjord Open (14 Mar 2026)"
        assert "No arbiter." in message.body
        last = timezone.now().date() + timedelta(days=7)
        assert f"You can appeal until {last.day} {last:%b %Y} (B.02 0.5)" in message.body

    def test_an_appeal_waits_as_a_proposal_and_is_noted_of_its_day(self, olga, refused, officer):
        answer = olga.post(f"{olga.page}appeal/", {"text": "There was one."}, follow=True)
        assert "We’ve received your appeal." in answer.text
        assert "Your appeal has been sent. We will decide on it." in answer.text
        refused.refresh_from_db()
        assert refused.appealed_on is None
        assert "olga" not in officer.get("/register/").text
        (due,) = (one for one in due_for(officer.user, timezone.now()) if "asks you to confirm" in one.text)
        assert due.text.startswith("olga asks you to confirm: ")
        assert "Record an appeal against the refusal of a tournament: Fjord Open" in due.text
        page = officer.get(due.link)
        assert "There was one." in page.text
        officer.post(due.link, {"second": "", "shown": shown_on(page)})
        refused.refresh_from_db()
        assert (refused.appeal, refused.appealed_on) == ("There was one.", timezone.now().date())
        assert "Appealed on" in olga.get(olga.page).text

    def test_a_second_appeal_is_refused_while_the_first_waits(self, olga, refused):
        olga.post(f"{olga.page}appeal/", {"text": "There was one."})
        answer = olga.post(f"{olga.page}appeal/", {"text": "There were two."})
        assert answer.status_code == 409
        assert "An appeal has already been sent. We’ll decide on it." in answer.text

    def test_after_seven_days_it_is_too_late(self, olga, refused):
        type(refused).objects.update(refused_on=timezone.now().date() - timedelta(days=8))
        assert "Appeal …" not in olga.get(olga.page).text
        answer = olga.post(f"{olga.page}appeal/", {"text": "There was one."})
        assert answer.status_code == 409
        assert "so the organizer could appeal until" in answer.text

    def test_what_is_not_refused_is_not_appealed_against(self, olga):
        answer = olga.post(f"{olga.page}appeal/", {"text": "There was one."})
        assert answer.status_code == 409
        assert "The tournament hasn’t been refused." in answer.text

    def test_everybody_who_reports_the_tournament_gets_one_mail(self, olga, officer, worker):
        _client, _scope = organizer("oskar", tournament=olga.scope.tournament)
        organizer("boris", tournament=tournament("Other Cup"))
        refuse(olga.scope.tournament, "No arbiter.", timezone.now().date(), officer.user)
        worker()
        told = [message.to for message in mail.outbox if message.subject.startswith("Refused")]
        assert sorted(told) == [["olga@example.org"], ["oskar@example.org"]]
