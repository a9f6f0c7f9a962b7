"""Inputs, projections and publications."""

from ratings.models.events import ArenaEvent
from ratings.models.games import Game, ImportBatch, OtbAdjustment, TimeControl
from ratings.models.ledger import Rating, RatingChange
from ratings.models.lists import ListReview, RatingList, RatingListEntry
from ratings.models.openings import OpeningRating
from ratings.models.recalculations import LateLine, RecalculatedLine, Recalculation

__all__ = [
    "ArenaEvent",
    "Game",
    "ImportBatch",
    "LateLine",
    "ListReview",
    "OpeningRating",
    "OtbAdjustment",
    "Rating",
    "RatingChange",
    "RatingList",
    "RatingListEntry",
    "RecalculatedLine",
    "Recalculation",
    "TimeControl",
]
