"""What the worker does over the board. Importing this lets it."""

from datetime import datetime

from ratings.office.upkeep import hourly
from ratings.otb.services.remaking_rows import make_all_missing


@hourly
def take_reports_apart(at: datetime) -> None:
    """Make the rows of reports that an earlier version has received."""
    make_all_missing()
