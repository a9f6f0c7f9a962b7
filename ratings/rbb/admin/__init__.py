"""Admin pages of ratings: inputs can be edited, projections are read-only."""

from ratings.rbb.admin.closures import AccountClosureAdmin
from ratings.rbb.admin.games import (
    ArenaEventAdmin,
    GameAdmin,
    ImportBatchAdmin,
    OpeningRatingAdmin,
    OtbAdjustmentAdmin,
    TimeControlAdmin,
)
from ratings.rbb.admin.ledger import (
    LateLineAdmin,
    RatingAdmin,
    RatingChangeAdmin,
    RecalculatedLineAdmin,
    RecalculationAdmin,
)
from ratings.rbb.admin.lists import RatingListAdmin, RatingListEntryAdmin
from ratings.rbb.admin.members import MemberDecisionsAdmin

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
