"""Figures as coordinates of pictures."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from ratings.rbb import chart_drawing
from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.profile import Chart, Point, Span
from ratings.rbb.profile.chart_points import MOST_POINTS, charts
from ratings.rules.time_controls import Category

pytestmark = pytest.mark.pure

START = datetime(2026, 3, 1, tzinfo=UTC)
_keys = count(1)


def line(minutes, after, change=10, half_points=2):
    """A line of the ledger in blitz so many minutes after the start."""
    return HistoryLine(
        next(_keys), Category.BLITZ, START + timedelta(minutes=minutes), 1, 7, after, 1, False, 5, change,
        half_points, None, None,
    )  # fmt: skip


def drawn(points, start=0, end=100):
    """The path of a line with these moments and ratings."""
    of_category = {category: [] for category in Category}
    of_category[Category.BLITZ] = [Point(moment, 0, rating, 0, 0, None) for moment, rating in points]
    return chart_drawing.history(Chart(start, end, of_category, 1, []))


def test_a_rating_is_held_until_its_next_change_and_to_the_right_end():
    picture = drawn([(0, 1500_00), (50, 1520_00)])
    # 1500 to 1520 is four steps of five: the whole height.
    assert (picture.low, picture.high, picture.grid) == (1500, 1520, [1520, 1515, 1510, 1505, 1500])
    assert picture.lines[Category.BLITZ].path == "M0 300H500V0H1000"


def test_a_lost_rating_leaves_a_gap():
    assert (
        drawn([(0, 100_00), (40, None), (60, 120_00)]).lines[Category.BLITZ].path == "M0 300H400M600 0H1000"
    )


def test_the_peak_is_where_the_highest_rating_was_first_reached():
    peak = drawn([(0, 1500_00), (25, 1519_50), (50, 1510_00), (75, 1519_50)]).lines[Category.BLITZ].peak
    # 1500 to 1520 is the height: half a point below its top is 2.5 per cent.
    assert (peak.left, peak.top, peak.displayed, peak.anchor) == ("25.0%", "2.5%", 1520, "middle")
    # Whoever only fell had it at the beginning; of a shorter time its beginning counts.
    falling = [(0, 1520_00), (75, 1510_00), (100, 1500_00)]
    assert drawn(falling).lines[Category.BLITZ].peak.left == "0.0%"
    assert drawn(falling, start=50).lines[Category.BLITZ].peak.left == "0.0%"
    assert drawn([(0, 100_00), (40, None), (60, 120_00)]).lines[Category.BLITZ].peak.left == "60.0%"


def test_of_two_peaks_whose_labels_would_overlap_the_higher_one_is_named():
    def named(*moments):
        of_category = {
            category: [Point(0, 0, 1500_00, 0, 0, None), Point(moment, 1, rating, 0, 0, None)]
            for category, moment, rating in zip(Category, moments, (1600_00, 1601_00, 1589_00), strict=True)
        }
        return set(chart_drawing.history(Chart(0, 1000, of_category, 1, [])).named_peaks)

    # The picture is 1500 to 1620 points high: 1600 and 1601 are less than a hundredth of it apart, 1589 and
    # 1600 more than nine.
    assert named(500, 629, 500) == {Category.BLITZ, Category.BULLET}
    assert named(500, 630, 500) == set(Category)
    # Close to the right end labels begin further to the left.
    assert named(890, 955, 890) == {Category.BLITZ, Category.BULLET}


def test_what_was_before_the_beginning_is_drawn_at_its_left_end():
    assert drawn([(0, 1500_00), (75, 1520_00)], start=50).lines[Category.BLITZ].path == "M0 300H500V0H1000"


def test_nobody_rated_has_no_picture():
    assert drawn([]) is None
    assert drawn([(10, None)]) is None


@pytest.mark.parametrize(
    ("lowest", "highest", "grid"),
    [
        (1500, 1500, (1500, 1520)),
        (1499, 1520, (1490, 1530)),
        (2615, 2706, (2610, 2730)),
        (2176, 2420, (2100, 2500)),
        (100, 2700, (0, 4000)),
        (0, 5000, (0, 4000)),
    ],
)
def test_a_grid_has_round_numbers(lowest, highest, grid):
    assert chart_drawing.scale(lowest, highest) == grid


def test_of_many_changes_the_peaks_the_lows_and_the_gaps_stay():
    ratings = [1500_00 + (7919 * number) % 1000 for number in range(20_000)]
    ratings[777], ratings[12_345], ratings[15_000] = 2900_00, 100_00, None
    steps = [line(number, rating) for number, rating in enumerate(ratings)]
    shown = charts(steps, START + timedelta(days=30))[Span.ALL].lines[Category.BLITZ]
    assert len(shown) <= MOST_POINTS
    assert {2900_00, 100_00, None} <= {point.rating for point in shown}
    assert (shown[0].line, shown[-1].line) == (steps[0].id, steps[-1].id)
    assert [point.moment for point in shown] == sorted(point.moment for point in shown)


def test_of_many_changes_the_first_of_equal_peaks_stays():
    ratings = [1500_00 + number % 10 for number in range(20_000)]
    ratings[777] = ratings[780] = ratings[19_000] = 2900_00
    steps = [line(number, rating) for number, rating in enumerate(ratings)]
    shown = charts(steps, START + timedelta(days=30))[Span.ALL].lines[Category.BLITZ]
    assert next(point.line for point in shown if point.rating == 2900_00) == steps[777].id


def test_games_are_counted_by_day_week_or_four_weeks():
    steps = [line(0, 1500_00), line(10, 1501_00), line(60 * 24 * 7, 1502_00)]
    month, years = (charts(steps, START + timedelta(days=days))[Span.ALL] for days in (30, 900))
    assert (month.unit, [games for _, games in month.volume]) == (1, [2, 1])
    assert (years.unit, sum(games for _, games in years.volume)) == (28, 3)
