"""The rating office behind the counter: inputs are edited here, projections only looked at."""

from ratings.admin.closures import AccountClosureAdmin
from ratings.admin.games import (
    ArenaEventAdmin,
    GameAdmin,
    ImportBatchAdmin,
    OpeningRatingAdmin,
    OtbAdjustmentAdmin,
    TimeControlAdmin,
)
from ratings.admin.ledger import (
    LateLineAdmin,
    RatingAdmin,
    RatingChangeAdmin,
    RecalculatedLineAdmin,
    RecalculationAdmin,
)
from ratings.admin.lists import RatingListAdmin, RatingListEntryAdmin
from ratings.admin.members import MemberDecisionsAdmin

__all__ = [
    "AccountClosureAdmin",
    "ArenaEventAdmin",
    "GameAdmin",
    "ImportBatchAdmin",
    "LateLineAdmin",
    "MemberDecisionsAdmin",
    "OpeningRatingAdmin",
    "OtbAdjustmentAdmin",
    "RatingAdmin",
    "RatingChangeAdmin",
    "RatingListAdmin",
    "RatingListEntryAdmin",
    "RecalculatedLineAdmin",
    "RecalculationAdmin",
    "TimeControlAdmin",
]
