"""A member complains, follows the case and withdraws it; nobody else learns of it."""

import pytest
from django.test import Client
from django.utils.timezone import now

from ratings.desk.models import Case, CaseEntry
from ratings.desk.services.cases import UNANSWERED, answer, claim, decide, note, open_by_office
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType, change_id
from tests.arena import game
from tests.decisions import decided
from tests.desk.cases import complaint, login
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

BUTTON = "Report a mistake"


def new(about, key):
    return f"/cases/new/{about}/{key}/"


def test_a_member_opens_a_case_about_a_game_and_sees_it_on_their_page(players):
    address = new("game", players.game.pk)
    assert f'href="{address}"' in players.anna.get(players.game.get_absolute_url()).text
    assert is_friendly(players.anna.get(address))
    answered = players.anna.post(address, {"text": "It was a <b>draw</b>."}, follow=True)
    case = Case.objects.get()
    assert (case.about, case.key, case.opener, case.owner) == ("game", players.game.pk, players.white, None)
    assert (case.deadline - case.opened_at).days == 14
    text = words(answered)
    assert "We’ve received your case." in text
    assert "It was a <b>draw</b>." in text
    assert "<b>draw</b>" not in answered.text
    assert f"{case} Disputed game: Berg, Anna – Lund, Boris 1-0" in words(players.anna.get("/cases/"))


def test_who_has_no_email_address_is_promised_no_email(players):
    page = new("game", players.game.pk)
    user = players.white.user
    for address, told in (
        ("anna@example.org", "We’ll reply here and by email. Only you and our staff can read it."),
        ("", "We’ll reply here. Your login has no email address, so we can’t email you. Only you and"),
    ):
        user.email = address
        user.save()
        assert told in words(players.anna.get(page))


@pytest.mark.rendered
def test_what_can_be_disputed_offers_it_to_whom_it_concerns_and_to_visitors_who_log_in_first(players):
    line = RatingChange.objects.get(game=players.game, member=players.white)
    staff, registrar = login("officer", "Rating officers"), login("registrar", "Registrars")
    for page, about, key, others in (
        (players.game.get_absolute_url(), "game", players.game.pk, True),
        (line.get_absolute_url(), "line", line.pk, False),
        (players.white.get_absolute_url(), "member", players.white.pk, False),
    ):
        button = f'href="{new(about, key)}"'
        assert button in players.anna.get(page).text, page
        assert (button in players.boris.get(page).text) == others, page
        assert "/cases/new/" not in registrar.get(page).text
        # Nobody's profile is that of a visitor.
        assert (button in Client().get(page).text) == (about != "member"), page
        for client in (Client(), registrar):
            assert "/admin/desk/case/add/" not in client.get(page).text
        assert f"/admin/desk/case/add/?about={about}&amp;key={key}" in staff.get(page).text


def test_a_line_that_is_gone_can_still_be_disputed(players):
    key = change_id(EventType.GAME, players.game.pk)
    decided("void-games", game=[str(players.game.pk)])
    assert f'href="{new("line", key)}"' in players.anna.get(f"/changes/{key}/").text
    answered = players.anna.post(new("line", key), {"text": "Why void?"}, follow=True)
    assert "Disputed rating change: Berg, Anna, Blitz, 1 Mar 2026, 00:10 UTC" in words(answered)
    assert f'href="/changes/{key}/"' in answered.text


@pytest.mark.parametrize(
    ("about", "of_whom", "status"),
    [("game", "stranger", 403), ("line", "boris", 403), ("member", "boris", 403), ("tea", "anna", 404)],
)
def test_nobody_opens_a_case_about_what_does_not_concern_them(players, about, of_whom, status):
    key = {
        "game": players.game.pk,
        "line": change_id(EventType.GAME, players.game.pk),
        "member": players.white.pk,
    }.get(about, 1)
    client = login("stranger") if of_whom == "stranger" else getattr(players, of_whom)
    for answered in (client.get(new(about, key)), client.post(new(about, key), {"text": "x"})):
        assert answered.status_code == status
    assert not Case.objects.exists()


@pytest.mark.rendered
def test_whom_it_does_not_concern_learns_why_there_is_no_form(players):
    answered = players.boris.get(new("line", change_id(EventType.GAME, players.game.pk)))
    assert "You aren’t one of the members this is about" in words(answered)


@pytest.mark.rendered
def test_who_wants_to_leave_finds_the_words_written(players):
    answered = players.anna.get(f"{new('member', players.white.pk)}?leave")
    assert "Please erase my personal data." in words(answered)


@pytest.mark.rendered
@pytest.mark.parametrize("key", ["999999", "9" * 18, "9" * 30])
def test_what_does_not_exist_has_no_form(players, key):
    assert players.anna.get(new("game", key)).status_code == 404
    assert players.anna.get(f"/cases/{key}/").status_code == 404


@pytest.mark.rendered
def test_visitors_are_asked_to_log_in_whether_there_is_a_case_or_not(players):
    case = complaint(players)
    for address in ("/cases/", f"/cases/{case.pk}/", "/cases/999999/", new("game", players.game.pk)):
        assert Client().get(address)["Location"] == f"/login/?next={address}"


def test_a_case_is_for_its_opener_and_for_staff_who_see_cases(players):
    case = complaint(players)
    page = f"/cases/{case.pk}/"
    assert players.anna.get(page).status_code == 200
    staff = {"Rating officers": 200, "Auditors": 200, "Registrars": 404}
    for group, status in staff.items():
        client = login(group, group)
        assert client.get(page).status_code == status
        assert client.post(page, {"text": "x"}).status_code == (403 if status == 200 else 404)
        assert client.post(page, {"withdraw": ""}).status_code == (403 if status == 200 else 404)
    for answered in (players.boris.get(page), players.boris.post(page, {"withdraw": ""})):
        assert answered.status_code == 404
    case.refresh_from_db()
    assert (case.state, case.entries.count()) == (Case.State.OPEN, 1)
    assert "You have no cases." in words(players.boris.get("/cases/"))


@pytest.mark.rendered
def test_no_cache_keeps_a_page_of_a_case(players):
    case = complaint(players)
    for address in ("/cases/", f"/cases/{case.pk}/", new("line", change_id(EventType.GAME, players.game.pk))):
        answered = players.anna.get(address)
        assert answered.status_code == 200
        assert {"no-store", "private"} <= set(answered["Cache-Control"].split(", "))


def test_a_subject_has_one_open_case_of_a_member_however_often_they_press(players):
    address = new("game", players.game.pk)
    first = players.anna.post(address, {"text": "It was a draw."})["Location"]
    assert players.anna.post(address, {"text": "It was a draw."})["Location"] == first
    assert players.anna.get(address)["Location"] == first
    # The opponent may have another view of it.
    players.boris.post(address, {"text": "It was no draw."})
    assert Case.objects.count() == 2
    players.anna.post(first, {"withdraw": ""})
    assert players.anna.post(address, {"text": "It was a draw, I tell you."})["Location"] != first


def test_a_member_has_at_most_three_open_cases(players, settings):
    games = [game(players.white, players.black, minute=minute) for minute in (20, 30, 40, 50)]
    for played in games[:3]:
        players.anna.post(new("game", played.pk), {"text": "It was a draw."})
    refused = players.anna.post(new("game", games[3].pk), {"text": "It was a draw."})
    assert refused.status_code == 429
    assert "You have 3 open cases. Wait until one is decided, or withdraw one." in words(refused)
    assert Case.objects.count() == 3
    settings.CASES_PER_MEMBER = 4
    assert players.anna.post(new("game", games[3].pk), {"text": "It was a draw."}).status_code == 302


def test_what_the_office_opens_for_a_member_does_not_count_against_them(players, officer, settings):
    settings.CASES_PER_MEMBER = 1
    white = players.white
    asked = {"about": "member", "key": white.pk, "opener": white, "text": "By phone."}
    open_by_office(**asked, by=officer.user, at=now())
    assert complaint(players).opener == players.white


def test_a_member_writes_ten_messages_before_an_answer_and_no_more(players, officer):
    case = complaint(players)
    page = f"/cases/{case.pk}/"
    for _ in range(UNANSWERED - 1):
        assert players.anna.post(page, {"text": "Hello?"}).status_code == 302
    refused = players.anna.post(page, {"text": "Hello?"})
    assert (refused.status_code, case.entries.count()) == (400, UNANSWERED)
    assert "Please wait for our reply" in words(refused)
    claim(case, by=officer.user, at=now())
    answer(case, by=officer.user, text="We are looking into it.", at=now(), link="")
    assert players.anna.post(page, {"text": "Thank you."}).status_code == 302


@pytest.mark.parametrize("text", ["", "   ", "x" * 5001, "a\0b"])
def test_a_message_has_words_that_can_be_stored(players, text):
    assert players.anna.post(new("game", players.game.pk), {"text": text}).status_code == 400
    case = complaint(players)
    assert players.anna.post(f"/cases/{case.pk}/", {"text": text}).status_code == 400
    assert CaseEntry.objects.count() == 1


def test_the_member_reads_messages_and_the_decision_and_nothing_that_is_for_staff(players):
    case = complaint(players)
    officer = login("grumpy.officer", "Rating officers").user
    claim(case, by=officer, at=now())
    answer(case, by=officer, text="Please send the score sheet.", at=now(), link="")
    note(case, by=officer, text="INTERNAL one", at=now())
    decide(
        case,
        by=officer,
        decision="You are right.",
        public_reasons="",
        staff_reasons="INTERNAL two",
        change_set=None,
        at=now(),
        link="",
    )
    answered = players.anna.get(f"/cases/{case.pk}/")
    text = words(answered)
    for said in ("It was a draw.", "Please send the score sheet.", "You are right.", "Status decided"):
        assert said in text
    for hidden in ("INTERNAL", "grumpy"):
        assert hidden not in answered.text
    assert players.anna.post(f"/cases/{case.pk}/", {"text": "But …"}).status_code == 400
    case.refresh_from_db()
    assert (case.state, case.entries.count()) == (Case.State.DECIDED, 4)


def test_a_withdrawn_case_is_closed(players):
    case = complaint(players)
    page = f"/cases/{case.pk}/"
    players.anna.post(page, {"withdraw": ""})
    case.refresh_from_db()
    assert (case.state, case.closed_at is not None) == (Case.State.WITHDRAWN, True)
    assert "is withdrawn, so it can’t be changed" in words(
        players.anna.post(page, {"withdraw": ""}, follow=True)
    )
    assert players.anna.post(page, {"text": "x"}).status_code == 400


@pytest.mark.rendered
def test_a_case_about_a_deleted_game_says_so(players):
    played = game(players.white, players.black, minute=70, rated=False)
    players.anna.post(new("game", played.pk), {"text": "It was rated."})
    key = played.pk
    played.delete()
    assert f"Disputed game: Game {key}, deleted" in words(players.anna.get("/cases/"))


@pytest.mark.rendered
def test_my_cases_are_as_many_queries_for_two_as_for_six(players, settings):
    settings.CASES_PER_MEMBER = 9
    players.anna.post(new("member", players.white.pk), {"text": "x"})
    players.anna.post(new("game", players.game.pk), {"text": "x"})
    few = queries(players.anna, "/cases/")
    for minute in (20, 30, 40, 50):
        played = game(players.white, players.black, minute=minute)
        players.anna.post(new("game", played.pk), {"text": "x"})
    assert Case.objects.count() == 6
    assert queries(players.anna, "/cases/") == few
