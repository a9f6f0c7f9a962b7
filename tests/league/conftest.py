"""What the tests of the league's pages begin with."""

import pytest

from tests.league.by_hand import season_by_hand


@pytest.fixture
def season(db):
    """A cycle worked out by hand, and a second one that is open."""
    return season_by_hand()
