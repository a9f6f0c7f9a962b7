"""When a PGN game started and ended: by its tags, else by its moves, else by its day (issue 36)."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.games import EndBy, GameRow
from ratings.formats.pgn_times import END_TAGS, START_TAGS, ZONE_TAG
from tests.formats.pgn_dialects import DIALECTS, Random, end_of
from tests.formats.pgn_text import MOVES, game_of, games, pgn, reason_of, remarked

QUIET: dict[str, str | None] = {"Termination": None}
NO_START: dict[str, str | None] = {**QUIET, "UTCDate": None, "UTCTime": None, "Date": "2024.08.31"}
LATE: dict[str, str | None] = {**QUIET, "UTCDate": "2024.08.31", "UTCTime": "23:51:10"}
DATED = (
    r"([0-9]{4}[.-][0-9]{2}[.-][0-9]{2}[T ])?[0-9]{1,2}(:[0-9]{1,2}){1,2}( ?(PDT|CST|GMT)?([+-][0-9]{0,4})?)"
)


def read(moves: str = MOVES, /, **changes: str | None) -> tuple[GameRow, list[str]]:
    (row,), remarks = remarked(pgn(moves, **changes))
    assert isinstance(row, GameRow), row
    return row, remarks


def ended(moves: str = MOVES, /, **changes: str | None) -> str:
    row, _remarks = read(moves, **changes)
    assert row.ended_at is not None
    return f"{row.ended_at:%Y-%m-%d %H:%M:%S} by {row.end_by}"


def reason(moves: str = MOVES, /, **changes: str | None) -> str:
    return reason_of(pgn(moves, **changes))


@pytest.mark.parametrize(
    ("tags", "end"),
    [
        # chess.com, its API: two tags, UTC.
        ({"EndDate": "2024.09.01", "EndTime": "00:08:40", "Timezone": "UTC"}, "2024-09-01 00:08:40"),
        ({"UTCEndDate": "2024.09.01", "UTCEndTime": "00:08:40"}, "2024-09-01 00:08:40"),
        # A time alone is the first one after the start.
        ({"EndTime": "23:58:00"}, "2024-08-31 23:58:00"),
        ({"EndTime": "00:02:00"}, "2024-09-01 00:02:00"),
        ({"EndTime": "17:02:00 PDT"}, "2024-09-01 00:02:00"),
        ({"TimeEnd": "00:02:00"}, "2024-09-01 00:02:00"),
        ({"TimeEnd": "2024.09.01 00:02:00"}, "2024-09-01 00:02:00"),
        # A date in UTC with a time in a zone.
        ({"UTCEndDate": "2024.09.01", "EndTime": "17:02:00 PDT"}, "2024-09-01 00:02:00"),
        # cutechess, fastchess, and cutechess on Windows.
        ({"GameEndTime": "2024-09-01T00:08:40.204 UTC"}, "2024-09-01 00:08:40"),
        ({"GameEndTime": "2024-09-01T02:08:40 +0200"}, "2024-09-01 00:08:40"),
        ({"GameEndTime": "2024-08-31T17:08:40.204 Pacific Daylight Time"}, "2024-09-01 00:08:40"),
    ],
)
def test_an_end_in_the_tags_counts_whatever_the_clocks_say(tags: dict[str, str | None], end: str) -> None:
    moves = "1. e4 {[%clk 0:02:50]} e5 {[%emt 0:00:07]} 1-0"
    assert ended(moves, **LATE, **tags) == f"{end} by tags"


@pytest.mark.parametrize(
    ("time", "end"),
    [
        # chess.com, downloaded: the server's zone, or the player's.
        ("8:20:28 PDT", "2024-08-31 15:20:28"),
        ("20:20:28 PST", "2024-09-01 04:20:28"),
        ("8:54:46 GMT+0000", "2024-08-31 08:54:46"),
        ("0:20:28 GMT+0530", "2024-08-30 18:50:28"),
        ("8:20:28 GMT-0700 (Pacific Daylight Time)", "2024-08-31 15:20:28"),
        ("8:20:28+02:00", "2024-08-31 06:20:28"),
        ("8:20:28Z", "2024-08-31 08:20:28"),
        ("8:20 CEST", "2024-08-31 06:20:00"),
    ],
)
def test_an_end_time_alone_is_of_the_day_of_the_game_in_its_zone(time: str, end: str) -> None:
    assert ended(**NO_START, EndTime=time) == f"{end} by tags"


def test_a_start_that_is_not_told_is_counted_back_from_the_end() -> None:
    # 180 + 2 − 170 and 180 + 2 − 175.
    row, _ = read("1. e4 {[%clk 0:02:50]} e5 {[%clk 0:02:55]} 1-0", **NO_START, EndTime="8:00:19 UTC")
    assert row.started_at == datetime(2024, 8, 31, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tags", "start"),
    [
        ({"GameStartTime": "2024-08-31T23:59:30.310 UTC"}, "2024-08-31 23:59:30"),
        ({"GameStartTime": "2024-08-31T16:59:30 PDT"}, "2024-08-31 23:59:30"),
        ({"StartTime": "10:00:00"}, "2024-08-31 10:00:00"),
        ({"TimeStart": "10:00:00 CEST"}, "2024-08-31 08:00:00"),
        ({"UTCTime": "10:00:00"}, "2024-08-31 10:00:00"),
        ({"Time": "10:00:00", "StartTime": "11:00:00"}, "2024-08-31 10:00:00"),
        ({"Time": "18:00:00 PDT"}, "2024-09-01 01:00:00"),
        ({"Time": "18:00:00", "Timezone": "PDT"}, "2024-09-01 01:00:00"),
        ({"Date": None, "UTCDate": "2024.08.31", "StartTime": "10:00:00"}, "2024-08-31 10:00:00"),
        ({"Date": "????.??.??", "GameStartTime": "2024-08-31T23:59:30 UTC"}, "2024-08-31 23:59:30"),
    ],
)
def test_a_start_is_read_from_the_tags_that_programs_write(tags: dict[str, str | None], start: str) -> None:
    row, remarks = read(**NO_START | tags)
    assert f"{row.started_at:%Y-%m-%d %H:%M:%S}" == start
    assert (row.ended_at, row.end_by, remarks) == (row.started_at, EndBy.START, [])


@pytest.mark.parametrize(
    "moves",
    [
        # ChessBase, a DGT board over two lines, old files of FICS.
        "1. e4 {[%emt 0:0:4]} e5 {[%emt 0:3:3]} 2. Nf3 {[%emt 0:2:1]} Nc6 {[%emt 0:0:2]} 1-0",
        "1. e4 {[%emt 00:00:04]} e5 {[%emt\n00:03:03]} 2. Nf3 {[%emt 00:02:01]} Nc6 {[%emt 00:00:02]} 1-0",
        "1. e4 {[%emt 4.000]} e5 {[%emt 183.000]} 2. Nf3 {[%emt 121.0]} Nc6 {[%emt 2]} 1-0",
        # lichess's app notes none for the first moves; clocks count less than move times.
        "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. Nf3 {[%emt 0:02:01] [%clk 0:03:00]} "
        "Nc6 {[%emt 0:03:09] [%clk 0:03:00]} 1-0",
        # Those of variations are nobody's.
        "1. e4 {[%emt 0:0:4]} (1. d4 {[%emt 0:9:9]}) e5 {[%emt 0:5:6]} {[%emt 0:5:6]} 1-0",
    ],
)
def test_without_an_end_the_times_of_the_moves_add_up(moves: str) -> None:
    assert ended(moves, **LATE) == "2024-08-31 23:56:20 by move times"


def test_clocks_count_where_few_moves_have_a_time() -> None:
    moves = (
        "1. e4 {[%clk 0:02:50] [%emt 0:0:1]} e5 {[%clk 0:02:50]} "
        "2. Nf3 {[%clk 0:02:40]} Nc6 {[%clk 0:02:40]} 1-0"
    )
    # Twice 180 + 4 − 160; the clocks of two moves more than have a time don't outweigh it, those of three do.
    assert ended(moves, **LATE) == "2024-08-31 23:51:58 by clocks"
    assert ended(moves.replace(" e5 {[%clk 0:02:50]}", " e5"), **LATE) == "2024-08-31 23:51:11 by move times"


@pytest.mark.parametrize(
    ("moves", "changes", "seconds"),
    [
        # 180 + 2×2 − 160 by White, 180 + 2×2 − 175 by Black.
        ("1. e4 {[%clk 0:02:59]} e5 2. Nf3 {[%clk 0:02:40]} Nc6 {[%clk 0:02:55]} 1-0", {}, 33),
        # lichess: the clocks wait for the first move of each side, and nothing is added for it.
        (
            "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:02:40]} Nc6 {[%clk 0:02:55]} 1-0",
            {},
            29,
        ),
        # The loser on time used all of it: 180 + 2×2 by Black, and White's 180 + 2×3 − 150.
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 {[%clk 0:02:30]} 1-0", {"Termination": "Time forfeit"}, 220),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 {[%clk 0:02:30]} 1-0", {"Termination": "anna won on time"}, 220),
        ("1. e4 {[%emt 0:0:9]} e5 {[%emt 0:0:1]} 1-0", {"Termination": "Time forfeit"}, 191),
        # A draw on time: it was Black's move. White used 180 + 2×3 − 150.
        *(
            (
                "1. e4 e5 2. Nf3 Nc6 3. Bb5 {[%clk 0:02:30]} 1/2-1/2",
                {"Result": "1/2-1/2", "Termination": how},
                220,
            )
            for how in ("Time forfeit", "Game drawn by timeout vs insufficient material")
        ),
        # Berserk, by a first clock of half the time: 90 − 80 by White without increment, 180 − 175 by Black.
        (
            "1. e4 {[%clk 0:01:30]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:01:20]} Nc6 {[%clk 0:02:57]} 1-0",
            {},
            15,
        ),
        # Not berserk, as the tag says: 180 + 2×2 − 80 by White, 180 + 2×2 − 177 by Black.
        (
            "1. e4 {[%clk 0:01:30]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:01:20]} Nc6 {[%clk 0:02:57]} 1-0",
            {"WhiteBerserk": "false"},
            111,
        ),
        # By its tag; and with nothing left.
        ("1. e4 e5 2. Nf3 {[%clk 0:01:20]} 1-0", {"WhiteBerserk": "true"}, 10),
        (
            "1. e4 e5 2. Nf3 {[%clk 0:01:20]} Nc6 0-1",
            {"WhiteBerserk": "1", "Result": "0-1"} | {"Termination": "time"},
            90,
        ),
        # Half of 15 seconds is 7.5, written as 8.
        ("1. e4 {[%clk 0:00:08]} e5 2. Nf3 {[%clk 0:00:05]} 1-0", {"TimeControl": "15+3"}, 2.5),
        # Every second on a clock that has more than the control allows is nobody's.
        ("1. e4 {[%clk 0:09:00]} e5 {[%clk 0:02:42]} 1-0", {}, 20),
    ],
)
def test_clocks_tell_the_time_used(moves: str, changes: dict[str, str | None], seconds: float) -> None:
    row, _remarks = read(moves, **QUIET | changes)
    assert row.ended_at is not None
    assert (row.ended_at - row.started_at, row.end_by) != (timedelta(), EndBy.START)
    assert row.ended_at - row.started_at == timedelta(seconds=seconds)


GIVEN = (
    "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:02:30]} Nc6 {[%clk 0:02:30]} "
    "3. Bb5 {[%clk 0:02:00]} a6 {[%clk 0:02:00]} 4. Ba4 {[%clk 0:05:30]} Nf6 {[%clk 0:05:30]} "
    "5. O-O {[%clk 0:05:00]} Be7 {[%clk 0:05:00]} 1-0"
)
NO_INCREMENT: dict[str, str | None] = {**LATE, "UTCTime": "23:58:00", "TimeControl": "180"}


def test_time_given_to_a_player_does_not_shorten_the_game() -> None:
    # Each clock fell by 30 + 30 + 30 seconds: until 00:01:00 of the next day and month.
    assert ended(GIVEN, **NO_INCREMENT) == "2024-09-01 00:01:00 by clocks"
    # With an increment of 2, what a move took is 2 more: 90 + 6 each. The clock that rises has no fall.
    assert ended(GIVEN, **NO_INCREMENT | {"TimeControl": "180+2"}) == "2024-09-01 00:01:12 by clocks"


def test_a_player_who_lost_on_time_used_the_time_given_as_well() -> None:
    # Black had 180, was given 210, and used all of it; White's clock fell by 90.
    lost = NO_INCREMENT | {"Termination": "Time forfeit"}
    assert ended(GIVEN, **lost) == "2024-09-01 00:06:00 by clocks"


def test_a_clock_that_rises_is_told_with_its_first_rise() -> None:
    _row, remarks = read(GIVEN, **NO_INCREMENT)
    assert remarks == [
        f"line 1: {side}’s clock shows 0:05:30 at move 4, when at most 0:02:00 can be left: "
        "time was added, and what the clock lost counts as used"
        for side in ("White", "Black")
    ]
    again = GIVEN.replace("5. O-O {[%clk 0:05:00]}", "5. O-O {[%clk 0:05:45]}")
    _row, (remark, _other) = read(again, **NO_INCREMENT)
    assert "can be left (and once more)" in remark


def test_increments_and_rounding_are_no_rise() -> None:
    _row, remarks = read(
        "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:02]} 2. Nf3 {[%clk 0:03:02]} Nc6 {[%clk 0:03:04]} "
        "3. Bb5 {[%clk 0:03:05]} a6 4. Ba4 Nf6 {[%clk 0:03:08]} 1-0",
        **QUIET,
    )
    assert remarks == []


@pytest.mark.parametrize(
    ("white", "black", "changes"),
    [
        ("0:03:00", "0:01:00", {}),
        ("0:02:00", "0:03:02", {}),
        # Half of the time, and the tag says that it wasn't berserk.
        ("0:01:30", "0:03:00", {"WhiteBerserk": "0"}),
    ],
)
def test_unequal_first_clocks_are_told(white: str, black: str, changes: dict[str, str | None]) -> None:
    row, remarks = read(f"1. e4 {{[%clk {white}]}} e5 {{[%clk {black}]}} 1-0", **QUIET | changes)
    assert row.rated
    assert remarks == [
        f"line 1: the first clocks are unequal, White’s {white} and Black’s {black}: if these were time "
        "odds, the game isn’t rated (RBB 2.3)"
    ]


@pytest.mark.parametrize(
    ("white", "black"),
    [
        ("0:03:00", "0:01:30"),  # berserk
        ("0:01:30", "0:01:30"),
        ("0:03:00", "0:02:50"),  # a first move of ten seconds
    ],
)
def test_first_clocks_that_berserk_or_a_slow_first_move_explain_are_not_told(white: str, black: str) -> None:
    _row, remarks = read(f"1. e4 {{[%clk {white}]}} e5 {{[%clk {black}]}} 1-0", **QUIET)
    assert remarks == []


def test_a_day_alone_ends_at_its_end_with_a_remark() -> None:
    row, remarks = read("1. e4 {[%clk 0:02:50]} e5 1-0", **NO_START)
    assert row.started_at == datetime(2024, 8, 31, tzinfo=UTC)
    assert (row.ended_at, row.end_by) == (datetime(2024, 8, 31, 23, 59, 59, tzinfo=UTC), EndBy.DAY)
    assert remarks == ["line 1: only the day is known: the game counts as ended at 2024-08-31 23:59:59 UTC"]


def test_the_last_day_of_a_game_without_a_time_is_that_of_its_end() -> None:
    assert ended(**NO_START, EndDate="2024.09.02") == "2024-09-02 23:59:59 by day"
    assert ended(**LATE, EndDate="2024.09.01") == "2024-09-01 23:59:59 by day"
    assert ended(**LATE, EndDate="2024.08.31") == "2024-08-31 23:51:10 by start"
    assert (
        reason(**LATE, EndDate="2024.08.30") == "the game ends on 2024-08-30, before it starts on 2024-08-31"
    )


def test_an_end_before_the_start_is_refused() -> None:
    told = (
        "EndTime: the game ends at 2024-08-31 23:51:09 UTC, before it starts at 2024-08-31 23:51:10 UTC; "
        "correct one of them, or leave the end out"
    )
    assert reason(**LATE, EndDate="2024.08.31", EndTime="23:51:09") == told
    # Not even on the next day: 3 + 2 lasts no 23 hours.
    assert reason(**LATE, EndTime="23:51:09") == told
    assert ended(**LATE, EndDate="2024.08.31", EndTime="23:51:10") == "2024-08-31 23:51:10 by tags"


def test_clocks_that_contradict_the_tags_are_told() -> None:
    moves = "1. e4 {[%emt 0:10:01]} e5 1-0"
    tags: dict[str, str | None] = {"EndTime": "23:51:10"}
    assert read(moves, **LATE, **tags)[1] == [
        "line 1: according to its tags, the game lasted 0:00:00, but its moves took 0:10:01; "
        "the tags are used"
    ]
    # Ten minutes may go by before the clocks start, or without them.
    assert read(moves.replace(":01]", ":00]"), **LATE, **tags)[1] == []


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        (
            {"EndTime": "22:11:39 CST"},
            "EndTime: “22:11:39 CST” is in an unknown time zone, “CST”; not used",
        ),
        (
            {"EndTime": "22:11:39 GMT+1500"},
            "EndTime: “22:11:39 GMT+1500” is in an unknown time zone, “GMT+1500”; not used",
        ),
        ({"EndTime": "24:11:39"}, "EndTime: “24:11:39” isn’t a time such as 18:30:00; not used"),
        ({"GameEndTime": "soon"}, "GameEndTime: “soon” isn’t a time such as 18:30:00; not used"),
        (
            {"StartTime": "9:00", "Timezone": "Moon"},
            "StartTime: “9:00” is in an unknown time zone, “Moon”; not used",
        ),
        ({"EndDate": "2024.9.1"}, "EndDate: “2024.9.1” isn’t a full date such as 2026.01.31; not used"),
    ],
)
def test_a_time_that_cannot_be_read_is_told_and_not_used(tags: dict[str, str | None], said: str) -> None:
    row, remarks = read(**NO_START | tags)
    assert row.end_by is EndBy.DAY
    assert remarks == [
        f"line 1: {said}",
        "line 1: only the day is known: the game counts as ended at 2024-08-31 23:59:59 UTC",
    ]


def test_an_end_whose_day_cannot_be_read_is_of_no_other_day() -> None:
    row, remarks = read(**LATE, EndTime="23:58:00", EndDate="2024-09-02")
    assert row.end_by is EndBy.START
    assert remarks == [
        "line 1: EndDate: “2024-09-02” isn’t a full date such as 2026.01.31; not used",
    ]


@pytest.mark.parametrize("time", ["[%clk 2:58]", "[%clk 0:02:58,5]", "[%CLK 0:02:58]", "[%emt -0:00:05]"])
def test_times_of_moves_that_cannot_be_read_are_told(time: str) -> None:
    """2:58 is minutes and seconds for some programs, hours and minutes for others."""
    row, remarks = read(f"1. e4 {{{time}}} e5 {{{time}}} 2. Nf3 Nc6 1-0", **LATE)
    assert row.end_by is EndBy.START
    assert remarks == [f"line 1: “{time}” isn’t a time such as [%clk 0:02:58]; such times aren’t used"]


def test_a_clock_of_one_player_alone_is_told() -> None:
    row, remarks = read("1. e4 {[%clk 0:03:00]} e5 2. Nf3 {[%clk 0:02:00]} Nc6 1-0", **LATE)
    assert row.end_by is EndBy.CLOCKS
    assert remarks == [
        "line 1: Black has no clock in the moves: the game may have ended later than we assume"
    ]


@pytest.mark.parametrize("value", ["", "-", "?", "??:??:??", "????.??.??"])
def test_what_a_tag_leaves_open_is_no_fault(value: str) -> None:
    row, remarks = read(**LATE, EndTime=value, EndDate=value, GameEndTime=value)
    assert (row.end_by, remarks) == (EndBy.START, [])


def test_an_end_that_the_tags_tell_twice_refuses_the_game() -> None:
    text = pgn(EndTime="10:05:00").replace("[EndTime", '[EndTime "10:06:00"]\n[EndTime')
    assert reason_of(text) == "line 12: the tag EndTime appears twice, with different values"


def test_the_zone_of_a_file_in_other_capital_letters_is_read() -> None:
    row, remarks = read(**NO_START, Time="18:00:00", TimeZone="PDT")
    assert f"{row.started_at:%Y-%m-%d %H:%M:%S}" == "2024-09-01 01:00:00"
    assert remarks == ["line 10: the tag TimeZone is read as Timezone"]


def test_a_time_in_utc_is_in_no_other_zone() -> None:
    assert reason(UTCTime="10:00:00 PDT") == "UTCTime: “10:00:00 PDT” isn’t a time in UTC such as 18:30:00"


def test_a_game_in_progress_has_a_start_and_no_end() -> None:
    row, remarks = read("1. e4 e5 *", **NO_START, Result="*", EndTime="10:00:00")
    assert (row.started_at, row.ended_at) == (datetime(2024, 8, 31, tzinfo=UTC), None)
    assert (row.end_by, remarks) == (None, [])


def test_the_identity_of_a_game_does_not_change_with_the_tags_that_are_read_now() -> None:
    """A file that was imported before 0.12 may come again."""
    moves = (
        "1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 Ke7 5. Ke1 Ke8 "
        "6. Nf3 Nf6 7. Nc3 Nc6 8. d3 d6 9. Be3 Be6 10. Bf4 Bf5 1-0"
    )
    plain: dict[str, Any] = {**NO_START, "Site": "Lund"}
    told = read(moves, **plain, GameStartTime="2024-08-31T23:30:00 PDT", EndTime="23:40:00 PDT")[0]
    assert told.external_id == read(moves, **plain)[0].external_id
    # Where nothing else tells games apart, they do: such games were refused.
    first, second = (read(**plain, EndTime=time)[0].external_id for time in ("8:00:00", "9:00:00"))
    assert first != second
    assert "no time, no round" in reason(**plain)


def test_a_start_is_not_counted_back_further_than_the_control_allows() -> None:
    # 2 × 3 minutes, 2 × 2 seconds, and 10 minutes.
    row, _remarks = read("1. e4 {[%emt 999:59:59]} e5 1-0", **NO_START, EndTime="08:16:04")
    assert row.started_at == datetime(2024, 8, 31, 8, tzinfo=UTC)


@given(
    st.dictionaries(
        st.sampled_from((*END_TAGS, *START_TAGS, ZONE_TAG, "Date", "Time", "UTCDate", "UTCTime")),
        st.from_regex(DATED, fullmatch=True)
        | st.from_regex(r"[0-9]{4}\.[01][0-9]\.[0-3][0-9]", fullmatch=True)
        | st.text(alphabet="0123456789.:-+TZ? UTCPD"),
    )
)
def test_whatever_the_tags_say_a_game_is_refused_or_ends_after_its_start(tags: dict[str, str]) -> None:
    (row,) = games(pgn("1. e4 {[%emt 999:59:59]} e5 {[%clk 0:01:30]} 1-0", **{**NO_START, **tags}))
    if isinstance(row, GameRow):
        assert row.ended_at is not None
        assert row.started_at <= row.ended_at
    else:
        assert row.reason


@given(seed=st.integers(0, 10**6), dialect=st.sampled_from(DIALECTS))
def test_a_second_reading_of_the_rule_agrees_on_random_games_of_eight_programs(
    seed: int, dialect: Any
) -> None:
    text = dialect(Random(random.Random(seed)))
    assert game_of(text).ended_at == end_of(text), text
