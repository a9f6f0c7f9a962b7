"""What the tests of the league’s pages begin with."""

import pytest

from tests.fide.conftest import clerk, officer
from tests.league.by_hand import season_by_hand

__all__ = ["clerk", "officer", "season"]


@pytest.fixture(scope="class")
def season(standing):
    """A cycle worked out by hand, and a second one that is open."""
    return standing(season_by_hand)
