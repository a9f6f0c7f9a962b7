"""Over-the-board tournaments under B.02, their results and lists."""

from ratings.otb.models.fees import FeePayment, RatingAdministrator, RatingFee
from ratings.otb.models.lists import OtbList, OtbListEntry, RaisedList
from ratings.otb.models.refusals import Refusal
from ratings.otb.models.rows import TournamentGame, TournamentPlayer
from ratings.otb.models.tournaments import (
    CHAPTER_CHOICES,
    CHAPTER_NAMES,
    KIND_CHOICES,
    KIND_NAMES,
    AcceptedFinding,
    AssociationMember,
    Tournament,
    TournamentReport,
    TournamentResult,
)

__all__ = [
    "CHAPTER_CHOICES",
    "CHAPTER_NAMES",
    "KIND_CHOICES",
    "KIND_NAMES",
    "AcceptedFinding",
    "AssociationMember",
    "FeePayment",
    "OtbList",
    "OtbListEntry",
    "RaisedList",
    "RatingAdministrator",
    "RatingFee",
    "Refusal",
    "Tournament",
    "TournamentGame",
    "TournamentPlayer",
    "TournamentReport",
    "TournamentResult",
]
