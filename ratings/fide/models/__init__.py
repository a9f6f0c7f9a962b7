"""Models of FIDE's rating lists, and of what follows from them for members."""

from ratings.fide.models.doubles import DoubleRating
from ratings.fide.models.lists import (
    CONTROL_NAMES,
    AnnouncedChange,
    AnnouncedMonth,
    Announcement,
    Determination,
    FideList,
    FideListQuerySet,
    FidePlayer,
    FidePlayerQuerySet,
    FideRating,
    FirstRating,
    is_inactive,
)

__all__ = [
    "CONTROL_NAMES",
    "AnnouncedChange",
    "AnnouncedMonth",
    "Announcement",
    "Determination",
    "DoubleRating",
    "FideList",
    "FideListQuerySet",
    "FidePlayer",
    "FidePlayerQuerySet",
    "FideRating",
    "FirstRating",
    "is_inactive",
]
