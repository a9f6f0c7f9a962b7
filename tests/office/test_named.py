"""Change sets have a number and a subject, by which staff find them; the register accuses nobody."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from members.models import Member
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.backoffice import admin_page
from tests.decisions import decide, look, page_of
from tests.pages import words

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)


def a_game():
    """Kaminski and Toth, on 1 March."""
    played = game(rated(1800), rated(1700))
    for who, name in ((played.white, "Kaminski"), (played.black, "Toth")):
        who.name = name
        who.save()
    return played


@pytest.fixture(scope="class")
def played(standing):
    return standing(a_game)


def corrected(staff, played, **reasons):
    asked = {**parameters_of(played, GAME_FIELDS), "game": [str(played.pk)], "result": ["0-1"]}
    assert decide(staff, page_of("correct-game"), asked, **reasons).status_code == 302
    return ChangeSet.objects.latest("pk")


def voided(staff, played, **reasons):
    decide(staff, page_of("void-games"), {"game": [str(played.pk)]}, **reasons)
    return ChangeSet.objects.latest("pk")


def test_a_change_set_says_its_number_and_what_it_is_about(staff, played):
    one = corrected(staff, played)
    about = f"Kaminski – Toth, 1 Mar 2026, game {played.pk}"
    name, done = f"#{one.pk} Correct a game: {about}", f"#{one.pk} Game corrected: {about}"
    assert (one.for_staff, str(one)) == (name, done)
    for address in ("/register/", one.get_absolute_url(), "/"):
        assert done in words(Client().get(address))
    for address in (admin_page(ChangeSet), admin_page(one), reverse("admin:office_journal_changelist")):
        assert name in words(staff.get(address))
    # It stays what it was called, whatever becomes of the game.
    Member.objects.filter(pk=played.white_id).update(name="Berg")
    assert ChangeSet.objects.get().for_staff == name


def test_the_register_names_nobody_where_the_reason_is_fair_play(staff, played):
    one = corrected(staff, played, public_reason="fair-play")
    assert (str(one), "Kaminski" in one.for_staff) == (f"#{one.pk} Game corrected", True)
    back = decide(staff, page_of("correct-game"), {"undoes": str(one.pk)}, public_reason="error")
    assert back.status_code == 302
    undone = ChangeSet.objects.latest("pk")
    assert (undone.undoes, str(undone)) == (one, f"#{undone.pk} Game corrected")
    assert "Kaminski" not in words(Client().get("/register/"))


@pytest.mark.parametrize("number", ["0", "x", "9" * 19, "9" * 5000])
def test_a_number_that_no_change_set_has_can_not_be_taken_back(staff, played, number):
    assert staff.get(page_of("correct-game"), {"undoes": number}).status_code == 404


@pytest.mark.parametrize(("number", "status"), [("0", 404), ("x", 400), ("9" * 5000, 400)])
def test_a_number_that_no_preview_has_shows_none(staff, played, number, status):
    assert staff.get(page_of("correct-game"), {"rehearsal": number}).status_code == status


def test_void_games_are_counted_for_everybody_and_named_for_staff(staff, played):
    one = voided(staff, played)
    assert str(one) == f"#{one.pk}: 1 game voided"
    assert one.for_staff == f"#{one.pk} Void games: Kaminski – Toth, 1 Mar 2026, game {played.pk}"


def test_of_many_games_the_first_three_are_named(staff, played):
    games = [played, *(game(played.white, played.black, minute=minute) for minute in (20, 30, 40, 50))]
    decide(staff, page_of("void-games"), {"game": [str(one.pk) for one in games]})
    subject = ChangeSet.objects.get().subject
    assert (subject.count("Kaminski"), subject.endswith(f"game {games[2].pk} (+2)")) == (3, True)


def test_change_sets_are_found_by_number_member_and_game(staff, played):
    one = voided(staff, played)
    other = ChangeSet.objects.create(kind="void-games", state="withdrawn", proposed_at=APRIL)
    for text in (str(one.pk), f"#{one.pk}", "kaminski", f"game {played.pk}", "Toth void", "seen by"):
        found = staff.get(admin_page(ChangeSet), {"q": text}).context["cl"].queryset
        assert one in found or text == "Toth void", text
        assert other not in found
    assert list(staff.get(admin_page(ChangeSet), {"q": "9" * 30}).context["cl"].queryset) == []


def test_one_from_before_subjects_were_stored_is_called_by_its_kind(played):
    old = ChangeSet.objects.create(
        kind="correct-game", parameters={"game": [str(played.pk)]}, state="withdrawn", proposed_at=APRIL
    )
    assert (old.for_staff, str(old)) == (f"#{old.pk} Correct a game", f"#{old.pk} Game corrected")


def test_the_page_of_an_applied_one_offers_the_revision_of_lists_that_need_one(staff, played, worker):
    game(played.white, played.black, minute=30)
    published = publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=1))[0]
    one = voided(staff, played)
    page = staff.get(admin_page(one))
    assert f"These published lists now need a revision: {published}." in words(page)
    address = f"{page_of('revise-lists')}?list={published.pk}"
    assert f'href="{address}"' in page.text
    looked = look(staff, address)
    assert looked.context["effect"] is not None, (looked.context["faults"], looked.context["form"].errors)
    assert looked.context["effect"].lists
    publish(category=Category.BLITZ, month=APRIL, at=datetime.now(UTC), revise=True)
    assert "now need a revision" not in words(staff.get(admin_page(one)))


def test_erasing_takes_a_member_out_of_the_subjects(staff, played):
    one = voided(staff, played)
    decide(staff, page_of("erase-member"), {"member": played.white_id}, public_reason="")
    one.refresh_from_db()
    assert "Kaminski" not in one.subject
    assert "Toth" in one.subject
