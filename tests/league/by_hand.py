"""A season for the pages of the league: the cycle that test_cycles works out by hand, and an open one."""

import io

from ratings.formats.league import read_rounds, read_squads
from ratings.league.models import Season
from ratings.league.services.cycles import close_cycle
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import store_squads
from tests.league.office import NOW, bring_round
from tests.league.test_cycles import HAND_ROUNDS, HAND_SQUADS


def season_by_hand() -> Season:
    """Cycle 1 is closed after round 2; of the cycles 2 and 3, a round each, the first has its games."""
    season = store_squads("2026", read_squads(io.BytesIO(HAND_SQUADS)), cycles=[2, 3, 4]).season
    store_round(season, read_rounds(io.BytesIO(HAND_ROUNDS)))
    close_cycle(season, at=NOW)
    bring_round(
        season,
        "3,East,North,1,Cruz,Avery,0-1",
        "3,East,North,2,Cole,Abel,1/2-1/2",
        "3,South,West,1,Baker,Diaz,1/2-1/2",
    )
    return season
