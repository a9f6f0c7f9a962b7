"""The office claims, answers and lists cases, opens them for others, and notes what it knows of members."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from threading import Barrier
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.utils.timezone import now
from django.utils.translation import get_language

from foa.text import date_text
from ratings.desk.models import Case, CaseEntry, MemberNote
from ratings.desk.services.cases import AlreadyOpenError, claim, open_by_office, release, withdraw
from ratings.office.due import due_for
from ratings.otb.models import Refusal, Tournament
from ratings.rbb.models import RatingChange
from tests.arena import game
from tests.backoffice import admin_page
from tests.decisions import decided
from tests.desk.cases import DECISION, arranged, claimed, complaint, login
from tests.pages import queries, words

pytestmark = pytest.mark.django_db


def test_an_officer_claims_a_case_and_another_is_told_who_has_it(players, officer, other):
    case = complaint(players)
    assert 'name="claim"' in officer.get(admin_page(case)).text
    officer.post(admin_page(case), {"claim": ""})
    case.refresh_from_db()
    assert case.owner == officer.user
    assert 'name="claim"' not in other.get(admin_page(case)).text
    told = words(other.post(admin_page(case), {"claim": ""}, follow=True))
    # The admin begins each message with a capital letter, also one that begins with a username.
    assert f"Officer has claimed {case}." in told
    case.refresh_from_db()
    assert case.owner == officer.user
    # Whoever has it may be away.
    other.post(admin_page(case), {"release": ""})
    other.post(admin_page(case), {"claim": ""})
    case.refresh_from_db()
    assert case.owner == other.user
    assert [(one.what, str(one.by)) for one in case.entries.all()] == [
        ("asked", "None"),
        ("claimed", "officer"),
        ("released", "other"),
        ("claimed", "other"),
    ]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_claim_a_case_at_once_one_gets_it():
    case = complaint(arranged())
    start = Barrier(2)

    def job(user):
        start.wait(60)
        try:
            claim(case, by=user, at=now())
        except ValidationError as refusal:
            return refusal.messages
        else:
            return user
        finally:
            connections.close_all()

    users = [User.objects.create_user(name, is_staff=True) for name in ("first", "second")]
    with ThreadPoolExecutor(2) as pool:
        results = [future.result() for future in [pool.submit(job, user) for user in users]]
    case.refresh_from_db()
    assert case.owner in users
    assert results.count(case.owner) == 1
    assert [f"{case.owner} has claimed {case}."] in results
    assert case.entries.filter(what=CaseEntry.What.CLAIMED).count() == 1


def test_staff_see_a_case_of_their_own_and_themselves_as_members_do(players, officer):
    players.white.user.groups.set(officer.user.groups.all())
    User.objects.filter(pk=players.white.user.pk).update(is_staff=True)
    case = complaint(players)
    note = MemberNote.objects.create(member=players.white, text="INTERNAL", by=officer.user, at=now())
    assert [one for one in due_for(players.white.user, now()) if "/desk/case/" in one.link] == []
    with pytest.raises(ValidationError, match="so a colleague has to decide it"):
        claim(case, by=players.white.user, at=now())
    for answered in (players.anna.get(admin_page(case)), players.anna.post(admin_page(case), {"claim": ""})):
        assert answered["Location"] == case.get_absolute_url()
    for page in (admin_page(players.white), admin_page(MemberNote), admin_page(MemberNote) + "?q=anna"):
        assert "INTERNAL" not in players.anna.get(page).text
        assert "INTERNAL" in officer.get(page).text
    assert players.anna.get(admin_page(note)).status_code == 302
    case.refresh_from_db()
    assert case.owner is None


def test_the_journal_does_not_say_about_whom_staff_wrote_a_note(players, officer):
    noted = {"member": players.white.pk, "text": "INTERNAL"}
    assert officer.post(admin_page(MemberNote, "add"), noted).status_code == 302
    journal = words(officer.get("/admin/office/journal/"))
    assert f"Added: member note Note of {date_text(MemberNote.objects.get().at)}" in journal
    assert "Berg" not in journal


@pytest.mark.parametrize("about", ["game", "line", "gone line", "member"])
def test_staff_neither_see_nor_decide_a_case_that_is_about_them(players, officer, about):
    players.black.user.groups.set(officer.user.groups.all())
    User.objects.filter(pk=players.black.user.pk).update(is_staff=True)
    line = RatingChange.objects.get(member=players.white, game=players.game)
    key = {"game": players.game.pk, "member": players.black.pk}.get(about, line.pk)
    kind = about.removeprefix("gone ")
    if about == "gone line":
        decided("void-games", note="error", public_reason="error", game=[str(players.game.pk)])
        assert not RatingChange.objects.filter(pk=line.pk).exists()
    case = open_by_office(
        about=kind, key=key, by=officer.user, opener=players.white, text="INTERNAL", at=now()
    )
    for page in (admin_page(case), case.get_absolute_url()):
        assert "INTERNAL" in officer.get(page).text
        assert "INTERNAL" not in players.boris.get(page).text
    for page in (admin_page(Case), f"{admin_page(Case)}?q=anna", admin_page(players.white), "/admin/"):
        assert admin_page(case) in officer.get(page).text
        assert admin_page(case) not in players.boris.get(page).text
    assert players.boris.get(admin_page(case, "decide")).status_code == 404
    with pytest.raises(ValidationError, match="so a colleague has to decide it"):
        claim(case, by=players.black.user, at=now())
    withdraw(case, at=now())
    asked = {"about": kind, "key": key, "text": "x"}
    told = words(players.boris.post(admin_page(Case, "add"), asked))
    assert "or is about you. If it is about you, ask a colleague." in told
    # The member that they are may still open it.
    opened = players.boris.post(f"/cases/new/{kind}/{key}/", {"text": "x"})
    assert opened.status_code == (403 if kind == "line" else 302)


@pytest.mark.rendered
@pytest.mark.parametrize("group", ["Auditors", "Registrars", ""])
def test_only_officers_handle_cases(players, group, officer):
    case = claimed(players, officer)
    client = login("somebody", group)
    seen = client.get(admin_page(case))
    assert seen.status_code == {"Auditors": 200, "Registrars": 403, "": 302}[group]
    assert "<textarea" not in seen.text
    assert 'name="release"' not in seen.text
    refused = 302 if group == "" else 403
    for posted in ({"release": ""}, {"note": "", "note-text": "x"}, {"answer": "", "answer-text": "x"}):
        assert client.post(admin_page(case), posted).status_code == refused
    assert client.get(admin_page(case, "decide")).status_code == refused
    assert client.post(admin_page(case, "decide"), DECISION).status_code == refused
    add = admin_page(Case, "add")
    assert client.post(add, {"about": "game", "key": case.key, "text": "x"}).status_code == refused
    case.refresh_from_db()
    assert (case.state, case.owner, case.entries.count()) == ("open", officer.user, 2)


def test_an_answer_is_mailed_to_a_member_with_an_address(
    players, officer, django_capture_on_commit_callbacks
):
    case = claimed(players, officer)
    with django_capture_on_commit_callbacks(execute=True):
        posted = {"answer": "", "answer-text": "Please send\nthe score sheet."}
        told = words(officer.post(admin_page(case), posted, follow=True))
    assert "We’ll email Berg, Anna." in told
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["anna@example.org"], f"Case {case.pk}: you have a reply")
    assert "Please send\nthe score sheet." in sent.body.replace("\r\n", "\n")
    assert f"http://testserver/cases/{case.pk}/" in sent.body
    assert "officer" not in sent.body + sent.subject


def test_a_mail_is_in_the_language_in_which_the_case_was_opened(
    players, officer, django_capture_on_commit_callbacks
):
    players.anna.post(
        f"/cases/new/game/{players.game.pk}/", {"text": "Remis."}, headers={"accept-language": "pl"}
    )
    case = Case.objects.get()
    assert case.language == "pl"
    claim(case, by=officer.user, at=now())
    in_words = "ratings.desk.services.cases.gettext"
    with (
        patch(in_words, side_effect=lambda text: f"{get_language()} {text}"),
        django_capture_on_commit_callbacks(execute=True),
    ):
        officer.post(admin_page(case), {"answer": "", "answer-text": "Tak."})
    (sent,) = mail.outbox
    assert sent.subject == f"pl Case {case.pk}: you have a reply"
    assert "pl Read it and reply here:" in sent.body


def test_notes_and_answers_to_members_without_an_address_are_not_mailed(
    players, officer, django_capture_on_commit_callbacks
):
    case = claimed(players, officer)
    User.objects.filter(pk=players.white.user.pk).update(email="")
    with django_capture_on_commit_callbacks(execute=True):
        told = words(officer.post(admin_page(case), {"answer": "", "answer-text": "Yes."}, follow=True))
        officer.post(admin_page(case), {"note": "", "note-text": "Rude on the phone."})
    assert "Berg, Anna has no email address, but can read it on their page." in told
    assert not mail.outbox
    assert [one.what for one in case.entries.all()] == ["asked", "claimed", "answered", "noted"]


def test_a_mail_server_that_is_down_loses_no_answer(
    players, officer, settings, django_capture_on_commit_callbacks, caplog
):
    settings.EMAIL_BACKEND = "nowhere.EmailBackend"
    case = claimed(players, officer)
    with django_capture_on_commit_callbacks(execute=True):
        posted = {"answer": "", "answer-text": "Yes."}
        assert officer.post(admin_page(case), posted).status_code == 302
    assert case.entries.filter(what="answered").exists()
    assert "No module named 'nowhere'" in caplog.text


def test_the_office_opens_a_case_for_a_member_who_then_sees_it(players, officer):
    posted = {"about": "game", "key": players.game.pk, "opener": players.black.pk, "text": "By phone."}
    address = admin_page(Case, "add")
    form = officer.get(f"{address}?about=game&key={players.game.pk}")
    assert f'<input type="number" name="key" value="{players.game.pk}"' in form.text
    answered = officer.post(address, posted)
    case = Case.objects.get()
    assert answered["Location"] == admin_page(case)
    assert (case.opener, case.opened_by) == (players.black, officer.user)
    assert "By phone." in words(players.boris.get(f"/cases/{case.pk}/"))
    assert f"There’s already an open case about this: {case}." in words(officer.post(address, posted))
    assert "Game 999999 doesn’t exist." in words(officer.post(address, {**posted, "key": 999999}))
    assert officer.post(address, {**posted, "key": "9" * 30}).status_code == 200
    assert Case.objects.count() == 1


def test_the_office_opens_an_appeal_for_an_organizer_and_can_withdraw_it(officer):
    """B.02 0.5: organizers have no login."""
    day = date(2026, 3, 1)
    tournament = Tournament.objects.create(name="Fjord Open", first_day=day, last_day=day, status=3)
    refusal = Refusal.objects.create(tournament=tournament, text="No arbiter.", refused_on=day)
    judge = f"/admin/otb/tournament/{tournament.pk}/judge/"
    link = f"/admin/desk/case/add/?about=refusal&amp;key={refusal.pk}"
    assert link in officer.get(judge).text
    posted = {"about": "refusal", "key": refusal.pk, "on_behalf_of": "Club Fjord", "text": "By letter."}
    officer.post(admin_page(Case, "add"), posted)
    case = Case.objects.get()
    text = words(officer.get(admin_page(case)))
    assert "Appeal against the refusal of a tournament (B.02 0.5)" in text
    assert "Club Fjord" in text
    assert f'href="{judge}?next=' in officer.get(admin_page(case)).text
    officer.post(admin_page(case), {"claim": ""})
    assert 'name="answer"' not in officer.get(admin_page(case)).text
    told = words(officer.post(admin_page(case), {"answer": "", "answer-text": "x"}, follow=True))
    assert "No member opened this case" in told
    officer.post(admin_page(case), {"withdraw": ""})
    case.refresh_from_db()
    assert case.state == "withdrawn"


def test_what_a_member_opened_the_office_does_not_withdraw(players, officer):
    case = complaint(players)
    assert officer.post(admin_page(case), {"withdraw": ""}).status_code == 403
    case.refresh_from_db()
    assert case.state == "open"


def test_two_of_the_office_do_not_open_the_same_case(players, officer):
    asked = {"about": "game", "key": players.game.pk, "by": officer.user, "text": "x", "at": now()}
    first = open_by_office(**asked)
    with pytest.raises(AlreadyOpenError) as refused:
        open_by_office(**asked)
    assert refused.value.case == first
    # Where both looked before either was stored, the database decides.
    with (
        patch("ratings.desk.services.cases.open_case_of", side_effect=[None, first]),
        pytest.raises(AlreadyOpenError),
    ):
        open_by_office(**asked)
    assert Case.objects.count() == 1


def test_the_list_of_cases_is_filtered_by_owner_deadline_kind_and_state(players, officer, other):
    case = claimed(players, officer)
    late = open_by_office(about="member", key=players.black.pk, by=officer.user, text="x", at=now())
    Case.objects.filter(pk=late.pk).update(deadline=now() - timedelta(days=1))
    closed = open_by_office(about="member", key=players.white.pk, by=officer.user, text="x", at=now())
    withdraw(closed, at=now())
    for client, query, found in (
        (officer, "", [late, case]),
        (officer, "whose=mine", [case]),
        (other, "whose=mine", []),
        (officer, "whose=nobody", [late]),
        (officer, "deadline=overdue", [late]),
        (officer, "kind=game", [case]),
        (officer, "state=withdrawn", [closed]),
        (officer, "state=decided", []),
        (officer, f"q={case.pk}", [case]),
        (officer, "q=berg", [case]),
    ):
        page = client.get(f"{admin_page(Case)}?{query}")
        assert list(page.context["cl"].result_list) == found, query
    assert "Berg, Anna – Lund, Boris 1-0" in words(officer.get(admin_page(Case)))
    assert officer.get(f"{admin_page(Case)}?state=nonsense").status_code == 200


@pytest.mark.rendered
def test_the_list_takes_as_many_queries_for_one_case_as_for_five(players, officer):
    claimed(players, officer)
    few = queries(officer, admin_page(Case))
    for minute in (20, 30, 40, 50):
        played = game(players.white, players.black, minute=minute)
        open_by_office(about="game", key=played.pk, opener=players.white, by=officer.user, text="x", at=now())
    assert queries(officer, admin_page(Case)) == few


def test_what_is_mine_or_nobodys_is_due(players, officer, other):
    case = claimed(players, officer)
    nobodys = open_by_office(about="member", key=players.black.pk, by=officer.user, text="x", at=now())
    link = admin_page(case)

    def due(client):
        return [
            (one.link, one.at, one.mine) for one in due_for(client.user, now()) if "/desk/case/" in one.link
        ]

    assert due(officer) == [(link, case.deadline, True), (admin_page(nobodys), nobodys.deadline, False)]
    assert due(other) == [(admin_page(nobodys), nobodys.deadline, False)]
    assert due(login("auditor", "Auditors")) == []
    release(case, by=officer.user, at=now())
    assert (link, case.deadline, False) in due(other)


def test_staff_note_what_they_know_of_a_member_and_nobody_else_reads_it(players, officer):
    add = admin_page(MemberNote, "add")
    posted = {"member": players.white.pk, "text": "Wrote <i>twice</i>."}
    assert officer.post(add, posted)["Location"] == admin_page(players.white)
    note = MemberNote.objects.get()
    assert note.by == officer.user
    page = admin_page(players.white)
    for client, sees in (
        (officer, True),
        (login("a", "Auditors"), True),
        (login("r", "Registrars"), False),
    ):
        shown = client.get(page)
        assert ("Wrote <i>twice</i>." in words(shown)) == sees
        assert "<i>" not in shown.text
    for client in (players.anna, Client(), officer):
        assert "twice" not in client.get(players.white.get_absolute_url()).text
    for step in ("change", "delete"):
        assert officer.post(admin_page(note, step), {"text": "x", "post": "yes"}).status_code == 403


@pytest.mark.rendered
def test_the_page_of_a_member_has_their_cases(players, officer):
    case = claimed(players, officer)
    about = open_by_office(about="member", key=players.white.pk, by=officer.user, text="x", at=now())
    text = words(officer.get(admin_page(players.white)))
    assert f"{about} : Request from a member, open" in text
    assert f"{case} : Disputed game, open (officer)" in text
    assert "Dispute" not in words(officer.get(admin_page(players.black)))
    assert "Cases and notes" not in words(login("r", "Registrars").get(admin_page(players.white)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "withdrawn"},
        {"closed_at": now()},
        {"state": "decided", "closed_at": now()},
        {"public_reasons": "x"},
        {"opener": None},
    ],
)
def test_the_database_keeps_cases_whole(players, wrong):
    case = complaint(players)
    with pytest.raises(IntegrityError), transaction.atomic():
        Case.objects.filter(pk=case.pk).update(**wrong)
