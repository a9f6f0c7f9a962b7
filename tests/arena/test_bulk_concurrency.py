"""Requests with many games beside each other, and beside single games."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from ratings.arena.services.bulk import store_games
from ratings.formats.games import GameRow
from ratings.rbb.ledger.game_import import Intake
from ratings.rbb.models import Game
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category, Control
from tests.arena import CONTROL, at, control, rated
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.rbb.test_concurrency import at_once, in_thread, saves, sound

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("shared_database"),
]

NOW = at(60 * 24 * 30)


def row(number, white, black, *, minute=None, **values):
    """A game of these two, half an hour after the one of the number before."""
    ended_at = at(30 * number if minute is None else minute)
    return GameRow(
        **{
            "line": number,
            "external_id": f"arena/g{number}",
            "white": white.username,
            "black": black.username,
            "control": Control.parse(CONTROL[Category.BLITZ]),
            "rated": True,
            "result": "1-0",
            "termination": Termination.NORMAL,
            "started_at": ended_at - timedelta(minutes=5),
            "ended_at": ended_at,
            **values,
        }
    )


def test_the_same_games_sent_twice_at_once_are_stored_once(server):
    anna, bert = rated(1600), rated(1700)
    rows = [row(number, anna, bert) for number in range(1, 31)]
    one, other = at_once(
        lambda: store_games(server, rows, at=NOW), lambda: store_games(server, rows[::-1], at=NOW)
    )
    for line in range(1, 31):
        assert {one[line].what, other[line].what} == {"stored", "already there"}
    assert sound(30)


def test_many_games_beside_single_ones_of_the_same_players_equal_a_rebuild(server):
    anna, bert, carl = rated(1600), rated(1700), rated(1800)
    control(CONTROL[Category.BLITZ])
    batches = [
        [row(number, anna, bert) for number in range(1, 16)],
        [row(number, bert, carl) for number in range(16, 31)],
    ]
    at_once(
        *(lambda rows=rows: store_games(server, rows, at=NOW) for rows in batches),
        saves(anna, carl, range(7, 900, 90)),
        saves(carl, bert, range(11, 900, 90)),
    )
    assert sound(50)


def test_games_that_end_while_others_of_them_are_sent_again_are_finished_once(server):
    anna, bert = rated(1600), rated(1700)
    finished = [row(number, anna, bert) for number in range(1, 11)]
    store_games(
        server, [row(number, anna, bert, result="", ended_at=None) for number in range(1, 11)], at=NOW
    )
    one, other = at_once(
        lambda: store_games(server, finished, at=NOW), lambda: store_games(server, finished, at=NOW)
    )
    for line in range(1, 11):
        assert {one[line].what, other[line].what} == {"finished", "already there"}
    assert sound(10)


def test_a_game_that_is_put_while_it_is_taken_in_is_already_there(server, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    anna, bert = rated(1600), rated(1700)
    stored = control(CONTROL[Category.BLITZ])
    looked_up = Intake._stored

    def put():
        Game.objects.create(
            external_id="arena/g1",
            white=anna,
            black=bert,
            time_control=stored,
            started_at=at(25),
            ended_at=at(30),
            result="1-0",
        )

    def meanwhile(self, external_ids):
        monkeypatch.setattr(Intake, "_stored", looked_up)
        found = looked_up(self, external_ids)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(in_thread, put).result()
        return found

    monkeypatch.setattr(Intake, "_stored", meanwhile)
    verdicts = store_games(server, [row(1, anna, bert), row(2, anna, bert)], at=NOW)
    assert {line: one.what for line, one in verdicts.items()} == {1: "already there", 2: "stored"}
    assert sound(2)
