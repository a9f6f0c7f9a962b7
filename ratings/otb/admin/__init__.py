"""Over-the-board tournaments behind the counter, and the office's own lists of them.

``TournamentReport`` and ``AcceptedFinding`` are shown on the page of their tournament.
"""

from ratings.otb.admin.fees import FeePaymentAdmin, RatingAdministratorAdmin, RatingFeeAdmin
from ratings.otb.admin.lists import (
    AssociationMemberAdmin,
    OtbListAdmin,
    OtbListEntryAdmin,
    TournamentResultAdmin,
)
from ratings.otb.admin.tournaments import TournamentAdmin

__all__ = [
    "AssociationMemberAdmin",
    "FeePaymentAdmin",
    "OtbListAdmin",
    "OtbListEntryAdmin",
    "RatingAdministratorAdmin",
    "RatingFeeAdmin",
    "TournamentAdmin",
    "TournamentResultAdmin",
]
