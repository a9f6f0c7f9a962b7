"""Chess over the board behind the counter: FIDE lists, tournaments, and the office's own lists of them.

What lists say is edited by nobody. ``AnnouncedChange``, ``FirstRating`` and ``Determination`` have no pages:
one that is only looked at would forbid Django's admin to delete the adjustment, opening or member that they
go with. ``TournamentReport`` and ``AcceptedFinding`` are shown on the page of their tournament.
"""

from ratings.fide.admin.lists import AnnouncementAdmin, FideListAdmin, FidePlayerAdmin, FideRatingAdmin
from ratings.fide.admin.otb_lists import (
    AssociationMemberAdmin,
    OtbListAdmin,
    OtbListEntryAdmin,
    TournamentResultAdmin,
)
from ratings.fide.admin.tournaments import TournamentAdmin

__all__ = [
    "AnnouncementAdmin",
    "AssociationMemberAdmin",
    "FideListAdmin",
    "FidePlayerAdmin",
    "FideRatingAdmin",
    "OtbListAdmin",
    "OtbListEntryAdmin",
    "TournamentAdmin",
    "TournamentResultAdmin",
]
