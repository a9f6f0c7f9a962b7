"""Squads and rounds of a team league as typed rows; what is refused besides, in tests/league."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.league import ROUND_COLUMNS, SQUAD_COLUMNS, BoardRow, SquadRow, read_rounds, read_squads
from ratings.formats.problems import FileRefused, Problem
from ratings.rules.bal.cycles import BoardResult
from tests.formats.league_text import rounds_csv, squads_csv

CELLS = st.lists(
    st.one_of(
        st.text(max_size=12), st.sampled_from(["", "yes", "no", "1", "1500.5", "1-0", "+/-", "½-½", "A", "B"])
    ),
    min_size=4,
    max_size=8,
)


def test_a_squad_row_has_hundredths_and_a_new_player_no_games() -> None:
    content = squads_csv("Adams,North,1600.5,30,no", "Abel,North,1750,,yes", "Baker,South,,,0")
    assert list(read_squads(io.BytesIO(content))) == [
        SquadRow(2, "Adams", "North", 1600_50, 30, captains_estimate=False),
        SquadRow(3, "Abel", "North", 1750_00, 0, captains_estimate=True),
        SquadRow(4, "Baker", "South", None, None, captains_estimate=False),
    ]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1-0", BoardResult.HOME),
        ("0-1", BoardResult.AWAY),
        ("1/2-1/2", BoardResult.DRAW),
        ("½-½", BoardResult.DRAW),
        ("+/-", BoardResult.HOME_FORFEIT),
        ("-/+", BoardResult.AWAY_FORFEIT),
        ("-/-", BoardResult.BOTH_FORFEIT),
        ("0-0", BoardResult.BOTH_FORFEIT),
    ],
)
def test_the_six_results_and_a_draw_as_people_write_it(text: str, result: BoardResult) -> None:
    content = rounds_csv(f"11,North,South,2,Adams,Baker,{text}")
    assert list(read_rounds(io.BytesIO(content))) == [
        BoardRow(2, 11, "North", "South", 2, "Adams", "Baker", result)
    ]


def test_a_bad_row_tells_all_that_is_wrong_with_it() -> None:
    (problem,) = read_rounds(io.BytesIO(rounds_csv("x,North,North,0,,Baker,win")))
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert problem.reason == (
        "home_team and away_team are both “North”; round: “x” isn’t a whole "
        "number from 1 to 99; board: “0” isn’t a whole number from 1 to 99; result: “win” isn’t one of "
        "1-0, 1/2-1/2, 0-1, +/-, -/+, -/-"
    )
    assert problem.fields["result"] == "win"


@given(rows=st.lists(CELLS, max_size=5), tail=st.binary(max_size=20))
def test_whatever_a_file_holds_comes_out_as_rows_problems_or_a_refusal(
    rows: list[list[str]], tail: bytes
) -> None:
    for read, columns in ((read_squads, SQUAD_COLUMNS), (read_rounds, ROUND_COLUMNS)):
        lines = [",".join(columns), *(",".join(row) for row in rows)]
        content = "\n".join(lines).encode("utf-8", "surrogatepass") + tail
        try:
            found = list(read(io.BytesIO(content)))
        except FileRefused:
            continue
        assert all(isinstance(row, SquadRow | BoardRow | Problem) for row in found)
