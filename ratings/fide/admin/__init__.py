"""Admin pages of FIDE's rating lists. Nobody edits what lists say.

``AnnouncedChange``, ``FirstRating`` and ``Determination`` have no pages: a view-only page would stop Django's
admin from deleting the adjustment, opening or member that they belong to.
"""

from ratings.fide.admin.lists import (
    AnnouncementAdmin,
    DoubleRatingAdmin,
    FideListAdmin,
    FidePlayerAdmin,
    FideRatingAdmin,
)

__all__ = ["AnnouncementAdmin", "DoubleRatingAdmin", "FideListAdmin", "FidePlayerAdmin", "FideRatingAdmin"]
