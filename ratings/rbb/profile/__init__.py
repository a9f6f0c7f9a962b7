"""A member's profile from the ledger: standing, results, records, and progress towards a title.

Pure functions: ledger lines in the order of events go in; numbers for a page come out.
"""

from ratings.rbb.profile.chart_points import Chart, Point, Span, charts
from ratings.rbb.profile.results import (
    Band,
    Month,
    Results,
    Statistics,
    by_category,
    frequent_opponents,
    games_of,
    months,
    records,
    results_by_colour,
    results_by_key,
    statistics,
)
from ratings.rbb.profile.summary import (
    FREQUENT_OPPONENTS,
    ProfileStanding,
    Summary,
    standing,
    summary,
    titles,
)

__all__ = [
    "FREQUENT_OPPONENTS",
    "Band",
    "Chart",
    "Month",
    "Point",
    "ProfileStanding",
    "Results",
    "Span",
    "Statistics",
    "Summary",
    "by_category",
    "charts",
    "frequent_opponents",
    "games_of",
    "months",
    "records",
    "results_by_colour",
    "results_by_key",
    "standing",
    "statistics",
    "summary",
    "titles",
]
