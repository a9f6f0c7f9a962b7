"""How games ended, as they are stored: what the upgrade makes of older words, and what staff see."""

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

import ratings.migrations
from ratings.models import Game
from ratings.rules.rbb.terminations import Termination
from tests.arena import game, projections, rated
from tests.backoffice import admin_page, game_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def migration():
    """The one that names terminations."""
    (path,) = Path(ratings.migrations.__file__).parent.glob("*_terminations.py")
    return import_module(f"ratings.migrations.{path.stem}")


OLDER = {
    ("time forfeit", "1-0", None): "time",
    ("Walk-over", "1-0", None): "forfeit",
    ("noStart", "1-0", 40): "no-show",
    ("abandoned", "0-1", 40): "disconnection white",
    ("disconnection", "1-0", None): "disconnection black",
    ("disconnection", "1/2-1/2", None): "unknown",
    ("goodbye", "0-1", None): "unknown",
}


def test_the_upgrade_names_terminations_and_moves_no_rating(migration):
    anna, bob = rated(1800), rated(1700)
    same = game(anna, bob, minute=5, termination="checkmate")
    games = {
        older: game(anna, bob, older[1], minute=10 * n, plies=older[2]) for n, older in enumerate(OLDER, 1)
    }
    with connection.cursor() as cursor:
        for (word, *_), one in games.items():
            cursor.execute("UPDATE ratings_game SET termination = %s WHERE id = %s", [word, one.pk])
    before = projections()
    migration.name_terminations(apps, connection.schema_editor())
    for older, one in games.items():
        one.refresh_from_db()
        assert (one.termination, one.termination_word) == (OLDER[older], older[0])
        assert one.rated
    same.refresh_from_db()
    assert (same.termination, same.termination_word) == ("checkmate", "")
    assert projections() == before
    migration.give_words_back(apps, connection.schema_editor())
    words = Game.objects.exclude(pk=same.pk).order_by("pk").values_list("termination", flat=True)
    assert list(words) == [word for word, *_ in OLDER]


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
