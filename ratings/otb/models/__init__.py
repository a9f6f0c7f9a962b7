"""Tournaments over the board under B.02, their results and lists."""

from ratings.otb.models.lists import OtbList, OtbListEntry, OtbListEntryQuerySet
from ratings.otb.models.refusals import Refusal
from ratings.otb.models.tournaments import (
    KIND_NAMES,
    AcceptedFinding,
    AssociationMember,
    Tournament,
    TournamentReport,
    TournamentResult,
)

__all__ = [
    "KIND_NAMES",
    "AcceptedFinding",
    "AssociationMember",
    "OtbList",
    "OtbListEntry",
    "OtbListEntryQuerySet",
    "Refusal",
    "Tournament",
    "TournamentReport",
    "TournamentResult",
]
