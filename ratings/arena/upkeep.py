"""What becomes due in the arena because time passes. Importing this lets the worker do it."""

from datetime import datetime

from ratings.arena.services.presence import settle_all
from ratings.office.upkeep import hourly


@hourly
def end_games_by_presence(at: datetime) -> None:
    """RBB 2.4: games whose end the worker has missed."""
    settle_all(at)
