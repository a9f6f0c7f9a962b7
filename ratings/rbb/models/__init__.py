"""The arena's inputs, projections and publications."""

from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.editions import RuleEdition
from ratings.rbb.models.events import ArenaEvent
from ratings.rbb.models.games import Game, ImportBatch, OtherId, RunningClocks, TimeControl
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import ListReview, RatingList, RatingListEntry
from ratings.rbb.models.openings import OpeningRating
from ratings.rbb.models.recalculations import LateLine, RecalculatedLine, Recalculation

__all__ = [
    "ArenaEvent",
    "Game",
    "ImportBatch",
    "LateLine",
    "ListReview",
    "OpeningRating",
    "OtbAdjustment",
    "OtherId",
    "Rating",
    "RatingChange",
    "RatingList",
    "RatingListEntry",
    "RecalculatedLine",
    "Recalculation",
    "RuleEdition",
    "RunningClocks",
    "TimeControl",
]
