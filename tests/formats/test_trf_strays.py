"""Lines that look like a player’s: refused with their line, whatever happened to them; never a lost player.

The layout is that of TRF16 (FIDE Handbook C.04, annex 2). People and figures are invented, so the licence is
that of the project.
"""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.formats.problems import FileRefused
from ratings.formats.trf import read_trf
from tests.formats.trf_text import OLD, SWISS, TEAMS, changed, problems, remarks, tournament

IDLE = "001    6 m    Ask, Jon                          1700 NOR     1500041 1990/01/01  0.0    6\n"
ALL = SWISS.replace("062 5", "062 6").replace("072 4", "072 5") + IDLE
"""With somebody whom no opponent would miss."""

LOOKS = "looks like a player, but isn’t a record 001"


@pytest.mark.parametrize(
    "line",
    [
        IDLE.replace("001", "101"),
        IDLE.replace("001", "801"),
        IDLE.replace("001", "NOR"),
        IDLE.replace("001", "0O1"),
        IDLE.replace("001", "   "),
        IDLE.replace("001", "01"),
        IDLE.replace("001", "00l"),
        f"x{IDLE}",
        f"| {IDLE}",
        "102 Vik, Stein" + IDLE,
        "1 Ask, Jon 1700 NOR 1500041  12 w 1  0000 - H\n",
        "101\t6\tm\tAsk, Jon\t1700\tNOR\t0000 - Z\n",
    ],
)
def test_a_line_that_looks_like_a_player_is_refused_with_its_number(line: str) -> None:
    (said,) = problems(SWISS + line)
    assert said.startswith("line 20: ")
    assert LOOKS in said


def test_a_mistyped_record_is_named_with_what_to_do() -> None:
    """101 for 001: the player was kept as an unknown record, and lost."""
    assert problems(SWISS + IDLE.replace("001", "101")) == [
        "line 20: “101    6 m    Ask, Jon                 …” looks like a player, but isn’t a record 001;"
        " make it one, or remove the line"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "### 001    6 m    Ask, Jon, has withdrawn",
        "0         1         2         3         4         5         6         7         8         9",
        "DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR  1111 1 1",
        "NOR    1 wWGM Berg, Anna                        2251 BER       10417 1971/04/02",
        "801   1 BER   2.0  1.5     2 w 1  ",
        "240 H   1    1",
        "XYZ round 3 - 1 of a program",
        "Pairings of 2026: round 3 - 1",
        "299       -0.5     000    1",
    ],
)
def test_a_line_that_is_no_player_is_not_taken_for_one(line: str) -> None:
    assert problems(f"{SWISS}{line}\n") == []


@pytest.mark.parametrize("text", [SWISS, OLD, TEAMS])
def test_players_read_and_lines_kept_are_the_lines_of_the_file(text: str) -> None:
    report = tournament(text)
    lines = [
        *(one.line for one in report.headers),
        *(one.line for one in report.players),
        *(one.line for one in report.teams),
        *(one.line for one in report.rest),
    ]
    assert sorted(lines) == list(range(1, len(text.splitlines()) + 1))


def games(text: str) -> set[tuple[int, int, int, str]]:
    """The rated games: round, player, opponent and result."""
    return {
        (number, player.start_rank, pairing.opponent, pairing.result)
        for player in tournament(text).players
        for number, pairing in enumerate(player.rounds, 1)
        if pairing.opponent is not None and pairing.played
    }


GAMES = games(ALL)
CHARACTERS = st.sampled_from([*"0123456789 -+=wbHFUZDLWxXO|.\t\n", "å", "\x00"])


@st.composite
def edits(draw: st.DrawFn) -> tuple[int, int, str]:
    """A place, how many characters go there, and what comes instead; often two of them doubled or swapped.

    Three of # would make a comment of a line.
    """
    at = draw(st.integers(0, len(ALL) - 2))
    pair = ALL[at : at + 2]
    return draw(
        st.one_of(
            st.tuples(st.just(at), st.integers(0, 3), st.text(CHARACTERS, max_size=3)),
            st.sampled_from([(at, 0, pair), (at, 2, pair[::-1]), (at, 0, "#"), (at, 1, "#")]),
        )
    )


@given(st.lists(edits(), min_size=1, max_size=2))
@example([(ALL.index("001    6"), 1, "1")])
@example([(ALL.index("001    6"), 1, "")])
@example([(ALL.index("001    6") - 1, 1, "")])
@example([(ALL.index("001    6"), 0, " ")])
def test_a_mutated_report_never_loses_a_player_or_a_game_without_a_word(
    changes: list[tuple[int, int, str]],
) -> None:
    text = ALL
    for at, gone, new in changes:
        text = text[:at] + new + text[at + gone :]
    try:
        reading = read_trf(io.BytesIO(text.encode()))
    except FileRefused:
        return
    if reading.problems:
        return
    assert games(text) == GAMES
    assert len(tournament(text).players) == 6 or remarks(text)


def test_the_games_that_no_change_may_touch_are_the_ten_sides_of_five() -> None:
    assert len(GAMES) == 10


def test_the_only_game_of_a_round_may_not_disappear_on_one_side() -> None:
    assert problems(changed("     5 b 1", "          ")) != []
