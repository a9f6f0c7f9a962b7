"""How long a game can last, and from when a first rating is plausible."""

from datetime import UTC, datetime, timedelta

from ratings.rules.rbb.plausibility import (
    DAY_ALONE,
    TOLERANCE,
    first_day,
    is_day_alone,
    lasts_too_long,
    longest,
)
from ratings.rules.time_controls import Control


def test_a_game_lasts_both_starting_times_the_increments_and_a_tolerance_at_most():
    assert timedelta(minutes=10) == TOLERANCE
    assert longest(Control(180, 0), None) == longest(Control(180, 0), 80) == timedelta(minutes=16)
    # 2 × 3 minutes, 80 × 2 seconds, and 10 minutes.
    assert longest(Control(180, 2), 80) == timedelta(minutes=18, seconds=40)


def test_a_game_of_unknown_moves_may_have_had_three_hundred_of_each_side():
    assert longest(Control(600, 10), None) == timedelta(minutes=20 + 100 + 10)


def test_a_day_alone_says_nothing_about_how_long_a_game_lasted():
    midnight, control = datetime(2026, 3, 1, tzinfo=UTC), Control(180, 2)
    assert is_day_alone(midnight, midnight + DAY_ALONE)
    assert not lasts_too_long(midnight, midnight + DAY_ALONE, control, 80)
    second = timedelta(seconds=1)
    for started_at, ended_at in (
        (midnight + second, midnight + second + DAY_ALONE),
        (midnight, midnight + DAY_ALONE + second),
        (midnight, midnight + timedelta(minutes=18, seconds=41)),
    ):
        assert not is_day_alone(started_at, ended_at)
        assert lasts_too_long(started_at, ended_at, control, 80)
    assert not lasts_too_long(midnight, midnight + timedelta(minutes=18, seconds=40), control, 80)


def test_3_4_the_first_day_is_that_of_the_first_span():
    spans = [
        (datetime(2026, 5, 1, 18, 30, tzinfo=UTC), None),
        (datetime(2025, 2, 1, 23, 59, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC)),
    ]
    assert first_day(spans) == datetime(2025, 2, 1, tzinfo=UTC)
    assert first_day([]) is None
