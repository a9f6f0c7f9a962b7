"""A game in PGN: what it takes from tags and moves, what makes it rated, unrated or a problem."""

import logging
from datetime import UTC, datetime

import pytest

from ratings.formats.controls import read_control
from ratings.formats.games import EndBy, GameRow
from ratings.formats.problems import Problem
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import UNKNOWN, Control
from tests.formats.pgn_text import FIELDS, MATE, MOVES, STALEMATE, TAGS, game_of, games, pgn, reason_of

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


def game(moves: str = MOVES, /, **changes: str | None) -> GameRow:
    return game_of(pgn(moves, **changes))


def reason(moves: str = MOVES, /, **changes: str | None) -> str:
    return reason_of(pgn(moves, **changes))


@pytest.mark.parametrize(
    ("tag", "end"), [("½-½", "1/2-1/2"), ("1/2", "1/2"), ("1/2-1/2", "½-½"), ("1:0", "1-0")]
)
def test_results_are_the_words_of_every_import(tag: str, end: str) -> None:
    assert game(f"1. e4 e5 {end}", Result=tag).result == ("1-0" if end == "1-0" else "1/2-1/2")


def test_game_is_read_from_tags_and_moves() -> None:
    assert game() == GameRow(
        line=1,
        external_id="https://arena.example/game/1",
        white="Berg, Anna",
        black="Krog, Otto",
        control=Control(180, 2),
        rated=True,
        result="1-0",
        termination=Termination.TIME,
        started_at=START,
        ended_at=START,
        word="Time forfeit",
        plies=4,
        pgn=pgn().strip(),
        end_by=EndBy.START,
    )


def test_address_is_the_link_when_the_site_is_none() -> None:
    row = game(Site="Arena", Link="https://arena.example/live?id=7&x=1#end")
    assert row.external_id == "https://arena.example/live?id=7&x=1#end"
    assert game(Link="https://arena.example/other").external_id == TAGS["Site"]


def test_address_over_200_characters_is_refused() -> None:
    assert reason(Site="https://arena.example/" + "x" * 200).endswith("has 222 characters, more than 200")


@pytest.mark.parametrize("name", [None, "", "?"])
def test_both_players_are_required(name: str | None) -> None:
    assert reason(White=name, Black=name) == "white is missing; black is missing"


def test_nobody_plays_himself() -> None:
    assert reason(Black="Berg, Anna") == ("white and black are both “Berg, Anna”: a game needs two players")


def test_escaped_quotation_marks_in_tags_are_read() -> None:
    assert game(White=r"Anna \"Ace\" Berg\\").white == 'Anna "Ace" Berg\\'


def test_date_and_time_stand_in_for_utc() -> None:
    local = {"UTCDate": None, "UTCTime": None, "Date": "2026.04.02"}
    assert game(**local).started_at == datetime(2026, 4, 2, tzinfo=UTC)
    assert game(**local, Time="18:30:05").started_at == datetime(2026, 4, 2, 18, 30, 5, tzinfo=UTC)
    assert game(Date="2020.01.01").started_at == START


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"UTCDate": "2026.??.??"}, "UTCDate: “2026.??.??” isn’t a full date such as 2026.01.31"),
        ({"UTCDate": None, "Date": "????.??.??"}, "Date: “????.??.??” isn’t a full date such as 2026.01.31"),
        ({"UTCDate": None}, "Date: “” isn’t a full date such as 2026.01.31"),
        ({"UTCTime": "??:??:??"}, "UTCTime: “??:??:??” isn’t a time such as 18:30:00"),
        (
            {"UTCDate": "2026.02.30"},
            "UTCDate: “2026.02.30 10:00:00” isn’t a date and time such as 2026-01-31T18:30:00Z "
            "(day is out of range for month)",
        ),
        ({"UTCDate": "1899.12.31"}, "UTCDate: “1899.12.31 10:00:00” is not between the years 1900 and 2999"),
    ],
)
def test_date_that_is_not_full_or_not_there_is_refused(changes: dict[str, str | None], fault: str) -> None:
    assert reason(**changes) == fault


def test_control_without_increment_is_read() -> None:
    assert game(TimeControl="600").control == Control(600, 0)


@pytest.mark.parametrize(
    "control",
    ["-", "40/7200:3600", "40/9000:20/3600:1800+30", "1/259200", "*180", "300d5", "5|1", "1209600", "blitz"],
)
def test_any_other_control_is_kept_as_written_and_unrated(control: str) -> None:
    """RBB 2.2, 2.3."""
    row = game(TimeControl=control)
    assert (row.control, row.control.notation, str(row.control)) == (
        Control(0, 0, control),
        control,
        control,
    )
    assert (row.rated, row.unrated_reason) == (
        False,
        f"time control {control} is not one of the seventeen that are rated (RBB 2.3)",
    )


@pytest.mark.parametrize("control", [None, "", "?"])
def test_control_that_nobody_says_is_unknown_and_unrated(control: str | None) -> None:
    row = game(TimeControl=control)
    assert (row.control, row.rated) == (UNKNOWN, False)
    assert row.unrated_reason == "time control ? is not one of the seventeen that are rated (RBB 2.3)"


@pytest.mark.parametrize(
    ("said", "control"),
    [
        ("15'/game & 10\\\"/move", Control(900, 10)),
        ("15' + 10''/move", Control(900, 10)),
        ("3 min + 2 sec per move", Control(180, 2)),
        ("10 minutes", Control(600, 0)),
        ("10 min per game", Control(600, 0)),
        ("1m+1s", Control(60, 1)),
        ("G/10", Control(600, 0)),
        ("25 Minuten, 10 Sek. pro Zug", Control(1500, 10)),
        ("180 + 2", Control(180, 2)),
        ("'180+2'", Control(180, 2)),
        ('\\"5\' + 3\\"\\"', Control(300, 3)),
    ],
)
def test_control_in_minutes_and_seconds_is_read(said: str, control: Control) -> None:
    row = game(TimeControl=said)
    assert (row.control, row.rated) == (control, True)


@pytest.mark.parametrize(
    "said",
    ["1 min 30 s", "3 + 2 min", "90 min/40 moves", "10 m 5", "G/10;d5", "G/10;+5", "10 min + 5 s delay"],
)
def test_control_in_words_that_could_mean_another_is_kept_as_written(said: str) -> None:
    assert game(TimeControl=said).control == Control(0, 0, said)


ODDS = "180+2 for White, 60+2 for Black"


@pytest.mark.parametrize("control", [None, "?", "180+2", "300"])
@pytest.mark.parametrize("given", [None, Control(180, 2)])
def test_players_with_different_controls_are_unrated(control: str | None, given: Control | None) -> None:
    text = pgn(TimeControl=control, WhiteTimeControl="180+2", BlackTimeControl="60 + 2")
    row = game_of(text, control=given)
    assert (row.control, row.rated, row.assumed) == (Control(0, 0, ODDS), False, ())
    assert row.unrated_reason == (
        f"time odds, {ODDS}: in a rated game, both players have the same time control (RBB 2.3)"
    )
    # As the file of refused rows has it.
    assert read_control(ODDS) == row.control


@pytest.mark.parametrize("control", [None, "", "180+2"])
def test_equal_controls_of_both_players_are_the_control_of_the_game(control: str | None) -> None:
    row = game(TimeControl=control, WhiteTimeControl="180+2", BlackTimeControl="3 min + 2 s")
    assert (row.control, row.rated) == (Control(180, 2), True)


def test_a_control_of_one_player_is_compared_with_that_of_the_game() -> None:
    assert game(TimeControl="180+2", BlackTimeControl="180+2").rated
    odds = game(TimeControl="180+2", BlackTimeControl="60+2")
    assert (odds.control.notation, odds.rated) == (ODDS, False)
    alone = game(TimeControl=None, BlackTimeControl="180+2")
    assert (alone.control, alone.rated) == (UNKNOWN, False)


def test_controls_of_both_players_that_contradict_that_of_the_game_are_refused() -> None:
    assert reason(TimeControl="300", WhiteTimeControl="180+2", BlackTimeControl="180+2") == (
        "TimeControl: “300” contradicts 180+2, "
        "which WhiteTimeControl and BlackTimeControl give for both players"
    )
    assert reason(WhiteTimeControl="180+2", BlackTimeControl="x" * 101) == (
        f"BlackTimeControl: “{'x' * 39}…” has 101 characters, more than 100"
    )


def test_control_has_at_most_100_characters_that_people_see() -> None:
    assert reason(TimeControl="x" * 101) == (f"TimeControl: “{'x' * 39}…” has 101 characters, more than 100")
    assert reason(TimeControl="600\u200b+10") == (
        "TimeControl: U+200B in “600\u200b+10” can’t be seen; leave it out"
    )


def test_control_that_is_not_listed_makes_the_game_unrated() -> None:
    row = game(TimeControl="420+5")
    assert (row.rated, row.unrated_reason) == (
        False,
        "time control 420+5 is not one of the seventeen that are rated (RBB 2.3)",
    )


@pytest.mark.parametrize("moves", ["1-0", "1. e4 1-0", "1. e4 { e5 2. d4 } 1-0"])
def test_game_in_which_not_both_sides_moved_is_unrated(moves: str) -> None:
    row = game(moves)
    assert (row.rated, row.unrated_reason) == (
        False,
        "not played: fewer than one move by each side (FIDE B.02 5.1)",
    )


def test_who_abandons_a_game_in_which_both_sides_moved_was_gone() -> None:
    row = game("1. e4 e5 1-0", Termination="Abandoned")
    assert (row.rated, row.termination, row.word) == (True, Termination.BLACK_GONE, "Abandoned")
    assert reason("1. e4 e5 1/2-1/2", Result="1/2-1/2", Termination="Abandoned") == (
        "Termination: “Abandoned” with a draw: a player who is disconnected for more than 60 seconds has "
        "lost "
        "(RBB 2.4); if both were gone at once, write “disconnection both”"
    )


@pytest.mark.parametrize("word", ["noStart", "walk-over", "default", "forfeited", "aborted by server"])
def test_a_game_that_was_not_played_is_unrated_whatever_moves_it_has(word: str) -> None:
    row = game("1. e4 e5 1-0", Termination=word)
    assert (row.rated, row.unrated_reason) == (
        False,
        f"not played: “{word}” (FIDE B.02 5.1: a game counts once each side has moved)",
    )


def test_game_in_progress_has_no_result_and_no_end() -> None:
    row = game("1. e4 { [%clk 0:02:50] } e5 *", Result="*")
    assert (row.result, row.ended_at, row.rated, row.unrated_reason) == ("", None, False, "unfinished")


@pytest.mark.parametrize("word", ["aborted by server", "Abandoned", "noStart"])
def test_a_game_that_was_not_played_has_ended_without_a_result(word: str) -> None:
    row = game("1. e4 *", Result="*", Termination=word)
    assert (row.result, row.ended_at, row.rated) == ("", START, False)
    assert row.unrated_reason == "not played: fewer than one move by each side (FIDE B.02 5.1)"


def test_termination_is_normal_by_default_and_no_longer_than_64() -> None:
    assert game(Termination=None).termination is Termination.NORMAL
    assert game(Termination="?").termination is Termination.NORMAL
    assert reason(Termination="x" * 65) == f"Termination: “{'x' * 39}…” has more than 64 characters"


@pytest.mark.parametrize(
    ("moves", "fault"),
    [
        ("1. e4 e5 2. Ke3 1-0", "move 2 of White, “Ke3”, is illegal or ambiguous"),
        ("1. e4 { e5 1-0", "a comment is opened with { and never closed"),
        ("1. e4 e5", "the moves end without a result: the game is incomplete"),
        ("", "the moves end without a result: the game is incomplete"),
        ("1. e4 e5 0-1", "the tag Result says “1-0”, but the moves end with “0-1”"),
        ("1. e4 e5 *", "the tag Result says “1-0”, but the moves end with “*”"),
    ],
)
def test_moves_that_cannot_be_played_through_are_refused(moves: str, fault: str) -> None:
    assert reason(moves).startswith(fault)


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("otto_k won by resignation", "1-0"),
        ("Anna-B won on time", "0-1"),
        ("White wins by checkmate", "0-1"),
        ("Black won - game abandoned", "1-0"),
    ],
)
def test_a_sentence_that_names_the_loser_as_winner_refuses_the_game(said: str, result: str) -> None:
    names: dict[str, str | None] = {"White": "anna-b", "Black": "otto_k"}
    moves = "1. e4 e5 2. Nf3 Nc6"
    assert reason(f"{moves} {result}", **names, Result=result, Termination=said) == (
        f"the tag Termination says “{said}”, but the result is {result}"
    )
    other = "0-1" if result == "1-0" else "1-0"
    assert game(f"{moves} {other}", **names, Result=other, Termination=said).result == other
    assert game(f"{moves} {result}", Result=result, Termination="Somebody won on time").result == result


def test_missing_result_tag_is_refused() -> None:
    assert reason(Result=None) == "the tag Result says “”, but the moves end with “1-0”"


def test_standard_chess_may_say_so() -> None:
    assert game(Variant="standard", SetUp="0").rated is True
    assert game(Variant="Normal").rated is True


def test_all_faults_of_a_game_are_told_together_with_its_fields() -> None:
    (row,) = games(pgn("1. e5 1-0", Site="?", UTCDate="?"))
    assert row == Problem(
        1,
        "UTCDate: “?” isn’t a full date such as 2026.01.31; move 1 of White, “e5”, is illegal or ambiguous",
        FIELDS | {"external_id": "?"},
    )


def test_illegal_moves_are_not_logged(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        reason("1. Ke3 1-0")
    assert (caplog.records, capsys.readouterr()) == ([], ("", ""))


@pytest.mark.parametrize("moves", ["", "*"])
def test_an_entry_without_a_move_and_a_result_was_not_played(moves: str) -> None:
    """Broadcasts have an entry for each pairing."""
    assert reason(moves, Result="*") == "no moves and no result: not played"
    assert reason("1. e4 e5", Result="*") == "the moves end without a result: the game is incomplete"


@pytest.mark.parametrize(
    ("moves", "result", "end", "why"),
    [
        (
            MATE,
            "1-0",
            "Normal",
            "the moves end with checkmate, so the result must be 0-1, not 1-0 (FIDE Laws 5.1.1)",
        ),
        (STALEMATE, "1-0", "Normal", "the moves end with stalemate, which is a draw, but the result is 1-0"),
        (
            "1. e4 e5",
            "1/2-1/2",
            "anna won by checkmate",
            "means that a player won, but the result is 1/2-1/2",
        ),
        (
            "1. e4 e5",
            "1-0",
            "Game drawn by stalemate",
            "means a draw, but the result is 1-0 (FIDE Laws 5.2.1)",
        ),
    ],
)
def test_an_end_that_contradicts_the_result_is_refused(moves, result, end, why):
    assert why in reason(f"{moves} {result}", Result=result, Termination=end)


def test_a_game_whose_moves_end_as_its_result_says_is_taken():
    row = game(f"{MATE} 0-1", Result="0-1", Termination="Normal")
    assert (row.result, row.rated) == ("0-1", True)
