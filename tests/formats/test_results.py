"""One vocabulary of results for every import: games, league, and the codes of tournament reports."""

import io

import pytest

from ratings.formats.games import GameRow
from ratings.formats.games_json import read_game_json
from ratings.formats.league import BoardRow, read_rounds
from ratings.formats.results import FORFEITS, board_result_of, result_of
from ratings.formats.trf.tournament import Result
from ratings.rules.bal.cycles import BoardResult
from ratings.rules.rbb.terminations import Termination
from tests.formats.league_text import rounds_csv
from tests.formats.pgn_text import games, pgn

WRITTEN = {
    "1-0": ("1-0", "1:0", "1 - 0", "1–0", "1‑0", "1‐0"),
    "0-1": ("0-1", "0:1", " 0-1 ", "0−1"),
    "1/2-1/2": (
        "1/2-1/2",
        "½-½",
        "½ - ½",
        "0.5-0.5",
        "0,5:0,5",
        "1/2",
        "½",
        "½–½",
        "1⁄2-1⁄2",
        "1/2 - 1/2",
        "=-=",
        "=:=",
    ),
    "+/-": ("+/-", "+--", "+:-", "+-", "+ / -", "'+/-"),
    "-/+": ("-/+", "--+", "-:+", "-+"),
    "": ("", "*"),
}


@pytest.mark.parametrize(
    ("result", "text"), [(result, text) for result in WRITTEN for text in WRITTEN[result]]
)
def test_every_way_to_write_a_result(result: str, text: str) -> None:
    assert result_of(text) == result


@pytest.mark.parametrize(
    "text", ["1-1", "0-0", "-/-", "1-½", "½-1", "2-0", "10", "win", "1-0F", "1e0-0", "0.50-0.5"]
)
def test_what_is_no_result_of_one_game_is_none(text: str) -> None:
    assert result_of(text) is None


@pytest.mark.parametrize("text", ["-/-", "- / -", "−/−", "--", "-:-", "0-0", "0:0", "0 – 0"])
def test_both_sides_can_lose_a_board_of_a_match(text: str) -> None:
    assert board_result_of(text) == "-/-"


def test_the_codes_of_a_tournament_report_are_the_same_words() -> None:
    pairs = (
        (Result.WIN, Result.LOSS, "1-0"),
        (Result.LOSS, Result.WIN, "0-1"),
        (Result.DRAW, Result.DRAW, "1/2-1/2"),
        (Result.FORFEIT_WIN, Result.FORFEIT_LOSS, "+/-"),
        (Result.FORFEIT_LOSS, Result.FORFEIT_WIN, "-/+"),
    )
    for white, black, result in pairs:
        assert result_of(f"{white}-{black}") == result


@pytest.mark.parametrize("result", BoardResult)
def test_a_board_of_the_league_takes_all_of_them(result: BoardResult) -> None:
    for text in WRITTEN.get(result, ["-/-"]):
        (row,) = read_rounds(io.BytesIO(rounds_csv(f'1,North,South,1,Adams,Baker,"{text}"')))
        assert isinstance(row, BoardRow), row
        assert row.result is result


@pytest.mark.parametrize(
    ("result", "text"),
    [(result, text) for result in ("1-0", "0-1", "1/2-1/2") for text in WRITTEN[result] if text != "=:="],
)
def test_a_pgn_game_ends_with_all_of_them(result: str, text: str) -> None:
    (row,) = games(pgn(f"1. e4 e5 2. Nf3 Nc6 {text}", Result=text))
    assert isinstance(row, GameRow), row
    assert (row.result, row.plies) == (result, 4)


@pytest.mark.parametrize(("result", "points"), [("+/-", "1-0"), ("-/+", "0-1")])
def test_a_forfeit_in_pgn_is_unrated_with_its_point(result: str, points: str) -> None:
    for text in WRITTEN[result]:
        for end in (text, points):
            (row,) = games(pgn(end, Result=text, Termination=None))
            assert isinstance(row, GameRow), row
            assert (row.result, row.termination, row.rated) == (points, Termination.FORFEIT, False)


@pytest.mark.parametrize("result", WRITTEN)
def test_a_game_server_may_write_all_of_them(result: str) -> None:
    for text in WRITTEN[result]:
        row = read_game_json(
            1,
            {
                **{"id": "1", "white": "anna", "black": "bert", "time_control": "180+2", "result": text},
                "started_at": "2026-03-01T10:00:00Z",
                **({"ended_at": "2026-03-01T10:05:00Z"} if result else {}),
            },
        )
        assert isinstance(row, GameRow), row
        assert row.result == FORFEITS.get(result, result)
