"""Addresses of games on other sites: which of them are one game's."""

import pytest

from ratings.formats.game_address import address_key


@pytest.mark.parametrize(
    "address",
    [
        "https://lichess.org/AbCdEfGh",
        "https://lichess.org/AbCdEfGh/black",
        "https://lichess.org/AbCdEfGh/white#12",
        "http://lichess.org/AbCdEfGh",
        "https://www.lichess.org/AbCdEfGh",
        "https://de.lichess.org/AbCdEfGh",
        "HTTPS://LICHESS.ORG/AbCdEfGh",
        "https://lichess.org/AbCdEfGh?theme=blue",
        "https://lichess.org/AbCdEfGh#34",
        "https://lichess.org/AbCdEfGh/",
        "https://lichess.org/AbCdEfGhIjKl",
        "https://lichess.org/game/export/AbCdEfGh",
        "https://lichess.org:443/AbCdEfGh",
    ],
)
def test_all_addresses_of_a_game_of_lichess_are_one(address):
    assert address_key(address) == "lichess.org/AbCdEfGh"


@pytest.mark.parametrize(
    "address",
    [
        "https://www.chess.com/game/live/123456789",
        "https://www.chess.com/live/game/123456789",
        "https://www.chess.com/de/game/live/123456789",
        "https://www.chess.com/analysis/game/live/123456789/analysis",
        "https://www.chess.com/game/live/123456789?username=anna",
    ],
)
def test_all_addresses_of_a_game_of_chess_com_are_one(address):
    assert address_key(address) == "chess.com/game/live/123456789"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://lichess.org/AbCdEfGh", "https://lichess.org/abcdefgh"),
        ("https://www.chess.com/game/live/1", "https://www.chess.com/game/daily/1"),
        ("https://arena.example/game?id=1", "https://arena.example/game?id=2"),
        ("https://arena.example/live#g=1", "https://arena.example/live#g=2"),
        ("https://arena.example/1", "https://other.example/1"),
        # A game of another site may have a longer id that begins alike.
        ("https://arena.example/AbCdEfGh", "https://arena.example/AbCdEfGhIjKl"),
        ("https://arena.example:8443/1", "https://arena.example/1"),
        # The arena of a country isn't a translation.
        ("https://us.arena.example/1", "https://arena.example/1"),
    ],
)
def test_other_games_have_other_keys(one, other):
    assert address_key(one) != address_key(other)


@pytest.mark.parametrize(
    "address",
    ["https://arena.example/game?id=7&theme=blue#12", "http://www.arena.example/game/?theme=green&ID=7"],
)
def test_of_parameters_only_those_count_that_name_a_game(address):
    assert address_key(address) == "arena.example/game?id=7"


@pytest.mark.parametrize(
    "text",
    ["", "4711", "arena/4711", "pgn:0123", "https://", "https://lichess.org", "https://lichess.org/", "ftp://a.b/1",
     "https://[::1", "https://arena.example:port/1"],
)  # fmt: skip
def test_what_names_no_game_has_no_key(text):
    assert address_key(text) == ""
