"""FIDE C.07: tie-breaks worked by hand, and those of the exercises of FIDE’s Technical Commission."""

from datetime import date

import pytest

from ratings.rules.tie_breaks import (
    C07_2024,
    C07_2026,
    How,
    Round,
    adjusted_score,
    c07_on,
    round_robin_tie_breaks,
    swiss_tie_breaks,
)

_BYES = {
    "U": Round(How.GIVEN_BYE, 2),
    "H": Round(How.REQUESTED_BYE, 1),
    "Z": Round(How.REQUESTED_BYE, 0),
}
_GAMES = {
    "1": (How.PLAYED, 2),
    "=": (How.PLAYED, 1),
    "0": (How.PLAYED, 0),
    "+": (How.FORFEIT, 2),
    "-": (How.FORFEIT, 0),
}


def rounds(text):
    """The rounds of a player: "9:1 U 4:-" is a win against 9, an allocated bye, a forfeit loss to 4."""
    return [
        _BYES[word] if word in _BYES else Round(*_GAMES[word[-1]], opponent=int(word[:-2]))
        for word in text.split()
    ]


def table(*lines):
    return {number: rounds(line) for number, line in enumerate(lines, 1)}


TEC = table(
    "9:1 13:= 2:= 15:1 4:=",
    "10:1 7:1 1:= 16:1 3:=",
    "11:= 6:1 8:1 4:= 2:=",
    "12:1 H 13:1 3:= 1:=",
    "13:0 15:0 11:1 7:= 10:1",
    "14:0 3:0 U 10:1 8:1",
    "15:1 2:0 16:0 5:= 11:0",
    "16:= 14:1 3:0 13:1 6:0",
    "1:0 10:0 H 11:- U",
    "2:0 9:1 15:0 6:0 5:0",
    "3:= 16:0 5:0 9:+ 7:1",
    "4:0 U 14:+ Z Z",
    "5:1 1:= 4:0 8:0 14:0",
    "6:1 8:0 12:- Z 13:1",
    "7:0 5:1 10:1 1:0 16:0",
    "8:= 11:1 7:1 2:0 15:1",
)
"""The Swiss of "Exercises in Tie-Breaking" (FIDE's Technical Commission, 18 March 2024).

Table and solutions are from the tests of two open programs that cite the paper (marceljuenemann/tiebreak and
Sharly-Chess), not from the paper itself. Row 12, which the first lacks, follows from the other rows and from
the solutions: a bye, a forfeit win, and two rounds away.
"""

_BUCHHOLZ = (12.5, 13, 15.5, 15, 8.5, 12, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5)
_SONNEBORN = (8, 9.5, 10.5, 9.75, 4.25, 6.5, 3.25, 5.25, 2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25)


def of(found, what, unit):
    return tuple(getattr(found[number], what) / unit for number in sorted(found))


def test_the_exercises_of_fide_by_the_edition_of_2024():
    # The solutions of the paper.
    found = swiss_tie_breaks(TEC, C07_2024)
    assert of(found, "buchholz", 2) == _BUCHHOLZ
    assert of(found, "sonneborn_berger", 4) == _SONNEBORN
    assert of(found, "won", 1) == (2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3)
    # The exercise asks Cut-1 of those who are tied: not of 2, 6 and 10.
    cut = {1: 11, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12, 9: 7.5, 11: 12, 12: 9.5}
    cut |= {13: 12, 14: 9, 15: 11, 16: 11}
    assert {number: found[number].buchholz_cut_1 / 2 for number in cut} == cut


def test_the_exercises_of_fide_by_the_edition_of_2026():
    # The same but where 16.4 limits the dummy. 4: ½ bye, 3½ becomes 2½; 6: bye, 3 becomes 2½; 11: forfeit
    # win against 9 with 1½, 2½ becomes 1½.
    found = swiss_tie_breaks(TEC, C07_2026)
    buchholz, sonneborn = list(_BUCHHOLZ), list(_SONNEBORN)
    buchholz[3], buchholz[5], buchholz[10] = 14, 11.5, 12.5
    sonneborn[3], sonneborn[5], sonneborn[10] = 9.25, 6, 4.75
    assert of(found, "buchholz", 2) == tuple(buchholz)
    assert of(found, "sonneborn_berger", 4) == tuple(sonneborn)
    # 4: the lowest is cut, and that is the voluntary round. 11: a forfeit win isn't voluntary.
    assert (found[4].buchholz_cut_1, found[11].buchholz_cut_1) == (23, 22)


@pytest.mark.parametrize(
    ("number", "score", "lowest_of_all"),
    [
        # 3½ 1 1½ 1½ 1½: cut is 1½ of the bye of round 3, not the 1 of opponent 10.
        (9, 7.5, 8.0),
        # 3 2½ 2 2 1½: cut is 2 of the forfeit loss or the bye, not the 1½ of opponent 13.
        (14, 9.0, 9.5),
    ],
)
def test_16_5_1_a_voluntary_unplayed_round_is_cut_before_a_weaker_opponent(number, score, lowest_of_all):
    found = swiss_tie_breaks(TEC, C07_2026)[number]
    assert found.buchholz_cut_1 / 2 == score != lowest_of_all


def test_14_1_without_voluntary_rounds_the_lowest_opponent_is_cut():
    # 3: opponents with 2½ 3 2½ 3½ 4 are 15½, less the lowest 2½.
    assert swiss_tie_breaks(TEC, C07_2026)[3].buchholz_cut_1 == 26


@pytest.mark.parametrize(
    ("text", "half_points"),
    [
        ("2:1 3:1 Z Z", 6),  # withdrawn after round 2: both rounds as draws
        ("2:1 3:1 Z 4:-", 5),  # a forfeit loss is voluntary too, but counts as awarded (16.2.4)
        ("2:1 3:1 Z U", 6),  # the allocated bye of round 4 isn't voluntary: round 3 is 0
        ("2:1 Z 3:0 4:0", 2),
        ("H 2:1 3:1 H", 6),
        ("2:- 3:- 4:- 5:-", 0),
        ("Z Z Z Z", 4),  # never came
    ],
)
def test_16_3_the_score_that_counts_for_opponents(text, half_points):
    assert adjusted_score(rounds(text)) == half_points


def test_16_4_what_a_round_without_a_game_is_worth():
    # Number 1 has 3½ of 4: a bye (1), a forfeit win against 2 with 1½, wins against 3 with ½ and ½ bye.
    # 2026: min(3½, 4 × ½) + min(3½, 1½) + ½ + 2 = 6, and SB 2 + 1½ + ½ + ½ × 2. 2024: 3 × 3½ + ½.
    players = table("U 2:+ 3:1 H", "3:1 1:- 4:= 5:0", "2:0 4:= 1:0 6:0", "5:0 3:= 2:= Z")
    players |= {5: rounds("4:1 6:1 6:1 2:1"), 6: rounds("Z 5:0 5:0 3:1")}
    new, old = swiss_tie_breaks(players, C07_2026)[1], swiss_tie_breaks(players, C07_2024)[1]
    assert (new.buchholz, new.buchholz_cut_1, new.sonneborn_berger, new.won) == (12, 8, 20, 1)
    assert (old.buchholz, old.buchholz_cut_1, old.sonneborn_berger, old.won) == (22, 15, 37, 1)
    # 4 withdrew before round 4, so for 2 and 3 their score is 1½, not 1. 2: ½, dummy min(1½, 3½), 1½, 4.
    assert swiss_tie_breaks(players, C07_2026)[2].buchholz == 1 + 3 + 3 + 8


def test_8_and_15_2_a_round_robin_has_no_buchholz_and_its_forfeits_count():
    # Five players, so each has a free round. Scores 3½, 2½, 2, 1½, ½; number 3 has won against 5 by forfeit.
    players = table(
        "2:1 3:= 4:1 5:1", "1:0 3:1 4:= 5:1", "1:= 2:0 4:= 5:+", "1:0 2:= 3:= 5:=", "1:0 2:0 3:- 4:="
    )
    for number, met in players.items():
        met.insert(number - 1, Round(How.REQUESTED_BYE, 0))
    found = round_robin_tie_breaks(players)
    assert {(one.buchholz, one.buchholz_cut_1) for one in found.values()} == {(None, None)}
    # 1: 2½ + 1 + 1½ + ½. 2: 2 + ¾ + ½. 3: 1¾ + ¾ + ½. 4: 1¼ + 1 + ¼. 5: ¾.
    assert of(found, "sonneborn_berger", 4) == (5.5, 3.25, 3, 2.5, 0.75)
    assert of(found, "won", 1) == (3, 2, 0, 0, 0)


def test_equal_scores_are_ordered_by_cut_1_first_and_by_games_won_last():
    found = swiss_tie_breaks(TEC, C07_2026)
    # All have 3½. 1 and 16 are equal in both Buchholz: 8 before 7¼ by Sonneborn-Berger.
    assert sorted((1, 3, 4, 16), key=lambda number: found[number].order, reverse=True) == [3, 4, 1, 16]
    assert found[1].order[:2] == found[16].order[:2]


@pytest.mark.parametrize(
    ("day", "edition"),
    [
        (date(2019, 5, 1), C07_2024),
        (date(2026, 2, 28), C07_2024),
        (date(2026, 3, 1), C07_2026),
        (date(2026, 11, 26), C07_2026),
    ],
)
def test_the_first_day_of_a_tournament_decides_on_the_edition(day, edition):
    assert c07_on(day) is edition


def test_a_tournament_without_rounds_has_nothing_to_cut():
    assert swiss_tie_breaks({1: []}, C07_2026)[1] == (0, 0, 0, 0)
