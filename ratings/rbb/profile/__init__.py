"""A member's profile from the ledger: standing, results, records, and progress towards a title.

Pure functions: ledger lines in the order of events go in; numbers for a page come out.
"""

from ratings.rbb.profile.chart_points import Chart, Point, Span, charts, day_of
from ratings.rbb.profile.months import Month, months
from ratings.rbb.profile.records import Records, Run, records
from ratings.rbb.profile.results import (
    Results,
    ResultsByColour,
    best_win,
    by_category,
    frequent_opponents,
    games_of,
    results,
    results_by_colour,
)
from ratings.rbb.profile.standings import Standing, standing
from ratings.rbb.profile.statistics import Band, Statistics, statistics
from ratings.rbb.profile.summary import FREQUENT_OPPONENTS, Summary, summary, titles

__all__ = [
    "FREQUENT_OPPONENTS",
    "Band",
    "Chart",
    "Month",
    "Point",
    "Records",
    "Results",
    "ResultsByColour",
    "Run",
    "Span",
    "Standing",
    "Statistics",
    "Summary",
    "best_win",
    "by_category",
    "charts",
    "day_of",
    "frequent_opponents",
    "games_of",
    "months",
    "records",
    "results",
    "results_by_colour",
    "standing",
    "statistics",
    "summary",
    "titles",
]
