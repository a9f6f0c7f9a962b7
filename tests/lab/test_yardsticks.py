"""Rating systems of others, asked about games in which the first player always wins."""

import numpy as np
import pytest

from ratings.formats.variants import YARDSTICKS
from ratings.lab.yardsticks import expected_scores
from tests.lab.test_engine import as_data
from tests.lab.test_variants import played

pytestmark = [pytest.mark.pure]

DAY = 24 * 3600 * 1_000_000


@pytest.mark.parametrize("name", YARDSTICKS)
def test_a_yardstick_learns_from_results(name):
    games = [played(n + 1, n % 2, 1 - n % 2, 2 - 2 * (n % 2), moment=n * DAY) for n in range(40)]
    stranger = played(41, 0, 2, 1, moment=40 * DAY)
    found = expected_scores(name, as_data([*games, stranger]), 20)
    assert len(found) == 21
    # Player 0 is White in every other game, and always expected to win.
    assert (found[:20:2] > 0.6).all()
    assert (found[1:20:2] < 0.4).all()
    assert np.isnan(found[20])


def test_glicko_as_published():
    """Both are new: Glickman's g(RD) of 350 is 0.669, but equal ratings are expected to score a half."""
    games = [played(n + 1, 0, 1, 1, moment=n) for n in range(2)]
    assert expected_scores("glicko", as_data(games), 0)[1] == 0.5


def test_elo_as_published():
    games = [played(n + 1, 0, 1, 2, moment=n) for n in range(2)]
    # K 32: 1516 and 1484.
    assert expected_scores("elo", as_data(games), 0)[1] == pytest.approx(1 / (1 + 10 ** (-32 / 400)))
