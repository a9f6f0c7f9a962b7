"""Games in CSV: each rule of a row, and that every fault of a row is told at once."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.games import COLUMNS, RESULTS, GameRow, in_utc, read_games_csv
from ratings.formats.problems import FileRefused, Problem
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control

GOOD = {
    "external_id": "arena/1",
    "white": "anna.berg",
    "black": "otto.krog",
    "time_control": "180+2",
    "rated": "1",
    "result": "1-0",
    "termination": "checkmate",
    "started_at": "2026-03-01T10:00:00Z",
    "ended_at": "2026-03-01T10:05:30Z",
}

GAME = GameRow(
    line=2,
    external_id="arena/1",
    white="anna.berg",
    black="otto.krog",
    control=Control(180, 2),
    rated=True,
    result="1-0",
    termination=Termination.CHECKMATE,
    started_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
    ended_at=datetime(2026, 3, 1, 10, 5, 30, tzinfo=UTC),
)

NO_MOMENT = "isn’t a date and time such as 2026-01-31T18:30:00Z"


def read(**changes: str) -> GameRow | Problem:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerow(GOOD | changes)
    (row,) = read_games_csv(io.BytesIO(text.getvalue().encode()))
    return row


def game(**changes: str) -> GameRow:
    row = read(**changes)
    assert isinstance(row, GameRow), row
    return row


def reason(**changes: str) -> str:
    row = read(**changes)
    assert isinstance(row, Problem)
    assert (row.line, row.fields) == (2, GOOD | changes)
    return row.reason


def test_good_row_is_a_game() -> None:
    assert game() == GAME


def test_file_with_other_columns_is_refused() -> None:
    with pytest.raises(
        FileRefused, match="missing: “started_at”, “ended_at”; unknown: “moves”; the columns must be"
    ):
        list(read_games_csv(io.BytesIO((",".join(COLUMNS[:-2]) + ",moves").encode())))


def test_row_that_cannot_be_taken_apart_is_a_problem_between_the_games() -> None:
    line = ",".join(GOOD.values())
    data = f"{','.join(COLUMNS)}\n{line}\nshort\n{line}\n".encode()
    first, problem, last = read_games_csv(io.BytesIO(data))
    assert (first, last) == (GAME, replace(GAME, line=4))
    assert problem == Problem(3, "1 of 9 fields, in the row that begins “short”", {"external_id": "short"})


@pytest.mark.parametrize("word", ["1", "true", "TRUE", "Yes", "y", "T"])
def test_words_for_rated(word: str) -> None:
    assert game(rated=word).rated is True


@pytest.mark.parametrize("word", ["0", "false", "FALSE", "No", "n", "F"])
def test_words_for_unrated(word: str) -> None:
    row = game(rated=word)
    assert (row.rated, row.unrated_reason) == (False, "")


@pytest.mark.parametrize("word", ["", "2", "on", "rated"])
def test_other_words_for_rated_are_refused(word: str) -> None:
    assert reason(rated=word) == (f"rated: “{word}” is neither yes nor no (1, 0, true, false, yes, no)")


@pytest.mark.parametrize("result", RESULTS)
def test_three_results_of_a_finished_game(result: str) -> None:
    assert game(result=result, termination="").result == result


@pytest.mark.parametrize("result", ["", "*"])
def test_game_without_result_and_end_is_in_progress(result: str) -> None:
    row = game(result=result, ended_at="")
    assert (row.result, row.ended_at, row.rated) == ("", None, True)


@pytest.mark.parametrize("result", ["1-1", "0-0", "-/-", "1-0F", "draw"])
def test_other_results_are_refused(result: str) -> None:
    assert reason(result=result) == (
        f"result: “{result}” isn’t 1-0, 0-1, 1/2-1/2, +/-, -/+, or * for a game in progress"
    )


@pytest.mark.parametrize(
    ("termination", "result"),
    [
        *((end, "1-0") for end in ("stalemate", "agreed", "3-fold repetition", "50 moves", "insufficient")),
        *((end, "½-½") for end in ("mate", "resigns", "anna won on time")),
    ],
)
def test_an_end_that_contradicts_the_result_is_refused_with_both(termination: str, result: str) -> None:
    """FIDE Laws 5.1, 5.2, 9.2, 9.3."""
    told = reason(termination=termination, result=result)
    assert told.startswith(f"termination: “{termination}” means ")
    assert f"but the result is {result.replace('½-½', '1/2-1/2')} (FIDE Laws " in told


def test_a_loss_on_time_may_be_a_draw() -> None:
    """FIDE Laws 6.9."""
    assert game(termination="time", result="1/2-1/2").rated


def test_a_forfeit_is_a_game_that_was_not_played() -> None:
    row = game(result="-/+", termination="")
    assert (row.result, row.termination, row.rated) == ("0-1", Termination.FORFEIT, False)
    assert row.unrated_reason.startswith("not played: “forfeit” (FIDE B.02 5.1")
    assert game(result="+/-", termination="no show").termination is Termination.NO_SHOW
    assert reason(result="+/-") == (
        "result “+/-” is a forfeit, but termination “checkmate” says that the game was played"
    )


def test_result_without_end_is_refused() -> None:
    assert reason(ended_at="") == "ended_at is missing, but result is “1-0”: give both or neither"


@pytest.mark.parametrize("result", ["", "*"])
def test_end_without_result_is_refused(result: str) -> None:
    assert reason(result=result) == (
        "ended_at is “2026-03-01T10:05:30Z”, but result is missing: give both or neither"
    )


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01 10:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T11:30:00+01:30", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-02-28T23:00:00-11:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T10:00:00.250Z", datetime(2026, 3, 1, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("20260301T10", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("01.03.2026 10:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("1.3.2026 10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
    ],
)
def test_times_with_offset_or_without_are_utc(text: str, moment: datetime) -> None:
    started_at = game(started_at=text).started_at
    assert started_at == moment
    assert started_at.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("2026-02-30T10:00:00Z", f"{NO_MOMENT} (day is out of range for month)"),
        ("2026-03-01T24:30:00Z", f"{NO_MOMENT} (hour must be in 0..23)"),
        ("yesterday", NO_MOMENT),
        ("2026-03-01", "is a date without a time; write 2026-01-31T18:30:00Z"),
        ("20260301", "is a date without a time; write 2026-01-31T18:30:00Z"),
        ("01.03.2026", "is a date without a time; write 2026-01-31T18:30:00Z"),
        ("30.02.2026 10:00", f"{NO_MOMENT} (day is out of range for month)"),
        ("2/3/2026 10:00", NO_MOMENT),
        ("1899-12-31T23:59:59Z", "is not between the years 1900 and 2999"),
        ("3000-01-01T00:00:00Z", "is not between the years 1900 and 2999"),
        ("9999-12-31T23:59:59-01:00", f"{NO_MOMENT} (date value out of range)"),
    ],
)
@pytest.mark.parametrize("name", ["started_at", "ended_at"])
def test_times_that_are_none_are_refused_with_their_column(name: str, text: str, fault: str) -> None:
    assert reason(**{name: text}) == f"{name}: “{text}” {fault}"


@pytest.mark.parametrize("control", ["99999999999999999999+3", "600+9999999999", "1234567890"])
def test_a_time_control_of_ten_digits_is_refused(control: str) -> None:
    assert reason(time_control=control) == (
        f"time_control: “{control}” can’t be a time control; "
        "write seconds+increment, such as 600+10 (RBB 2.3)"
    )


def test_start_is_required() -> None:
    assert reason(started_at="") == "started_at is missing"


def test_end_before_start_is_refused() -> None:
    assert reason(ended_at="2026-03-01T09:59:59Z") == (
        "ended_at: “2026-03-01T09:59:59Z” is before started_at “2026-03-01T10:00:00Z”"
    )
    assert game(ended_at="2026-03-01T10:00:00Z").ended_at == GAME.started_at


@pytest.mark.parametrize(("name", "longest"), [("external_id", 200), ("white", 150), ("black", 150)])
def test_texts_are_required_and_have_a_longest(name: str, longest: int) -> None:
    assert getattr(game(**{name: "x" * longest}), name) == "x" * longest
    assert reason(**{name: "x" * (longest + 1)}) == (
        f"{name}: “{'x' * 39}…” has {longest + 1} characters, more than {longest}"
    )
    assert reason(**{name: ""}) == f"{name} is missing"


def test_nobody_plays_himself() -> None:
    assert reason(black="anna.berg") == ("white and black are both “anna.berg”: a game needs two players")


def test_control_is_required() -> None:
    assert reason(time_control="") == (
        "time_control: missing; write seconds+increment, such as 600+10 (RBB 2.3)"
    )
    assert reason(time_control="x" * 101).startswith("time_control: ")


@pytest.mark.parametrize(
    ("written", "control"),
    [
        ("420+5", Control(420, 5)),
        ("40/7200:3600", Control(0, 0, "40/7200:3600")),
        ("-", Control(0, 0, "-")),
        ("180+-2", Control(0, 0, "180+-2")),
    ],
)
def test_game_at_a_control_of_no_category_is_unrated(written: str, control: Control) -> None:
    """RBB 2.3; one that was never marked as rated has no reason (2.2)."""
    row = game(time_control=written)
    why = f"time control {written} is not one of the seventeen that are rated (RBB 2.3)"
    assert (row.rated, row.control, row.unrated_reason) == (False, control, why)
    assert game(time_control=written, rated="no").unrated_reason == ""


def test_control_in_words_is_read() -> None:
    assert game(time_control="3 minutes").control == Control(180, 0)


def test_termination_is_a_word_of_at_most_64_characters() -> None:
    assert game(termination="").termination is Termination.NORMAL
    assert game(termination="x" * 64).word == "x" * 64
    assert reason(termination="x" * 65) == f"termination: “{'x' * 39}…” has more than 64 characters"


def test_termination_is_the_office_s_word_and_the_file_s_is_kept_beside_it() -> None:
    assert (game().termination, game().word) == (Termination.CHECKMATE, "")
    row = game(termination="Time forfeit")
    assert (row.termination, row.word, row.rated) == (Termination.TIME, "Time forfeit", True)


NOT_PLAYED = {
    "no show": Termination.NO_SHOW,
    "NO_SHOW": Termination.NO_SHOW,
    "noStart": Termination.NO_SHOW,
    "aborted by server": Termination.ABORTED,
    "Abandoned": Termination.ABORTED,
    "unstarted": Termination.ABORTED,
    "not played": Termination.ABORTED,
    "half-point bye": Termination.BYE,
    "walk-over": Termination.FORFEIT,
    "default": Termination.FORFEIT,
    "forfeited": Termination.FORFEIT,
}


@pytest.mark.parametrize(("word", "termination"), NOT_PLAYED.items())
def test_rated_game_that_was_not_played_becomes_unrated(word: str, termination: Termination) -> None:
    row = game(termination=word)
    assert (row.rated, row.termination, row.word) == (False, termination, word)
    assert row.unrated_reason == (
        f"not played: “{word}” (FIDE B.02 5.1: a game counts once each side has moved)"
    )
    assert game(termination=word, rated="0").unrated_reason == ""


@pytest.mark.parametrize("word", ["goodbye", "стоп"])
def test_unknown_word_leaves_a_game_unrated_with_that_word_in_the_reason(word: str) -> None:
    row = game(termination=word)
    assert (row.rated, row.termination, row.word) == (False, Termination.UNKNOWN, word)
    assert row.unrated_reason.startswith(f"“{word}” leaves open whether the game was played")


def test_player_who_was_gone_has_lost() -> None:
    """RBB 2.4."""
    assert game(termination="disconnected").termination is Termination.BLACK_GONE
    assert game(termination="disconnected", result="0-1").termination is Termination.WHITE_GONE
    assert reason(termination="disconnected", result="1/2-1/2") == (
        "termination: “disconnected” with a draw: a player who is disconnected for more than 60 seconds "
        "has lost "
        "(RBB 2.4); if both were gone at once, write “disconnection both”"
    )


def test_all_faults_of_a_row_are_told_together() -> None:
    assert reason(
        external_id="", black="anna.berg", time_control="", rated="maybe", result="2-0", started_at="2026"
    ) == (
        "external_id is missing; "
        "white and black are both “anna.berg”: a game needs two players; "
        "time_control: missing; write seconds+increment, such as 600+10 (RBB 2.3); "
        "rated: “maybe” is neither yes nor no (1, 0, true, false, yes, no); "
        "result: “2-0” isn’t 1-0, 0-1, 1/2-1/2, +/-, -/+, or * for a game in progress; "
        "started_at: “2026” isn’t a date and time such as 2026-01-31T18:30:00Z"
    )


@given(st.datetimes(datetime(1900, 1, 2), datetime(2999, 12, 30)), st.integers(-23 * 60, 23 * 60))
def test_any_moment_written_with_any_offset_is_read_back(moment: datetime, minutes: int) -> None:
    written = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert in_utc(written.isoformat()) == written


@given(st.lists(st.text(max_size=20), min_size=9, max_size=9), st.sets(st.sampled_from(COLUMNS), max_size=3))
def test_no_values_raise_and_every_row_is_game_or_problem(texts: list[str], changed: set[str]) -> None:
    changes = {name: text for name, text in zip(COLUMNS, texts, strict=True) if name in changed}
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, (GOOD | changes).values()])
    data = text.getvalue().encode("utf-8", "surrogatepass")
    for row in read_games_csv(io.BytesIO(data)):
        if isinstance(row, GameRow):
            assert row.white != row.black
            assert (row.ended_at is None) == (row.result == "")


@pytest.mark.parametrize("word", ["aborted", "no-show", "cancelled", "forfeit", "bye"])
def test_a_game_that_was_not_played_ends_without_a_result_and_unrated(word):
    row = read(result="", termination=word)
    assert isinstance(row, GameRow)
    assert (row.result, row.rated, row.has_ended) == ("", False, True)
    assert row.ended_at is not None
    assert row.unrated_reason.startswith("not played")


def test_when_it_ended_may_be_left_out_of_a_game_that_was_not_played_only():
    assert read(result="", termination="aborted", ended_at="").ended_at is None
    assert isinstance(read(result="", termination="checkmate"), Problem)
