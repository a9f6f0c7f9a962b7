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
        "90 minutes and 30 seconds per move",
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
    ("text", "seconds", "increment"),
    [
        ("120", 7200, 0),
        ("90", 5400, 0),
        ("15", 900, 0),
        ("3", 180, 0),
        ("179", 10740, 0),
        ("180", 180, 0),
        ("2 min", 120, 0),
        ("2 min + 1 s", 120, 1),
        ("All moves in 90 minutes, plus 10 seconds per move", 5400, 10),
        ("all the moves in 15 minutes", 900, 0),
        ("Rest of the game in 30 min + 30 sec", 1800, 30),
        ("60 minutes each", 3600, 0),
        ("15 minutes + 10 seconds per move for each player", 900, 10),
        ("25 min pro Spieler + 10 Sek/Zug", 1500, 10),
        ("Rapid: 15 min + 10 sec", 900, 10),
        ("90 min / 30 sec", 5400, 30),
        ("90min/30sec", 5400, 30),
        ("All moves in 90 minutes with 10 seconds per move added", 5400, 10),
    ],
)
def test_one_time_for_the_whole_game(text, seconds, increment):
    """A number alone under 180 is minutes: as seconds nobody rates it. What is too fast is found by 1.1."""
    assert stages_of(text) == ((None, seconds, increment),)


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("40/120, 60", ((40, 7200, 0), (None, 3600, 0))),
        ("40/120', 60' QPF", ((40, 7200, 0), (None, 3600, 0))),
        ("40/90, 30", ((40, 5400, 0), (None, 1800, 0))),
        ("40/90, SD/30", ((40, 5400, 0), (None, 1800, 0))),
        ("40/90,SD/30;inc30", ((40, 5400, 30), (None, 1800, 30))),
        ("40/120, 20/60, SD/30", ((40, 7200, 0), (20, 3600, 0), (None, 1800, 0))),
        ("40/7200, 3600", ((40, 7200, 0), (None, 3600, 0))),
        ("G/90 inc30", ((None, 5400, 30),)),
        ("105 min/40 moves + 15 min. QPF", ((40, 6300, 0), (None, 900, 0))),
        ("90 min/40 moves + 30 min", ((40, 5400, 0), (None, 1800, 0))),
        ("40 moves in 2 hours, then 1 hour for the rest of the game", ((40, 7200, 0), (None, 3600, 0))),
        ("2h/40 moves + 1h", ((40, 7200, 0), (None, 3600, 0))),
        (
            "100 min/40 moves + 50 min/20 moves + 15 min + 30 sec/move",
            ((40, 6000, 30), (20, 3000, 30), (None, 900, 30)),
        ),
        (
            "120 min for 40 moves, 60 min for 20 moves, 15 min + 30 sec per move from move 61",
            ((40, 7200, 0), (20, 3600, 0), (None, 900, 30)),
        ),
    ],
)
def test_words_of_real_reports(text, stages):
    assert stages_of(text) == stages


@pytest.mark.parametrize(
    "text",
    [
        "90 min/40 moves + 30 min + 30 sec/move",
        "90 minutes for 40 moves + 30 minutes + 30 seconds/move",
        "90 minutes plus 30 sec plus 30 min after 40 moves",
        "90 minutes for the first 40 moves followed by 30 minutes for the rest of the game with an addition"
        " of 30 seconds per move starting from move one",
        "90 Minuten für 40 Züge + 30 Minuten + 30 Sek. pro Zug",
        "90'/40 moves, 30'/end + 30\"",
        "90' × 40 + 30' + 30\" from move 1",
        "40/90'+30'+30''",
        "1h30 (40 moves) + 30 min + 30 s",
    ],
)
def test_forty_moves_in_ninety_minutes_in_many_spellings(text):
    assert stages_of(text) == ((40, 5400, 30), (None, 1800, 30))


@pytest.mark.parametrize(
    "text", ["90 min + 30 sec increment", "90 mn + 30 s/coup", "90 min + 30 sek na ruch", "1h30 + 30s"]
)
def test_an_increment_in_many_spellings(text):
    assert stages_of(text) == ((None, 5400, 30),)


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
        "2",
        "90 min + 30 min",
        "90 min for 40 moves",
        "90 min + 30 sec/move for 40 moves",
        "90min + 30min/40 moves + 30s/move",
        "90 min/40 moves + 30 min + 30 sec per move from move 31",
        "90 min/40 moves + 30 sec + 30 min + 15 sec",
        "40/90+30",
        "40/400, 60",
        "40/120, 3600",
        "90/40, 30",
        "40/90, SD/30;d5",
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
        "٣٦٠٠",
        "\x005400",
        "10/600:" * 20 + "600",
    ],
)
def test_what_is_not_certain_is_not_guessed(text):
    """90+30 in record 222 would be seconds, in 122 it is minutes and seconds."""
    assert stages_of(text) is None
