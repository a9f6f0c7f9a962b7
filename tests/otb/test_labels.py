"""What the rules name, in words: findings, reasons, outcomes, scores and time controls."""

from datetime import date
from fractions import Fraction

import pytest

from ratings.office.explanations import decimal_text, equals
from ratings.otb.labels import (
    SEVERITY_NAMES,
    control_text,
    finding_sentence,
)
from ratings.rbb.labels import half_points_text
from ratings.rules.b02.editions import B02_2009
from ratings.rules.b02.findings import Finding, Finds, Severity

NAMES = {1: "Berg, Anna", 2: "Dahl, Per"}


def test_every_severity_has_a_name():
    assert list(SEVERITY_NAMES) == list(Severity)


@pytest.mark.parametrize("finds", Finds)
def test_every_finding_is_a_whole_sentence_with_its_article(finds):
    finding = Finding(finds, 1, 2, round=3, day=date(2026, 3, 14), found=5, needed=7)
    sentence = finding_sentence(finding, NAMES, B02_2009)
    assert sentence.endswith(f"(B.02 {finds.article}).")
    assert "%" not in sentence
    assert "None" not in sentence


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (
            Finding(Finds.NOT_PLAYED, 1, 2, round=3),
            "Round 3: the game between Berg, Anna and Dahl, Per was not played, so it is not rated "
            "(B.02 5.1).",
        ),
        (
            Finding(Finds.TOO_MANY_HOURS, day=date(2026, 3, 14), found=815, needed=720),
            "The rounds on 14 Mar 2026 can last 13:35 hours in total; at most 12:00 are allowed (B.02 3.1).",
        ),
        (
            Finding(Finds.FEW_POINTS, 2, found=1, needed=2),
            "Dahl, Per has no rating and too few points: ½. A first result needs at least 1, so this "
            "one is left out"
            " (B.02 6.41, 8.21).",
        ),
        (
            Finding(Finds.REGISTERED_LATE, day=date(2026, 3, 13), found=1, needed=28),
            "Registered on 13 Mar 2026, 1 day before the tournament; it must be registered a month (28 "
            "days) ahead (B.02 0.4).",
        ),
        (
            Finding(Finds.REGISTERED_LATE, day=date(2026, 3, 15), found=-1, needed=28),
            "Registered on 15 Mar 2026, after the tournament had started; it must be registered a month "
            "(28 days) ahead (B.02 0.4).",
        ),
        (
            Finding(Finds.TOO_FAST, found=55, needed=60),
            "With 55 minutes for 60 moves, the players have too little time: each must have 60 minutes "
            "(B.02 1.1).",
        ),
    ],
)
def test_a_finding_names_players_round_day_and_amounts_in_their_units(finding, sentence):
    assert finding_sentence(finding, NAMES, B02_2009) == sentence


def test_half_points_and_fractions_are_written_as_chess_players_and_the_regulations_do():
    assert [half_points_text(number) for number in (0, 1, 2, 15)] == ["0", "½", "1", "7½"]
    assert equals(Fraction(234845, 100)) == "= 2348.45"
    assert equals(Fraction(21079, 9)) == "≈ 2342.11"
    assert decimal_text(Fraction(-426, 10)) == "−42.6"
    assert decimal_text(Fraction(2375)) == "2375"


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        ("40/5400+30:1800+30", "90 min for 40 moves, then 30 min, + 30 s per move"),
        ("5400+30", "90 min + 30 s per move"),
        ("40/7200:3600", "120 min for 40 moves, then 60 min"),
        ("40/6000:900+30", "100 min for 40 moves, then 15 min + 30 s per move"),
        ("as usual", "as usual"),
    ],
)
def test_time_controls_are_written_as_players_say_them(reported, said):
    assert control_text(reported) == said
