"""What the office keeps of chess over the board."""

from ratings.fide.models.lists import (
    CONTROL_NAMES,
    AnnouncedChange,
    Announcement,
    BytewiseField,
    Determination,
    FideList,
    FideListQuerySet,
    FidePlayer,
    FidePlayerQuerySet,
    FideRating,
    FirstRating,
    all_folded,
    folded,
)
from ratings.fide.models.otb_lists import OtbList, OtbListEntry, OtbListEntryQuerySet
from ratings.fide.models.tournaments import (
    KIND_NAMES,
    AcceptedFinding,
    AssociationMember,
    Tournament,
    TournamentReport,
    TournamentResult,
)

__all__ = [
    "CONTROL_NAMES",
    "KIND_NAMES",
    "AcceptedFinding",
    "AnnouncedChange",
    "Announcement",
    "AssociationMember",
    "BytewiseField",
    "Determination",
    "FideList",
    "FideListQuerySet",
    "FidePlayer",
    "FidePlayerQuerySet",
    "FideRating",
    "FirstRating",
    "OtbList",
    "OtbListEntry",
    "OtbListEntryQuerySet",
    "Tournament",
    "TournamentReport",
    "TournamentResult",
    "all_folded",
    "folded",
]
