"""What a case decides goes to three readers, and what everybody reads of it names nobody."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connections
from django.test import Client
from django.utils.timezone import now

from foa.models import LoginSettings
from foa.text import date_text, utc
from members.models import Member
from ratings.desk.models import Case
from ratings.desk.services.cases import claim, correct, named_in
from ratings.desk.services.cases import decide as decide_case
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game
from tests.arena import game, member, opening
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import decide, decided, undo
from tests.desk.cases import DECISION, arranged, claimed, complaint
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db


def corrected(players, **fields):
    """A change set that voided the game."""
    return decided("void-games", game=[str(players.game.pk)], reason="error", **fields)


def close(officer, case, **posted):
    return officer.post(admin_page(case, "decide"), {**DECISION, **posted})


def test_who_does_not_have_the_case_neither_answers_nor_decides_it(players, officer, other):
    case = claimed(players, officer)
    refused = other.post(admin_page(case), {"answer": "", "answer-text": "Yes, it was."})
    assert f"Claim {case} first." in words(refused)
    assert "Yes, it was.</textarea>" in refused.text
    assert f"Claim {case} first." in words(close(other, case))
    case.refresh_from_db()
    assert case.state == "open"


def test_a_decision_goes_to_its_three_readers(players, officer, django_capture_on_commit_callbacks):
    case = claimed(players, officer)
    change_set = corrected(players)
    with django_capture_on_commit_callbacks(execute=True):
        answered = close(
            officer,
            case,
            public_reasons="The score sheet shows a draw.",
            staff_reasons="INTERNAL: the arbiter erred.",
            change_set=change_set.pk,
        )
    assert answered["Location"] == admin_page(case)
    (sent,) = mail.outbox
    assert sent.subject == f"Case {case.pk} is decided"
    assert "You are right: it was a draw." in sent.body
    assert "INTERNAL" not in sent.body
    mine = players.anna.get(f"/cases/{case.pk}/")
    assert "You are right: it was a draw." in words(mine)
    assert f'href="{change_set.get_absolute_url()}"' in mine.text
    staff = words(officer.get(admin_page(case)))
    for said in ("INTERNAL: the arbiter erred.", "The score sheet shows a draw.", "Decided by officer."):
        assert said in staff
    again = close(officer, case, decision="Another one.")
    assert f"{case} is decided, so it can’t be changed." in words(again)


def test_the_register_says_what_a_case_decided_and_names_nobody(players, officer):
    case = claimed(players, officer)
    change_set = corrected(players, by=officer.user)
    public = f"/register/cases/{case.pk}/"
    assert Client().get(public).status_code == 404
    close(
        officer,
        case,
        public_reasons="The score sheet shows <b>a draw</b>.",
        staff_reasons="INTERNAL",
        change_set=change_set.pk,
    )
    case.refresh_from_db()
    day = date_text(case.closed_at)
    page = Client().get(public)
    assert is_friendly(page)
    assert f"{case}: Disputed game Decided on {day} The score sheet shows <b>a draw</b>." in words(page)
    register = Client().get(change_set.get_absolute_url())
    assert f"{case}, decided on {day} : The score sheet shows <b>a draw</b>." in words(register)
    assert f'href="{public}"' in register.text
    for hidden in ("Berg", "Lund", "anna", "officer", "You are right", "INTERNAL", "It was a draw", "<b>"):
        assert hidden not in page.text, hidden
    assert "INTERNAL" not in register.text + words(register)


def test_a_decision_without_public_reasons_is_nowhere_public(players, officer):
    case = claimed(players, officer)
    change_set = corrected(players)
    close(officer, case, change_set=change_set.pk)
    assert Client().get(f"/register/cases/{case.pk}/").status_code == 404
    assert "Case" not in words(Client().get(change_set.get_absolute_url()))


@pytest.mark.rendered
@pytest.mark.parametrize("text", ["Anna berg was right.", "LUND lost.", "To anna.", "berg, anna"])
def test_public_reasons_that_name_somebody_are_refused(players, officer, text):
    case = claimed(players, officer)
    refused = close(officer, case, public_reasons=text)
    assert "This is public, so please don’t name anybody. Remove" in words(refused)
    case.refresh_from_db()
    assert case.state == "open"


@pytest.mark.rendered
def test_names_are_found_as_words_without_accents():
    toth = Member(username="rex", name="Tóth, Éva")
    assert named_in("Toth was right.", [toth]) == ["Tóth"]
    assert named_in("REX.", [toth]) == ["rex"]
    assert named_in("Eva resigned, and the reflex helped. Tothing.", [toth]) == []
    # Everybody calls the players by their colours.
    assert named_in("White was to move.", [Member(username="w", name="White, Amy")]) == []
    assert named_in("Amy White was to move.", [Member(username="w", name="White, Amy")]) == ["Amy White"]


def test_the_change_set_of_a_decision_is_applied_public_and_not_taken_back(players, officer):
    case = claimed(players, officer)
    change_set = corrected(players)
    ChangeSet.objects.filter(pk=change_set.pk).update(state="proposed", applied_at=None)
    wrong = f"Change set {change_set.pk} isn’t in the register. Has it been applied?"
    assert wrong in words(close(officer, case, change_set=change_set.pk))
    assert "isn’t in the register" in words(close(officer, case, change_set="9" * 18))
    ChangeSet.objects.filter(pk=change_set.pk).update(state="applied", applied_at=now())
    undo(change_set)
    told = words(close(officer, case, change_set=change_set.pk))
    assert f"Change set {change_set.pk} was reversed." in told
    case.refresh_from_db()
    assert case.state == "open"


@pytest.mark.rendered
def test_the_page_that_decides_leads_to_what_puts_it_right_and_names_what_was_done(players, officer):
    case = claimed(players, officer)
    for page in (admin_page(case), admin_page(case, "decide")):
        shown = officer.get(page)
        assert keeps_the_policy(shown)
        assert f'href="/admin/ratings/game/{players.game.pk}/change/?next=' in shown.text
        assert f'href="/admin/ratings/game/void/?game={players.game.pk}&amp;next=' in shown.text
    change_set = corrected(players, by=officer.user)
    shown = officer.get(admin_page(case, "decide"))
    number, what = change_set.for_staff.split(" ", 1)
    link = f'<a href="{admin_page(change_set)}">{number}</a> {what}, {utc(change_set.applied_at)}'
    assert link in shown.text
    assert f'href="/admin/ratings/game/reinstate/?game={players.game.pk}&amp;next=' in shown.text


@pytest.mark.rendered
def test_what_puts_it_right_leads_back_to_deciding_the_case_with_its_number_and_an_answer(players, officer):
    """Three pages: the case, the decision about the game, the decision of the case."""
    case = complaint(players)
    page = officer.get(admin_page(case))
    assert "Decide …" in words(page)
    (address,) = [one.address for one in page.context["remedies"] if "void" in one.address]
    asked = {"game": [str(players.game.pk)]}
    back = admin_page(case, "decide")
    done = decide(officer, address, asked, next=back)
    change_set = ChangeSet.objects.latest("pk")
    assert done["Location"] == f"{back}?change_set={change_set.pk}"
    form = officer.get(done["Location"]).context["form"]
    assert form["change_set"].value() == change_set.pk
    assert form["decision"].value().startswith("Thank you for writing. You were right")
    officer.post(back, {"decision": form["decision"].value(), "change_set": change_set.pk})
    case.refresh_from_db()
    assert (case.state, case.change_set, case.owner) == ("decided", change_set, officer.user)


def test_a_decision_goes_back_to_a_page_of_the_admin_only(players, officer):
    asked = {"game": [str(players.game.pk)]}
    page = admin_page(Game, "void")
    done = decide(officer, page, asked, next="https://example.org/admin/")
    assert done["Location"].startswith("/admin/office/changeset/")


def test_answers_begin_with_one_of_a_few_texts_in_the_language_of_the_member(players, officer):
    case = claimed(players, officer)
    form = officer.get(f"{admin_page(case, 'decide')}?answer=stands").context["form"]
    assert form["decision"].value().startswith("Thank you for writing. We’ve checked this and found no error")
    LoginSettings.objects.update_or_create(user=case.opener.user, defaults={"language": "pl"})
    form = officer.get(f"{admin_page(case, 'decide')}?answer=stands").context["form"]
    assert form["decision"].value().startswith("Dziękujemy za wiadomość.")
    assert officer.get(f"{admin_page(case, 'decide')}?answer=x").context["form"]["decision"].value() == ""


def elsewhere(officer):
    """A change set about two others."""
    one, two = member("carl"), member("dora")
    for who in (one, two):
        opening(who, 1600)
    return decided("void-games", game=[str(game(one, two).pk)], reason="error", by=officer.user)


def test_a_change_set_about_others_does_not_decide_a_case(players, officer):
    case = claimed(players, officer)
    other = elsewhere(officer)
    told = (
        f"Change set {other.pk} isn’t about {case}: it doesn’t name anything in the case, and "
        "didn’t change any of its ratings."
    )
    shown = officer.get(admin_page(case, "decide"))
    assert other.for_staff not in words(shown)
    for posted in ({"change_set": other.pk}, {"number": other.pk, "find": ""}):
        assert told in words(close(officer, case, **posted))
    # Nor can the service be told so, whatever a form has checked before.
    with pytest.raises(ValidationError, match="isn’t about Case"):
        decide_case(case, by=officer.user, **DECISION, change_set=other, at=now(), link="")
    case.refresh_from_db()
    assert (case.state, case.change_set) == ("open", None)


def test_a_number_only_finds_the_change_set_to_choose(players, officer):
    """Eleven are about the case, and ten are listed."""
    case = claimed(players, officer)
    first = corrected(players)
    asked = {"game": [str(players.game.pk)], "reason": "error"}
    numbers = [first.pk, *(decided(kind, **asked).pk for kind in ("reinstate-games", "void-games") * 5)]
    shown = officer.get(admin_page(case, "decide"))
    listed = [key for key, _label in shown.context["form"].fields["change_set"].widget.choices]
    assert listed == ["", *numbers[:0:-1]]
    found = close(officer, case, number=first.pk)
    case.refresh_from_db()
    assert (found.status_code, case.state) == (200, "open")
    assert f'value="{first.pk}" id="id_change_set_1" checked' in found.text.replace(' class=""', "")
    assert "You are right: it was a draw.</textarea>" in found.text
    assert "This field is required." not in words(close(officer, case, decision="", number=first.pk))
    assert "Change set 999999 isn’t in the register." in words(close(officer, case, number="999999"))
    assert "Enter a whole number." in words(close(officer, case, number="x"))
    close(officer, case, change_set=first.pk)
    case.refresh_from_db()
    assert case.change_set == first


def test_a_change_set_that_moved_a_rating_of_a_player_is_about_the_case(players, officer):
    """Anna's opponent has another game."""
    case = claimed(players, officer)
    carl = member("carl")
    opening(carl, 1600)
    moved = decided("void-games", game=[str(game(players.black, carl).pk)], reason="error")
    shown = officer.get(admin_page(case, "decide"))
    listed = [key for key, _label in shown.context["form"].fields["change_set"].widget.choices]
    assert listed == ["", moved.pk]


def correct_it(officer, case, corrections=0, **posted):
    said = {**DECISION, "corrections": corrections, **posted}
    return officer.post(admin_page(case, "correct"), said)


def test_a_decision_can_be_corrected_and_the_member_is_told(
    players, officer, other, django_capture_on_commit_callbacks
):
    case = claimed(players, officer)
    change_set = corrected(players)
    close(
        officer,
        case,
        decision="Confirmed as correct.",
        staff_reasons="INTERNAL: a slip.",
        public_reasons="It was a win.",
    )
    form = other.get(admin_page(case, "correct")).context["form"]
    assert (form["decision"].value(), form["corrections"].value()) == ("Confirmed as correct.", 0)
    with django_capture_on_commit_callbacks(execute=True):
        answered = correct_it(other, case, change_set=change_set.pk, public_reasons="It was a draw.")
    assert answered["Location"] == admin_page(case)
    case.refresh_from_db()
    assert (case.decision, case.public_reasons, case.staff_reasons, case.change_set, case.decided_by) == (
        "You are right: it was a draw.",
        "It was a draw.",
        "",
        change_set,
        other.user,
    )
    (sent,) = mail.outbox
    assert sent.subject == f"Case {case.pk}: the decision was corrected"
    assert "You are right: it was a draw." in sent.body
    mine = words(players.anna.get(f"/cases/{case.pk}/"))
    assert "Previous decision, " in mine
    assert "Confirmed as correct." in mine
    assert "INTERNAL" not in mine
    staff = words(officer.get(admin_page(case)))
    assert f"Corrected by other, {utc(case.corrected_at)}." in staff
    assert (
        "Previously decided by officer. Public reasons: It was a win. Reasons (staff only): INTERNAL: a slip."
        in staff
    )
    assert f"corrected on {date_text(case.corrected_at)}" in words(
        Client().get(f"/register/cases/{case.pk}/")
    )


def test_a_correction_of_a_stale_page_or_without_a_difference_is_refused(players, officer, other):
    case = claimed(players, officer)
    undecided = officer.get(admin_page(case, "correct"))
    assert undecided["Location"] == admin_page(case)
    close(officer, case, decision="Confirmed as correct.")
    correct_it(other, case)
    told = words(correct_it(officer, case, decision="Mine."))
    assert "other has corrected this decision since you opened it. Open it again." in told
    assert "The decision already says this." in words(correct_it(officer, case, corrections=1))
    case.refresh_from_db()
    assert (case.decision, case.corrections) == (DECISION["decision"], 1)
    assert players.anna.get(admin_page(case, "correct")).status_code == 302
    # Staff who opened a case neither correct its decision nor read the reasons for staff there.
    Case.objects.filter(pk=case.pk).update(opener=member("officer", user=officer.user))
    assert officer.get(admin_page(case, "correct")).status_code == 404
    assert correct_it(officer, case, corrections=1, decision="Mine.").status_code == 404
    said = {**DECISION, "decision": "Mine.", "change_set": None, "corrections": 1}
    with pytest.raises(ValidationError, match="so a colleague has to decide it"):
        correct(case, by=officer.user, **said, at=now(), link="")


@pytest.mark.rendered
def test_a_decided_case_and_its_correction_are_shown_in_polish(players, officer):
    case = claimed(players, officer)
    close(officer, case)
    officer.cookies["django_language"] = "pl"
    for page in (admin_page(case), admin_page(case, "correct")):
        assert officer.get(page).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_who_correct_a_decision_at_once_one_is_told():
    case = complaint(arranged())
    users = [User.objects.create_user(name, is_staff=True) for name in ("first", "second")]
    claim(case, by=users[0], at=now())
    said = {"public_reasons": "", "staff_reasons": "", "change_set": None, "link": ""}
    decide_case(case, by=users[0], decision="Confirmed as correct.", at=now(), **said)
    start = Barrier(2)

    def job(user):
        start.wait(60)
        try:
            correct(case, by=user, corrections=0, decision=f"As {user} says.", at=now(), **said)
        except ValidationError as refusal:
            return refusal.messages
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        results = [future.result() for future in [pool.submit(job, user) for user in users]]
    case.refresh_from_db()
    assert (case.decided_by in users, case.decision) == (True, f"As {case.decided_by} says.")
    told = f"{case.decided_by} has corrected this decision since you opened it. Open it again."
    assert sorted(results, key=str) == sorted([None, [told]], key=str)
    assert case.corrections == 1


@pytest.mark.django_db(transaction=True)
def test_a_decision_of_a_case_and_the_undo_of_its_change_set_at_once_come_one_after_the_other():
    """The case is decided first, or it is refused because the change set was reversed."""
    players = arranged()
    case = complaint(players)
    user = User.objects.create_user("first", is_staff=True)
    claim(case, by=user, at=now())
    change_set = corrected(players)
    start = Barrier(2)

    def decides():
        start.wait(60)
        try:
            decide_case(case, by=user, **DECISION, change_set=change_set, at=now(), link="")
        except ValidationError as refusal:
            return refusal.messages
        finally:
            connections.close_all()

    def undoes():
        start.wait(60)
        try:
            return undo(change_set)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        refused, undone = (future.result() for future in (pool.submit(decides), pool.submit(undoes)))
    case.refresh_from_db()
    assert undone.undoes == change_set
    if refused is None:
        assert (case.state, case.change_set) == ("decided", change_set)
        assert case.closed_at
    else:
        assert refused == [f"Change set {change_set.pk} was reversed."]
        assert (case.state, case.change_set) == ("open", None)
