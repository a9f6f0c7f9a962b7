"""One vocabulary of results for every import: games, league, and the codes of tournament reports."""

import io

import pytest

from ratings.formats.league import BoardRow, read_rounds
from ratings.formats.results import board_result_of, result_of
from ratings.formats.trf.tournament import Result
from ratings.rules.bal.parts import BoardResult
from tests.formats.league_text import rounds_csv

WRITTEN = {
    "1-0": ("1-0", "1:0", "1 - 0", "1–0"),
    "0-1": ("0-1", "0:1", " 0-1 ", "0−1"),
    "1/2-1/2": ("1/2-1/2", "½-½", "½ - ½", "0.5-0.5", "0,5:0,5", "1/2", "½", "=-=", "=:="),
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
