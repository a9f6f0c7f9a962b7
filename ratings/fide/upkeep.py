"""What becomes due by FIDE's lists because time passes. Importing this lets the worker do it."""

from datetime import datetime

from ratings.fide.services.first_ratings import Determined, determine_begun
from ratings.office.upkeep import hourly


@hourly
def give_first_ratings(at: datetime) -> Determined:
    """RBB 3.4: first ratings on the first day of full membership."""
    return determine_begun(at=at)
