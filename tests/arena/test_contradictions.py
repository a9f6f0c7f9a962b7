"""A game that contradicts itself: refused for its fields, and said of its PGN."""

import pytest

from members.models import Member
from ratings.rbb.models import Game

pytestmark = pytest.mark.django_db

MOVES = "1. e4 e5 2. Nf3 Nc6 1-0"


@pytest.fixture
def ended(players):
    return {
        "white": players[0].username,
        "black": players[1].username,
        "time_control": "180+2",
        "started_at": "2026-03-20T10:00:00Z",
        "ended_at": "2026-03-20T10:04:00Z",
        "result": "1-0",
        "termination": "resignation",
        "plies": 4,
    }


def pgn(white, black, *, result="1-0", moves=MOVES):
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{moves}\n'


def test_an_id_in_the_body_is_that_of_the_address(api, ended):
    told = "id is “2”, but the address says “1”. Leave id out, or send the one in the address."
    answer = api.ask("PUT", "games/1", {**ended, "id": "2"}, status=422)
    assert (answer["detail"], answer["errors"][0]["field"]) == (told, "id")
    assert not Game.objects.exists()
    for same in ("1", None):
        api.ask("PUT", "games/1", {**ended, "id": same}, status=201 if same else 200)
    assert Game.objects.get().external_id == "arena/1"


@pytest.mark.parametrize("wrong", [2, True, ["1"], {"id": "1"}])
def test_an_id_that_is_not_a_text_is_another_one(api, ended, wrong):
    assert api.ask("PUT", "games/1", {**ended, "id": wrong}, status=422)["errors"][0]["field"] == "id"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"white": "Carlsen, Magnus"}, "the PGN names “Carlsen, Magnus” as White"),
        (
            {"result": "0-1", "moves": "1. e4 e5 2. Nf3 Nc6 0-1"},
            "the PGN says “0-1”, but the result is “1-0”",
        ),
        ({"moves": "1. e4 e5 1-0"}, "the PGN has 2 half-moves, but 4 plies were entered"),
    ],
)
def test_a_pgn_that_says_something_else_is_stored_with_a_warning(api, ended, changes, told):
    text = pgn(**{"white": ended["white"], "black": ended["black"], **changes})
    game = {**ended, "pgn": text}
    answer = api.ask("PUT", "games/1", game, status=201)
    assert (answer["rated"], answer["warnings"]) == (True, [told])
    assert api.ask("PUT", "games/1", game)["warnings"] == [told]
    assert api.ask("GET", "games/1")["warnings"] == [told]
    first, again = api.send_lines(
        {"id": "2", **game, "started_at": "2026-03-20T09:00:00Z", "ended_at": "2026-03-20T09:04:00Z"},
        {"id": "1", **game},
    )
    assert (first["verdict"], first["warning"]) == ("stored", told)
    assert (again["verdict"], again["warning"]) == ("already there", told)


def test_illegal_moves_are_said(api, ended):
    game = {**ended, "pgn": "1. e4 e5 2. Ke3 1-0", "plies": 3}
    (told,) = api.ask("PUT", "games/1", game, status=201)["warnings"]
    assert "Ke3" in told
    assert api.send_lines({"id": "1", **game})[0]["warning"] == told


def test_a_pgn_may_have_the_players_names_and_earlier_usernames(api, ended):
    white = Member.objects.get(username=ended["white"])
    white.name, white.username = "Dahl, Erik", "erik"
    white.save()
    for number, called in enumerate((ended["white"], "ERIK", "Dahl, Erik")):
        day = f"2026-03-1{number}"
        game = {
            **ended,
            "white": "erik",
            "pgn": pgn(called, ended["black"]),
            "started_at": f"{day}T10:00:00Z",
            "ended_at": f"{day}T10:04:00Z",
        }
        assert api.ask("PUT", f"games/{number}", game, status=201)["warnings"] == []
        assert "warning" not in api.send_lines({"id": str(number), **game})[0]


def test_moves_of_a_game_in_progress_may_be_older_than_their_number(api, ended):
    begun = {name: ended[name] for name in ("white", "black", "time_control", "started_at", "plies")}
    begun["pgn"] = "1. e4 *"
    assert api.ask("PUT", "games/1", begun, status=201)["warnings"] == []
    assert "warning" not in api.send_lines({"id": "1", **begun})[0]
    # The moves are still there when it has ended without others.
    assert api.ask("PUT", "games/1", ended)["warnings"] == [
        "the PGN says “*”, but the result is “1-0”",
        "the PGN has 1 half-move, but 4 plies were entered",
    ]


def test_moves_of_a_variant_are_not_played_through(api, ended):
    game = {**ended, "variant": "chess960", "pgn": "1. Ke3 1-0"}
    assert api.ask("PUT", "games/1", game, status=201)["warnings"] == []
