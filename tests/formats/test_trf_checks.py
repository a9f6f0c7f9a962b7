"""Reports in which something does not agree: what would make a number wrong is refused, with its line."""

from datetime import date

import pytest

from ratings.formats.trf import OtherDay, Pairing, Result, explained_by_byes, trf_lines
from tests.formats.trf_text import SWISS, TEAMS, changed, problems, read, remarks, tournament

BERG = SWISS.splitlines(keepends=True)[14]


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        ("012 Fjord Open", "", ["line 1: the name of the tournament is missing (record 012)"]),
        ("012 Fjord Open", "012", ["line 1: the name of the tournament is missing (record 012)"]),
        ("2026/03/14", "", ["line 4: start of the tournament: the date is missing (record 042)"]),
        (
            "2026/03/14",
            "spring",
            ["line 4: start of the tournament: “spring” isn’t a date such as 2026/01/31 (record 042)"],
        ),
        (
            "2026/03/15",
            "2026/02/29",
            ["line 5: end of the tournament: “2026/02/29” isn’t a date such as 2026/01/31"],
        ),
        (
            "2026/03/14",
            "2026/03/16",
            ["line 4: the start, 2026-03-16, is after the end, 2026-03-15"],
        ),
        (
            "26/03/14  26/03/14",
            "26/03/14  26/03/16",
            ["line 14: round 2, 2026-03-16, is after round 3, 2026-03-15"],
        ),
        ("022 Bergen", "042 2026/03/14", ["line 4: record 042 is also on line 2"]),
        (
            "001    5 ",
            "001    4 ",
            [
                "line 15: round 2: the opponent is 5, but no player has this start rank",
                "line 19: start rank 4 is also on line 18",
            ],
        ),
        (
            "   5 b 1",
            "  15 b 1",
            [
                "line 15: round 2: the opponent is 15, but no player has this start rank",
                "line 19: round 2: the opponent is 1, but 1 (line 15) has the opponent 15",
            ],
        ),
        (
            "   5 b 1",
            "   4 b 1",
            [
                "line 15: round 2: the opponent is 4, but 4 (line 18) has no opponent",
                "line 19: round 2: the opponent is 1, but 1 (line 15) has the opponent 4",
            ],
        ),
        (
            "   5 b 1",
            "   1 b 1",
            [
                "line 15: round 2: the player is paired with themselves (1)",
                "line 19: round 2: the opponent is 1, but 1 (line 15) has the opponent 1",
            ],
        ),
        ("   5 b 1", "   5 w 1", ["line 15: round 2: against 5 (line 19) both have the colour “w”"]),
        (
            "   5 b 1",
            "   5 b =",
            [
                "line 15: 2.5 points, but the results give 2.0",
            ],
        ),
        (
            "   5 b 1",
            "   5 b +",
            ["line 15: round 2: against 5 (line 19) the result is “+” here and “0” there"],
        ),
        ("2.5    1", "3.0    1", ["line 15: 3.0 points, but the results give 2.5"]),
        ("2.5    1", "2.0    1", ["line 15: 2.0 points, but the results give 2.5"]),
        ("2.0    3", "3.0    3", ["line 18: 3.0 points, but the results give 2.0"]),
        ("2.0    3", "1.0    3", ["line 18: 1.0 points, but the results give 2.0"]),
        (" 1500020", "30012345", ["line 18: FIDE ID 30012345 is also on line 15"]),
        ("2.5    1", "2,x    1", ["line 15: points: “2,x” can’t be read; write them as 11.5"]),
        (
            "0000 - H",
            "   1 w H",
            ["line 18: round 2: “1 w H” is a bye, and a bye has no opponent"],
        ),
        (
            "   3 w 1",
            "   3 w ?",
            ["line 15: round 1: “   3 w ?” isn’t an opponent, colour and result such as “  12 w 1”"],
        ),
        (
            "001    5 ",
            "001    0 ",
            [
                "line 15: round 2: the opponent is 5, but no player has this start rank",
                "line 19: start rank: “0” isn’t a number from 1 to 9999",
            ],
        ),
    ],
)
def test_a_contradiction_is_refused_with_its_line(old: str, new: str, reasons: list[str]) -> None:
    assert problems(changed(old, new)) == reasons


def test_a_line_of_a_player_that_is_gone_is_missed_by_his_opponents() -> None:
    assert problems(changed(BERG, "")) == [
        "line 6: 5 players, but the file has 4: it seems to be cut off",
        *(
            f"line {line}: round {number}: the opponent is 1, but no player has this start rank"
            for line, number in ((15, 3), (16, 1), (18, 2))
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Berg, Anna ", "Berg, Anna", "“2” in column 48, which is always blank"),
        ("Berg, Anna", "Berg, Annaa", "“5” in column 53, which is always blank"),
        ("wWGM Berg", "wWGMBerg", "“B” in column 14, which is always blank"),
        ("2235 NOR", "2235NOR", "“N” in column 53, which is always blank"),
        ("2235 NOR", "2235  NOR", "“R” in column 57, which is always blank"),
        ("  2.5    1", "    2.5    1", "“.” in column 85, which is always blank"),
        ("2.5    1", "2.5      1", "“1” in column 91, which is always blank"),
        (
            "30012345 1971/04/02",
            "300123451971/04/02 ",
            "“300123451971/04/02   2.5” has no space between FIDE ID, date of birth and points",
        ),
        (
            "1971/04/02  2.5",
            " 1971/04/0212.5",
            "“30012345  1971/04/0212.5” has no space between FIDE ID, date of birth and points",
        ),
        ("1971/04/02  2.5", "1971/04/02x 2.5", "“ 1971/04/02x” is too long for a date of birth"),
    ],
)
def test_shifted_columns_are_refused_whatever_they_would_say(old: str, new: str, fault: str) -> None:
    assert problems(changed(old, new)) == [f"line 15: the columns are shifted: {fault}"]


@pytest.mark.parametrize("blanks", ["    ", "      "])
def test_shifted_rounds_are_refused_one_by_one(blanks: str) -> None:
    shifted = problems(changed("1     3 w 1", f"1{blanks}3 w 1"))
    assert len(shifted) == 3
    assert all("isn’t an opponent, colour and result" in problem for problem in shifted)


def test_a_number_that_is_shifted_too_is_nobody_s() -> None:
    first, *others = problems(changed("001    1", "001   1"))
    assert first == "line 15: the columns are shifted: “w” in column 9, which is always blank"
    assert [other.endswith("the opponent is 1, but no player has this start rank") for other in others] == [
        True
    ] * 3


@pytest.mark.parametrize("prefix", [" ", "  ", "\t"])
def test_a_player_whose_line_does_not_begin_in_the_first_column_is_not_taken_for_a_comment(
    prefix: str,
) -> None:
    assert "line 19: the columns are shifted" in problems(changed("001    5", f"{prefix}001    5"))[-1]


def test_a_round_that_cannot_be_read_is_not_counted_against_the_opponent() -> None:
    assert len(problems(changed("   3 w 1", "   3 w ?"))) == 1


@pytest.mark.parametrize(("ours", "theirs"), [("W", "L"), ("+", "-"), ("1", "0")])
def test_the_two_sides_may_have_won_and_lost_in_three_ways(ours: str, theirs: str) -> None:
    assert remarks(SWISS.replace("3 w 1", f"3 w {ours}").replace("1 b 0", f"1 b {theirs}")) == []


@pytest.mark.parametrize("result", ["-", "L"])
def test_both_may_lose_a_game_that_was_not_played(result: str) -> None:
    text = SWISS.replace("2.5    1     3 w 1", f"1.5    1     3 w {result}").replace("1 b 0", f"1 b {result}")
    assert remarks(text) == []


@pytest.mark.parametrize(("points", "ours"), [("1.5", "0"), ("2.0", "=")])
def test_a_game_with_a_penalty_is_read_as_each_side_has_it(points: str, ours: str) -> None:
    """0-0 and ½-0: whether it is rated is decided by somebody, not by the reader."""
    report = tournament(changed("2.5    1     3 w 1", f"{points}    1     3 w {ours}"))
    sides = [report.players[0].rounds[0], report.players[2].rounds[0]]
    assert [(one.result, one.played) for one in sides] == [(ours, True), ("0", True)]


@pytest.mark.parametrize(
    ("points", "ours", "theirs"), [("2.5", "W", "D"), ("2.0", "D", "L"), ("2.5", "+", "+"), ("2.5", "W", "-")]
)
def test_unrated_results_that_differ_are_said_and_left_out(points: str, ours: str, theirs: str) -> None:
    text = changed("2.5    1     3 w 1", f"{points}    1     3 w {ours}")
    told = {"D": "0.5", "+": "1.0"}.get(theirs, "0.0")
    text = changed("0.0    5     1 b 0", f"{told}    5     1 b {theirs}", text)
    assert remarks(text) == [
        f"line 15: round 1: against 3 (line 17) the result is “{ours}” here and “{theirs}” there; not rated,"
        " since neither was played"
    ]


def test_a_pairing_without_result_is_not_a_game() -> None:
    text = SWISS.replace("2.5    1     3 w 1", "1.5    1     3 w  ").replace("1 b 0", "1 b  ")
    assert not tournament(text).players[0].rounds[0].played
    assert remarks(text) == ["line 15: round 1: against 3 (line 17) the result is missing; not rated"]


def test_a_colour_may_be_missing() -> None:
    assert remarks(changed("   3 w 1", "   3 - 1")) == [
        "line 15: round 1: against 3 (line 17) a colour is missing"
    ]


@pytest.mark.parametrize(
    ("old", "new", "field", "left", "said"),
    [
        ("2235", "  35", "rating", None, "rating: 35 is not between 100 and 3500; left out"),
        ("2235", "9235", "rating", None, "rating: 9235 is not between 100 and 3500; left out"),
        ("2235", "22x5", "rating", None, "rating: “22x5” isn’t a number; left out"),
        ("1 wWGM", "1 xWGM", "sex", "", "sex: “x” is neither m nor w; left out"),
        ("1 wWGM", "1 wW1M", "title", "", "title: “W1M” isn’t a title; left out"),
        ("2.5    1", "2.5   #1", "rank", None, "rank: “#1” isn’t a number; left out"),
    ],
)
def test_a_fault_in_a_field_that_rates_nobody_never_costs_the_player(
    old: str, new: str, field: str, left: object, said: str
) -> None:
    """B.02 4.13: the rating of the report isn’t used."""
    text = changed(old, new)
    berg = tournament(SWISS).players[0]
    assert tournament(text).players[0] == berg._replace(**{field: left})
    assert [one for one in remarks(text) if "rated players" not in one] == [f"line 15: {said}"]


@pytest.mark.parametrize("bye", ["          ", "  0000 - -", "  0000 - Z", "  0000 - U"])
@pytest.mark.parametrize(("points", "tenths"), [("0.5", 5), ("1.5", 15), ("2.0", 20)])
def test_points_that_only_byes_can_explain_are_left_and_said(bye: str, points: str, tenths: int) -> None:
    """Real team reports were refused: 1.5 points, but the results give 0.5."""
    text = changed(
        "1.0    4  0000 - U     1 w 0  0000 - Z", f"{points}    4  0000 - U     1 w 0{bye}".rstrip()
    )
    if bye == "  0000 - U":
        text = text.replace("4  0000 - U     1 w 0", "4  0000 - Z     1 w 0")
    report = tournament(text)
    assert report.players[4].points == tenths
    assert explained_by_byes(report) == [5]
    assert (
        f"line 19: {points} points, but the results give 1.0; we assume that the difference is byes"
        " (2 without an opponent), which are never rated" in remarks(text)
    )


@pytest.mark.parametrize("points", ["2.5", "9.0"])
def test_points_that_no_bye_can_explain_are_refused(points: str) -> None:
    text = changed("1.0    4  0000 - U     1 w 0  0000 - Z", f"{points}    4  0000 - U     1 w 0")
    assert problems(text) == [f"line 19: {points} points, but the results give 1.0"]


def test_points_of_games_are_never_taken_for_byes() -> None:
    """Moe has a draw and a win, and a bye: 1.5 to 2.5 points, whatever the bye is worth."""
    assert problems(changed("2.0    3", "1.0    3")) == ["line 18: 1.0 points, but the results give 2.0"]
    assert explained_by_byes(tournament(changed("2.0    3", "1.5    3"))) == [4]
    assert explained_by_byes(tournament(SWISS)) == []


def test_without_points_the_results_stand_and_it_is_said() -> None:
    assert remarks(changed("2.5    1", "       1")) == [
        "line 15: no points, so the results can’t be compared with them"
    ]


@pytest.mark.parametrize("points", [" 2.5", "2.5 ", " 2,5", "  2½"])
def test_points_may_be_spelt_otherwise(points: str) -> None:
    assert tournament(changed(" 2.5    1", f"{points}    1")) == tournament(SWISS)


@pytest.mark.parametrize(
    "records",
    ["162 W 3.0    D 1.0    L 0.0    P 1.0\n", "XXS W=3 D=1\nXXS PAB=1.0\n", "162 P 1.0    W 3.0    D 1.0\n"],
)
def test_points_may_be_three_for_a_win_if_the_file_says_so(records: str) -> None:
    text = SWISS
    for old, new in (("2.5    1", "7.0    1"), ("2.0    2", "5.0    2"), ("2.0    3", "5.0    3")):
        text = changed(old, new, text)
    assert len(problems(text)) == 3
    assert remarks(text + records) == []


@pytest.mark.parametrize(
    ("record", "unread"),
    [
        ("162  W 3.0    D 1.0    L 0.0    Z 0.0    P 1.0", "162: “Z 0.0”"),
        ("162 W 3.0 D 1.0 Q 2.5 P 1.0", "162: “Q 2.5”"),
        ("162 W 3.0 D 1.0 P 1.0 and some words", "162: “and some words”"),
        ("XXS W=3 D=1 QQ=7 PAB=1", "XXS: “QQ=7”"),
    ],
)
def test_codes_that_are_known_count_beside_one_that_is_not(record: str, unread: str) -> None:
    text = SWISS
    for old, new in (("2.5    1", "7.0    1"), ("2.0    2", "5.0    2"), ("2.0    3", "5.0    3")):
        text = changed(old, new, text)
    assert remarks(f"{text}{record}\n") == [f"line 20: {unread} can’t be read as points; not used"]


def test_a_refusal_for_points_says_which_codes_could_not_be_read() -> None:
    text = changed("2.5    1", "7.5    1") + "162 W 1.0    Q 3.5\n"
    assert problems(text) == [
        "line 15: 7.5 points, but the results give 2.5; not all of the points for each result could be read,"
        " 162 (line 20): “Q 3.5”"
    ]


@pytest.mark.parametrize(
    ("record", "changes"),
    [
        ("162 P 2.0", [("1.0    4", "2.0    4")]),
        ("162 A 0.5", [("0.0    5", "0.5    5"), ("1.0    4", "1.5    4")]),
        ("162 A 0.5", [("0.0    5", "0.5    5"), ("1.0    4", "1.5    4"), ("  0000 - Z", "")]),
        (
            "162 W 2.0",
            [
                ("2.5    1", "4.5    1"),
                ("2.0    2", "3.0    2"),
                ("2.0    3", "3.0    3"),
                ("1.0    4", "2.0    4"),
            ],
        ),
        ("XXS WW=3.0", [("2.5    1", "4.5    1")]),
        ("XXS ZPB=0.5 FL=1", [("0.0    5", "1.0    5"), ("1.0    4", "1.5    4")]),
        ("XXS HPB=1.0", [("2.0    3", "2.5    3")]),
    ],
)
def test_each_result_may_be_worth_something_else(record: str, changes: list[tuple[str, str]]) -> None:
    """An allocated bye is worth a win unless it has a value of its own; a blank is a bye without points."""
    text = SWISS
    for old, new in changes:
        text = changed(old, new, text)
    assert remarks(f"{text}{record}\n") == []


@pytest.mark.parametrize(
    "record",
    [
        "299          -0.5  000    1",
        "299 W         0.5  001    1    3",
        "299 D    2.0  0.0       1",
    ],
)
def test_a_record_299_explains_other_points(record: str) -> None:
    """A penalty; half a point for the win of round 1; none for any draw, beside the points of a match."""
    assert remarks(changed("2.5    1", "2.0    1") + f"{record}\n") == [
        "line 15: 2.0 points with record 299, 2.5 by the results; ratings use the results"
    ]


def test_points_without_those_of_record_299_are_taken_too() -> None:
    assert remarks(f"{SWISS}299          -0.5  000    1\n") == [
        "line 15: 2.0 points with record 299, 2.5 by the results; ratings use the results"
    ]


def test_points_that_record_299_does_not_explain_are_refused() -> None:
    text = changed("2.5    1", "1.5    1") + "299          -0.5  000    1\n"
    assert problems(text) == ["line 15: 1.5 points, but the results and record 299 give 2.0"]


@pytest.mark.parametrize(
    "record", ["299", "299 W  000    1", "299          -0.5  000  one", "299 Q         0.5  000    1"]
)
def test_a_record_299_that_cannot_be_read_is_quoted(record: str) -> None:
    text = record.removeprefix("299").strip()
    assert remarks(f"{SWISS}{record}\n") == [f"line 20: 299: “{text}” can’t be read as points; not used"]


def test_points_below_zero_after_a_penalty_are_written_as_they_were_read() -> None:
    text = changed("  0.0    5", " -0.5    5") + "299          -0.5  000    3\n"
    report = tournament(text)
    assert report.players[2].points == -5
    assert b"".join(trf_lines(report)).decode() == text.replace("\n", "\r\n")


def test_a_record_299_of_a_team_event_explains_nothing() -> None:
    text = changed("1.0    1", "0.5    1", TEAMS) + "299       -0.5     000    1\n"
    assert problems(text) == ["line 17: 0.5 points, but the results give 1.0"]


def test_numbers_of_players_and_teams_that_are_not_so_are_said() -> None:
    text = SWISS.replace("062 5", "062 6").replace("072 4", "072 5").replace("082 0", "082 2")
    assert remarks(text) == [
        "line 6: 6 players, but the file has 5",
        "line 7: 5 rated players, but the file has 4",
        "line 8: 2 teams, but the file has 0",
    ]


def test_a_file_that_was_cut_off_says_so_before_its_missing_players() -> None:
    whole = SWISS.splitlines(keepends=True)
    told = problems("".join(whole[:-2]))
    assert told[0] == "line 6: 5 players, but the file has 3: it seems to be cut off"
    assert all(one.endswith("but no player has this start rank") for one in told[1:])


def test_a_team_in_the_records_013_and_310_is_counted_once() -> None:
    """TRF26 replaces 013 by 310; a program that writes both writes each team twice."""
    old = f"013 {'Bergen':32}   1    2\n013 {'Another name':32}   3    4\n"
    text = TEAMS.replace("310   1 ", f"082 2\n{old}310   1 ")
    assert remarks(text) == remarks(TEAMS.replace("310   1 ", "082 2\n\n\n310   1 "))


def test_a_team_in_the_record_013_alone_counts() -> None:
    text = f"{SWISS}013 {'Bergen':32}   1    2\n".replace("082 0", "082 1")
    assert remarks(text) == []


def test_a_time_control_that_cannot_be_read_is_quoted() -> None:
    assert remarks(changed("90 minutes and 30 seconds per move", "moves/time, increment")) == [
        "line 13: time control: “moves/time, increment” can’t be read; not checked"
    ]


def test_a_player_in_two_teams_is_said() -> None:
    text = changed("   2     3    4\n", "   2     3    1\n", TEAMS)
    assert "line 23: team: player 1 is also in the team on line 22" in remarks(text)


def test_dates_that_can_be_read_in_two_ways_are_said() -> None:
    text = SWISS.replace("042 2026/03/14", "042 02/10/2026").replace("052 2026/03/15", "052 03/10/2026")
    text = text.replace("26/03/14", "26/10/02").replace("26/03/15", "26/10/03")
    assert remarks(text) == [
        "line 4: the dates can be read in more than one way; read as 2026-10-02 to 2026-10-03"
    ]


def test_an_end_that_can_be_read_in_two_ways_needs_no_start_to_be_said() -> None:
    reading = read("012 Fjord Open\n052 02/10/2026\n001    1\n")
    assert [str(problem) for problem in reading.problems] == [
        "line 1: start of the tournament: the date is missing (record 042)"
    ]
    assert str(reading.remarks[0]) == (
        "line 1: the dates can be read in more than one way; read as None to 2026-10-02"
    )


def test_a_round_date_that_cannot_be_read_is_said() -> None:
    assert remarks(changed("26/03/14  26/03/15", "tomorrow  26/03/15")) == [
        "line 14: not every round has a date that can be read"
    ]


def test_dates_for_other_rounds_than_there_are_are_said() -> None:
    assert remarks(changed("26/03/14  26/03/15", "26/03/15")) == ["line 14: 2 round dates for 3 rounds"]


IDLE = "001    6 m    Moe, Per                          1804 NOR {:>11} 2001/12/31  0.0    5\n"


def test_a_fide_id_that_stands_again_for_somebody_without_a_game_is_left_out_there_and_said() -> None:
    text = SWISS.replace("062 5", "062 6").replace("072 4", "072 5") + IDLE.format(1500020)
    players = tournament(text).players
    assert [(player.fide_id, player.other_id) for player in (players[3], players[5])] == [
        (1500020, ""),
        (None, "1500020"),
    ]
    assert remarks(text) == [
        "line 20: FIDE ID 1500020 is also on line 18; this player played no game, so the ID is left out here"
    ]


def test_the_line_with_games_keeps_the_fide_id_wherever_it_stands() -> None:
    lines = SWISS.replace("062 5", "062 6").replace("072 4", "072 5").splitlines(keepends=True)
    text = "".join([*lines[:14], IDLE.format(1500020), *lines[14:]])
    assert [(one.start_rank, one.fide_id) for one in tournament(text).players if one.fide_id == 1500020] == [
        (4, 1500020)
    ]
    assert remarks(text)[0].startswith("line 15: FIDE ID 1500020 is also on line 19;")


def test_of_two_lines_without_a_game_the_first_keeps_the_fide_id() -> None:
    text = SWISS + IDLE.format(1500099) + IDLE.format(1500099).replace("001    6", "001    7")
    assert [player.fide_id for player in tournament(text).players[5:]] == [1500099, None]


@pytest.mark.parametrize("tag", ["XXR", "142"])
def test_a_report_says_how_many_rounds_there_are_to_be(tag: str) -> None:
    report = tournament(f"{SWISS}{tag} 9\n")
    assert (report.planned_rounds, report.rounds_with_results) == (9, 3)
    assert tournament(SWISS).planned_rounds is None


def test_a_round_that_is_only_paired_and_a_bye_of_a_later_round_are_no_results() -> None:
    """Pairing programs write the next round, and byes that were asked for ahead."""
    text = SWISS
    for old, more in (
        ("     2 b =\n", "     2 w  "),
        ("     1 w =\n", "     1 b  "),
        ("     3 b 1\n", "          "),
    ):
        text = changed(old, f"{old[:-1]}{more}  0000 - {'Z' if more.strip() else 'H'}\n", text)
    report = tournament(text.replace("2.0    3", "2.5    3"))
    assert (report.rounds, report.rounds_with_results) == (5, 3)
    assert report.players[0].rounds[3] == Pairing(2, "w", Result.BLANK)


def test_a_first_or_last_round_on_another_day_is_kept_with_both_days() -> None:
    first = tournament(changed("  26/03/14", "  26/03/13"))
    assert first.other_days == (OtherDay(True, 1, date(2026, 3, 13), date(2026, 3, 14)),)
    last = tournament(changed("  26/03/15", "  26/03/16"))
    assert last.other_days == (OtherDay(False, 3, date(2026, 3, 16), date(2026, 3, 15)),)
    assert tournament(SWISS).other_days == ()
