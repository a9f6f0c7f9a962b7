"""The time controls of reports: what is certain is understood, and nothing else."""

import pytest

from ratings.formats.trf import stages_of


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("5400+30", ((None, 5400, 30),)),
        ("7200", ((None, 7200, 0),)),
        (" 900+10 ", ((None, 900, 10),)),
        ("180+2", ((None, 180, 2),)),
        ("40/5400+30:1800+30", ((40, 5400, 30), (None, 1800, 30))),
        ("40/7200 : 20/3600 : 900+30", ((40, 7200, 0), (20, 3600, 0), (None, 900, 30))),
        ("36000+600", ((None, 36000, 600),)),
    ],
)
def test_the_code_of_record_222(text, stages):
    assert stages_of(text) == stages


@pytest.mark.parametrize(
    "text",
    [
        "90 min + 30 sec",
        "90'+30''",
        "90’ + 30”",
        "90 min. + 30 sec. per move",
        "90m+30s",
        "90' + 30\"/move",
        "90 minutes and 30 seconds a move",
        "90 Minutes plus 30 Seconds per move from move 1",
        "90 min, 30 sec per move per player",
    ],
)
def test_plain_words_with_their_units(text):
    assert stages_of(text) == ((None, 5400, 30),)


@pytest.mark.parametrize(
    "text", ["120 min", "120'", "120 minutes per player per game", "120 minutes for the whole game"]
)
def test_minutes_alone_are_for_the_game(text):
    assert stages_of(text) == ((None, 7200, 0),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ":",
        "moves/time, increment",
        "1:30 + 10 from move 1",
        "90 + 30",
        "90+30",
        "90",
        "179",
        "90 min + 30 min",
        "90 min for 40 moves",
        "90 min/40 moves + 30 min",
        "90 min a move",
        "an hour",
        "40/7200",
        "5400:900",
        "0/5400:900",
        "40/5400:",
        ":900",
        "5400+",
        "5400+30+10",
        "-5400",
        "36001",
        "5400+601",
        "99999",
        "1" * 5000,
        "90 min" + " " * 200 + "x" * 200,
        "2 min",
        "٣٦٠٠",
        "\x005400",
        "10/600:" * 20 + "600",
    ],
)
def test_what_is_not_certain_is_not_guessed(text):
    """90+30 in record 222 would be seconds, in 122 it is minutes and seconds."""
    assert stages_of(text) is None
