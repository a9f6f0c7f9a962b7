"""The fixed-width layouts of FIDE rating lists since 2001, each known by its header line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

COMBINED_HEADER: Final = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit      "
    "     FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
"""The header line of the current combined list."""

SINGLE_HEADER: Final = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit      "
    "     FOA %s Gms K  B-day Flag"
)
"""The header line of the current lists of one control, for a label of the month such as OCT26."""


class Column(NamedTuple):
    """Where a value stands in a row, counted from 0; ``end`` is the first character after it.

    ``loose``: it may stand anywhere in there. All others begin at ``start``, which is how a row that has
    lost or won a character is known.
    """

    field: str
    start: int
    end: int
    loose: bool


@dataclass(frozen=True)
class Layout:
    """A layout: the pattern of its header line in capitals, and its columns from left to right.

    The columns come in parts: ID, name, what describes the player, one or three ratings with games and K, and
    birth and flag. The group of the pattern, if any, is the month that the list names.
    """

    header: re.Pattern[str]
    columns: tuple[Column, ...]

    @property
    def combined(self) -> bool:
        """Whether it has ratings of all three controls."""
        return sum(column.field == "rating" for column in self.columns) > 1

    @property
    def width(self) -> int:
        """Characters of a whole row."""
        return self.columns[-1].end

    @property
    def shortest(self) -> int:
        """What a row keeps if the blanks at its end have been cut: all before the last part."""
        return self.parts[-1][0].start

    @property
    def parts(self) -> list[tuple[Column, ...]]:
        """The columns part by part."""
        ratings = [place for place, column in enumerate(self.columns) if column.field == "rating"]
        after = ratings[-1] + 1
        while self.columns[after].field in ("games", "k"):
            after += 1
        cuts = [0, 1, 2, *ratings, after, len(self.columns)]
        return [self.columns[start:end] for start, end in pairwise(cuts)]


_MONTH: Final = "([A-Z]{3}[0-9]{2})"
_OLD_MONTH: Final = "([A-Z]{3,4}[0-9]{2})"
_PERSON: Final = (
    ("fide_id", 15),
    ("name", 61),
    ("federation", 4),
    ("sex", 4),
    ("title", 5),
    ("women_title", 5),
    ("other_titles", 15),
)
_FOA: Final = (("arena_title", 4),)
_RATED: Final = (("rating", 6), ("games", 4), ("k", 3))
_END: Final = (("birth", 6), ("flag", 4))
_OLD: Final = (
    ("fide_id", 10),
    ("name", 34),
    ("title", 4),
    ("federation", 5),
    ("rating", 5),
    ("games", 6),
)


def _columns(widths: Iterable[tuple[str, int]], *loose: str) -> tuple[Column, ...]:
    fields, lengths = zip(*widths, strict=True)
    edges = pairwise(accumulate(lengths, initial=0))
    return tuple(
        Column(field, start, end, field in {"fide_id", "name", *loose})
        for field, (start, end) in zip(fields, edges, strict=True)
    )


def _exactly(header: str) -> re.Pattern[str]:
    return re.compile(re.escape(header.upper()).replace("%S", _MONTH))


COMBINED: Final = Layout(_exactly(COMBINED_HEADER), _columns(_PERSON + _FOA + _RATED * 3 + _END))
SINGLE: Final = Layout(_exactly(SINGLE_HEADER), _columns(_PERSON + _FOA + _RATED + _END))
"""The two layouts of today."""

LAYOUTS: Final = (
    COMBINED,
    Layout(_exactly(COMBINED_HEADER.replace("FOA ", "")), _columns(_PERSON + _RATED * 3 + _END)),
    SINGLE,
    # 2012 to 2015
    Layout(_exactly(SINGLE_HEADER.replace("FOA ", "")), _columns(_PERSON + _RATED + _END)),
    # Older headers do not always stand above their columns: only the order of the labels is taken from them.
    # IDs and games are flushed right. 2005 to 2012:
    Layout(
        re.compile(rf"ID NUMBER +NAME +TITL *FED +{_OLD_MONTH} *GAMES *BORN +FLAG"),
        _columns((*_OLD, ("birth", 6), ("flag", 4)), "games"),
    ),
    # 2002 to 2005
    Layout(
        re.compile(rf"ID[_ ]NUMBER +NAME +TITLE +COUNTRY +{_OLD_MONTH} +GAMES +BIRTHDAY +FLAG"),
        _columns((*_OLD, ("birth", 10), ("flag", 3)), "games", "birth"),
    ),
    # 2001
    Layout(
        re.compile(rf"ID[_ ]NUMBER +NAME +TITLE +COUNTRY +{_OLD_MONTH} +GAMES +FLAG"),
        _columns(
            (
                ("fide_id", 10),
                ("name", 33),
                ("title", 6),
                ("federation", 8),
                ("rating", 6),
                ("games", 6),
                ("flag", 4),
            ),
            "games",
        ),
    ),
)
