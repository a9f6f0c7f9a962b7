"""What a case decides goes to three readers, and what everybody reads of it names nobody."""

import pytest
from django.core import mail
from django.test import Client
from django.utils.timezone import now

from foa.models import LoginSettings
from foa.text import date_text
from members.models import Member
from ratings.desk.services.naming import named_in
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import decide, decided, undo
from tests.desk.cases import DECISION, claimed, complaint
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db


def corrected(players, **fields):
    """A change set that voided the game."""
    return decided("void-games", game=[str(players.game.pk)], reason="error", **fields)


def close(officer, case, **posted):
    return officer.post(admin_page(case, "decide"), {**DECISION, **posted})


def test_who_does_not_have_the_case_neither_answers_nor_decides_it(players, officer, other):
    case = claimed(players, officer)
    told = words(other.post(admin_page(case), {"answer": "", "answer-text": "Yes."}, follow=True))
    assert f"Claim {case} first." in told
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
    assert f"{case} is decided: nothing more can be done in it." in words(again)


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
    assert f"{case}: Dispute of a game Decided on {day} The score sheet shows <b>a draw</b>." in words(page)
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
    assert "Everybody can read this. Name nobody: take out" in words(refused)
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
    wrong = f"Change set {change_set.pk} isn't in the register. Is it applied?"
    assert wrong in words(close(officer, case, change_set=change_set.pk))
    assert "isn't in the register" in words(close(officer, case, change_set="9" * 18))
    ChangeSet.objects.filter(pk=change_set.pk).update(state="applied", applied_at=now())
    undo(change_set)
    told = words(close(officer, case, change_set=change_set.pk))
    assert f"Change set {change_set.pk} was taken back." in told
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
    assert f"{change_set.for_staff} , " in words(shown)
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
    assert (
        form["decision"].value().startswith("Thank you for writing. We have looked at it and found no error")
    )
    LoginSettings.objects.update_or_create(user=case.opener.user, defaults={"language": "pl"})
    form = officer.get(f"{admin_page(case, 'decide')}?answer=stands").context["form"]
    assert form["decision"].value().startswith("Dziękujemy za wiadomość.")
    assert officer.get(f"{admin_page(case, 'decide')}?answer=x").context["form"]["decision"].value() == ""
