"""Tournament report files of FIDE (TRF16, TRF26 and their forerunner of 2006), read and written."""

from ratings.formats.trf.reading import Reading, read_trf
from ratings.formats.trf.scoring import explained_by_byes
from ratings.formats.trf.time_controls import encoded, stages_of
from ratings.formats.trf.tournament import (
    NO_PAIRING,
    OtherDay,
    Pairing,
    Player,
    Record,
    Result,
    Team,
    Tournament,
    extract,
    played_rounds,
)
from ratings.formats.trf.writing import Facts, Version, published, trf_lines

__all__ = [
    "NO_PAIRING",
    "Facts",
    "OtherDay",
    "Pairing",
    "Player",
    "Reading",
    "Record",
    "Result",
    "Team",
    "Tournament",
    "Version",
    "encoded",
    "explained_by_byes",
    "extract",
    "played_rounds",
    "published",
    "read_trf",
    "stages_of",
    "trf_lines",
]
