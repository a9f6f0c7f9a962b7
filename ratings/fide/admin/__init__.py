"""FIDE's rating lists behind the counter. What lists say is edited by nobody.

``AnnouncedChange``, ``FirstRating`` and ``Determination`` have no pages: one that is only looked at would
forbid Django's admin to delete the adjustment, opening or member that they go with.
"""

from ratings.fide.admin.doubles import DoubleRatingAdmin
from ratings.fide.admin.lists import AnnouncementAdmin, FideListAdmin, FidePlayerAdmin, FideRatingAdmin

__all__ = ["AnnouncementAdmin", "DoubleRatingAdmin", "FideListAdmin", "FidePlayerAdmin", "FideRatingAdmin"]
