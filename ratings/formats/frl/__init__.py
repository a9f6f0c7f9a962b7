"""FIDE rating lists, combined or for one time control: TXT since 2001, and XML. Streamed, in flat memory."""

from ratings.formats.frl.layouts import Part, Players
from ratings.formats.frl.opening import RatingListFile, is_archive, open_frl
from ratings.formats.frl.rows import FIRST_LIST_YEAR, YEARS_OF_LISTS, FideControl, FideRating, PlayerRow
from ratings.formats.frl.writing import combined_txt, combined_xml, single_txt, single_xml

__all__ = [
    "FIRST_LIST_YEAR",
    "YEARS_OF_LISTS",
    "FideControl",
    "FideRating",
    "Part",
    "PlayerRow",
    "Players",
    "RatingListFile",
    "combined_txt",
    "combined_xml",
    "is_archive",
    "open_frl",
    "single_txt",
    "single_xml",
]
