"""What moves ratings behind the newest ones is decided, or stands in the register with where it came from."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ratings.office.models import ChangeSet, OutboxEntry
from ratings.office.outbox import number_entries
from ratings.rbb.ledger.feed import Cursor, changes_after
from ratings.rbb.ledger.replay import NotNewestError, newest_alone, replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, RatingChange, RecalculatedLine, Recalculation
from ratings.rbb.models.games import ImportBatch
from ratings.rules.time_controls import Category
from tests.arena import at, game, projections, rated
from tests.backoffice import admin_page, game_form
from tests.commands import csv_file, game_row, run
from tests.decisions import confirmed_on, undo
from tests.pages import told, words

pytestmark = pytest.mark.django_db

ADD = f"{admin_page(Game)}add/"
APRIL = datetime(2026, 4, 1, tzinfo=UTC)


def hours(*, minute):
    """The fields of a game in the form that ended at this minute of the first hour."""
    return {"started_at_1": f"00:{minute - 5:02}:00", "ended_at_1": f"00:{minute:02}:00"}


def two_games():
    """Anna and Bob at 00:10, Bob and Carl at 00:20."""
    anna, bob, carl = rated(1800), rated(1700), rated(1600)
    game(anna, bob, minute=10)
    game(bob, carl, minute=20)
    ChangeSet.objects.all().delete()
    return anna, bob, carl


@pytest.fixture(scope="class")
def players(standing):
    return standing(two_games)


def test_the_newest_game_of_both_players_is_stored_at_once(players, staff):
    anna, bob, _carl = players
    with CaptureQueriesContext(connection) as asked:
        entered = staff.post(ADD, game_form(anna, bob, **hours(minute=30)))
    assert entered.status_code == 302
    # By the same path as a game from a server: nothing but the newest lines and ratings is looked at.
    assert len(asked) <= 36
    assert OutboxEntry.objects.latest("pk").data == {"cause": "game"}
    assert Game.objects.count() == 3
    assert not ChangeSet.objects.exists()
    assert told(entered)[0].startswith("2 ratings changed:")


def test_a_game_entered_before_a_later_one_of_a_player_is_a_decision_that_keeps_what_was_typed(
    players, staff
):
    anna, _bob, carl = players
    before = projections()
    form = game_form(carl, anna, result="1/2-1/2", termination="agreement", plies="40", **hours(minute=15))
    shown = staff.post(ADD, {**form, "external_id": "hall 4"})
    # Carl has played at 00:20.
    assert (shown.status_code, Game.objects.count(), projections()) == (200, 2, before)
    assert "Enter a game" in words(shown)
    # A field that stays empty isn't a change.
    assert all(one.after for one in shown.context["effect"].inputs)
    assert "10 changes · 3 ratings" in words(shown)
    assert confirmed_on(staff, shown).status_code == 302
    entered = Game.objects.latest("pk")
    assert (entered.white, entered.black, entered.result, entered.plies) == (carl, anna, "1/2-1/2", 40)
    assert (entered.termination, entered.external_id, entered.ended_at) == ("agreement", "hall 4", at(15))
    change_set = ChangeSet.objects.get()
    assert (change_set.kind, change_set.moved, change_set.public_reason) == ("enter-game", 3, "error")
    undone = undo(change_set)
    assert (undone.kind, undone.undoes) == ("delete-games", change_set)
    assert (Game.objects.count(), projections()) == (2, before)


def test_a_game_behind_a_published_list_is_a_decision_also_as_the_newest_of_both(players, staff):
    publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=1))
    anna, bob, _carl = players
    shown = staff.post(ADD, game_form(anna, bob, **hours(minute=30)))
    assert (shown.status_code, Game.objects.count()) == (200, 2)
    assert "April 2026" in words(shown)
    confirmed_on(staff, shown)
    assert (Game.objects.count(), ChangeSet.objects.get().kind) == (3, "enter-game")


def test_a_second_person_confirms_an_old_game_where_the_settings_ask_for_one(players, staff, settings):
    settings.SECOND_PERSON_KINDS = ["enter-game"]
    anna, bob, _carl = players
    confirmed_on(staff, staff.post(ADD, game_form(anna, bob, **hours(minute=5))))
    assert (Game.objects.count(), ChangeSet.objects.get().state) == (2, "proposed")


@pytest.mark.parametrize("fields", [{"rated": ""}, {"result": "", "ended_at_0": "", "ended_at_1": ""}])
def test_an_old_game_without_effect_on_ratings_is_stored_at_once(players, staff, fields):
    anna, bob, _carl = players
    form = {**game_form(anna, bob, **hours(minute=5)), **fields}
    assert staff.post(ADD, {name: value for name, value in form.items() if value != ""}).status_code == 302
    assert (Game.objects.count(), ChangeSet.objects.count()) == (3, 0)


@pytest.mark.parametrize("begun", [{"result": "", "ended_at": None}, {"rated": False}])
def test_an_old_end_and_rating_an_old_game_are_decisions_too(players, staff, begun):
    anna, bob, _carl = players
    stored = game(anna, bob, minute=5, **begun)
    before = projections()
    form = game_form(anna, bob, **hours(minute=5))
    shown = staff.post(admin_page(stored), form)
    assert (shown.status_code, projections()) == (200, before)
    assert "Correct a game" in words(shown)
    confirmed_on(staff, shown)
    assert RatingChange.objects.filter(game=stored).count() == 2
    assert ChangeSet.objects.get().kind == "correct-game"


def test_a_game_that_ends_while_somebody_deletes_it_is_deleted_by_a_decision(players, staff):
    anna, bob, _carl = players
    begun = game(anna, bob, minute=30, result="", ended_at=None)

    def ends(*args):
        game_now = Game.objects.get(pk=begun.pk)
        game_now.result, game_now.ended_at = "1-0", at(30)
        game_now.save()

    with patch("ratings.rbb.admin.games.GameAdmin.log_deletions", side_effect=ends):
        shown = staff.post(admin_page(begun, "delete"), {"post": "yes"})
    assert Game.objects.filter(pk=begun.pk).exists()
    assert "Delete games" in words(shown)


def test_what_is_newest_is_known_when_everything_is_locked(players):
    anna, bob, carl = players
    before = projections()
    with pytest.raises(NotNewestError), newest_alone():
        game(carl, anna, minute=15)
    assert (projections(), Game.objects.count()) == (before, 2)
    with newest_alone():
        game(anna, bob, minute=30)
    assert Game.objects.count() == 3


def entry():
    """The only entry of the register."""
    return ChangeSet.objects.get()


def test_a_late_game_of_a_server_is_an_entry_of_the_register_that_nobody_decided(players):
    anna, _bob, carl = players
    with patch("django.utils.timezone.now", return_value=at(15) + timedelta(days=2, hours=1)):
        late = game(carl, anna, minute=15, external_id="arena/4711")
    one = entry()
    assert (one.kind, one.state, one.needs_second, one.undo, one.moved) == (
        "late-facts",
        "applied",
        False,
        None,
        3,
    )
    assert (one.proposed_by, one.proposed_as, one.fingerprint != "") == (None, "", True)
    (told,) = one.outcome
    assert (told["text"], told["links"]) == ("", [[f"game {late.pk}", admin_page(late)]])
    public = Client().get("/register/")
    assert "1 game of server arena, up to 3 days late" in words(public)
    page = Client().get(one.get_absolute_url())
    assert "3 ratings changed" in words(page)
    (told_of,) = json.loads(Client().get("/register/?format=json").getvalue())["decisions"]
    assert (told_of["kind"], told_of["moved"]) == ("late-facts", 3)
    # Bob's and Carl's lines at 00:20 are others since; each leads to the entry.
    changed = RecalculatedLine.objects.filter(recalculation__change_set=one)
    assert sorted(changed.values_list("member", "gone")) == sorted([(_bob.pk, False), (carl.pk, False)])
    line = RatingChange.objects.get(member=carl, occurred_at=at(20))
    causes = {
        told_line.line: (told_line.told.cause, told_line.told.change_set)
        for told_line in changes_after(Cursor(), until=number_entries())
    }
    assert causes[line.pk] == ("game", one.pk)
    assert one.get_absolute_url() in Client().get(line.get_absolute_url()).text


def test_a_result_that_is_expected_still_is_no_entry(players):
    anna, _bob, carl = players
    with patch("django.utils.timezone.now", return_value=at(15) + timedelta(hours=1)):
        game(carl, anna, minute=15)
    assert (ChangeSet.objects.count(), Recalculation.objects.latest("pk").change_set) == (0, None)


def test_the_newest_game_is_no_entry_however_late_it_comes(players):
    game(*players[:2], minute=30)
    assert not ChangeSet.objects.exists()


def test_the_newest_game_behind_a_published_list_is_one_within_the_hour(players):
    with patch("django.utils.timezone.now", return_value=APRIL + timedelta(minutes=9)):
        publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(minutes=5))
        ended = APRIL - timedelta(minutes=10)
        game(*players[:2], started_at=ended, ended_at=ended, external_id="arena/9")
    one = entry()
    assert str(one).endswith("1 game of server arena, up to 1 hour late")
    assert [section for section, *_fact in one.shown["facts"]] == ["lists"]


def test_a_file_is_one_entry_with_its_name_and_its_oldest_game(players, tmp_path):
    names = [one.username for one in players]
    rows = [
        game_row(1, names[2], names[0], minute=15),
        game_row(2, names[0], names[1], minute=16),
        game_row(3, names[0], names[1], minute=300),
    ]
    run("import_games", csv_file(tmp_path / "games.csv", rows))
    one = entry()
    assert str(one).endswith("File games.csv: 3 games, the oldest from 1 Mar 2026")
    batch = ImportBatch.objects.get()
    (told,) = one.outcome
    assert (told["text"], told["links"]) == ("", [["games.csv", admin_page(batch)]])
    assert Recalculation.objects.latest("pk").change_set == one


def test_a_rebuild_that_finds_other_lines_is_an_entry(players):
    RatingChange.objects.filter(member=players[0]).update(after=Decimal("1.00"))
    replay()
    assert str(entry()).endswith("Ratings rebuilt from the games")
    replay()
    entry()


def test_nobody_decides_late_facts(staff):
    assert staff.get("/admin/office/changeset/decide/late-facts/").status_code == 404
    assert staff.get("/admin/office/changeset/decide/nothing/").status_code == 404


def test_looking_back_counts_and_links_the_entries_of_the_register(players):
    anna, _bob, carl = players
    address = f"/ratings/blitz/?as_of={at(25).isoformat().replace('+00:00', 'Z')}"
    Recalculation.objects.all().delete()
    assert "may have differed" not in words(Client().get(address))
    game(carl, anna, minute=15, external_id="arena/4711")
    one = entry()
    page = Client().get(address)
    assert "Ratings shown earlier for this date may have differed (1 correction)." in words(page)
    assert f'href="{one.get_absolute_url()}"' in page.text
