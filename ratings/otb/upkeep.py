"""Work over the board that the worker does as time passes. Importing this module registers it."""

from datetime import datetime

from ratings.office.upkeep import hourly
from ratings.otb.services.remaking_rows import make_all_missing


@hourly
def take_reports_apart(at: datetime) -> None:
    """Make the rows of reports that an earlier version received."""
    make_all_missing()
