"""How games ended: what staff see and choose."""

from html import unescape

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import connection

from ratings.office.models import ChangeSet
from ratings.rbb.ledger.corrections import rate_games, unrate_games, void_games
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.rules.rbb.terminations import Termination
from tests.arena import at, game, projections, rated
from tests.backoffice import admin_page, game_form
from tests.decisions import confirmed_on

pytestmark = pytest.mark.django_db


def test_staff_choose_how_a_game_ended_from_the_words_of_the_office(staff):
    form = game_form(rated(1800), rated(1700), termination="goodbye")
    refused = staff.post(f"{admin_page(Game)}add/", form)
    assert "Select a valid choice. goodbye is not one of the available choices." in refused.text
    assert not Game.objects.exists()
    assert (
        staff.post(f"{admin_page(Game)}add/", {**form, "termination": "disconnection black"}).status_code
        == 302
    )
    assert Game.objects.get().termination == Termination.BLACK_GONE


def test_staff_finish_a_game_that_was_in_progress(staff):
    """Issue 15, row 12: by the form as by a file."""
    form = game_form(rated(1800), rated(1700))
    waiting = {**form, "result": "", "ended_at_0": "", "ended_at_1": ""}
    assert staff.post(f"{admin_page(Game)}add/", waiting).status_code == 302
    assert (
        staff.post(admin_page(Game.objects.get()), {**form, "termination": "resignation"}).status_code == 302
    )
    assert Game.objects.get().counts


def test_the_admin_shows_the_word_of_the_file(staff):
    played = game(rated(1800), rated(1700), rated=False, termination="unknown", termination_word="goodbye")
    assert "goodbye" in staff.get(admin_page(played)).text


MATE = "1. f3 e5 2. g4 Qh4#"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"termination": "stalemate"}, "“stalemate” means a draw, but the result is 1-0 (FIDE Laws 5.2.1)."),
        (
            {"pgn": MATE},
            "The moves end with checkmate, so the result must be 0-1, not 1-0 (FIDE Laws 5.1.1).",
        ),
    ],
)
def test_staff_cannot_enter_an_end_that_the_result_contradicts(staff, fields, told):
    refused = staff.post(f"{admin_page(Game)}add/", game_form(rated(1800), rated(1700), **fields))
    assert refused.status_code == 200
    assert unescape(refused.text).count(told) == 1
    assert not Game.objects.exists()


def stored_before():
    """A game of before the Laws of Chess were asked: drawn by checkmate."""
    played = game(rated(1800), rated(1700), termination="checkmate")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ratings_game SET result = '1/2-1/2' WHERE id = %s", [played.pk])
    played.refresh_from_db()
    return played


def test_a_game_of_before_can_be_taken_out_of_the_ratings_and_doesnt_come_back(django_user_model):
    played = stored_before()
    who = django_user_model.objects.create(username="office")
    played.external_id = "known now"
    played.save()
    unrate_games(games={played: NOT_FULL[0]}, by=who, reason="membership")
    played.refresh_from_db()
    assert not played.rated
    with pytest.raises(ValidationError, match=r"means that a player won.* \(FIDE Laws 5\.1\.1\)"):
        rate_games(games=[played], by=who, reason="membership")
    void_games(games=[played], by=who, reason="error", at=at(1000))
    with pytest.raises(ValidationError, match="Correct the result, or how the game ended"):
        Game.objects.create(
            white=played.white,
            black=played.black,
            time_control=played.time_control,
            result="0-1",
            termination="agreement",
            started_at=at(0),
            ended_at=at(3),
        )


def test_staff_end_games_without_a_result_and_what_has_ended_stays(staff):
    anna, bob = rated(1800), rated(1700)
    forgotten = game(anna, bob, "", ended_at=None, termination_word="started")
    casual = game(anna, bob, "", ended_at=None, rated=False, unrated_reason="casual game")
    ended = game(anna, bob)
    before = projections()
    chosen = [one.pk for one in (forgotten, casual, ended)]
    looked = staff.post(admin_page(Game), {"action": "end", "_selected_action": chosen}, follow=True)
    assert "End 2 games" in looked.text
    assert "Already ended (skipped):" in looked.text
    assert Game.objects.in_progress().count() == 2
    confirmed_on(staff, looked, staff_note="its server is gone")
    for one in (forgotten, casual, ended):
        one.refresh_from_db()
    assert (forgotten.termination, forgotten.termination_word, forgotten.result) == ("aborted", "", "")
    assert forgotten.unrated_reason.startswith("not played: “aborted” (FIDE B.02 5.1")
    assert (forgotten.rated, forgotten.ended_unplayed, casual.unrated_reason) == (False, True, "casual game")
    assert forgotten.history.latest().history_change_reason == "its server is gone"
    assert (ended.result, ended.rated) == ("1-0", True)
    assert projections() == before
    assert not Game.objects.in_progress().exists()
    decided = staff.get(admin_page(ChangeSet.objects.get()))
    assert "its server is gone" in decided.text
    assert "View on site" not in decided.text


def test_who_may_only_look_ends_no_game(client, django_user_model):
    viewer = django_user_model.objects.create_user("viewer", password="x", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_game"))
    client.force_login(viewer)
    forgotten = game(rated(1800), rated(1700), "", ended_at=None)
    client.post(admin_page(Game), {"action": "end", "_selected_action": [forgotten.pk]}, follow=True)
    assert Game.objects.in_progress().get() == forgotten
