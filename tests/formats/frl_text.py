"""FIDE rating lists for the tests: invented people in the layouts of real lists, written out by hand."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from ratings.formats.frl import FideControl, FideRating, PlayerRow, Players, RatingListFile, open_frl
from ratings.formats.frl.layouts import itself
from ratings.formats.problems import FileRefused, Problem, Remark
from tests.formats.streams import Trickle

__all__ = [
    "BERG",
    "COMBINED_TXT",
    "KROG",
    "SMALL_XML",
    "TXT_LISTS",
    "player",
    "problems",
    "read",
    "refusal",
    "remarks",
    "rows_of",
    "xml",
]

_NAMES = "ID Number      Name" + " " * 57 + "Fed Sex Tit  WTit OTit           "
_BERG = "30012345       Berg, Anna Maria" + " " * 45 + "NOR F   WGM  WGM  IA,FST,IO      "
_KROG = "499            Krog" + " " * 57 + "NON M                            "
_BERG_RATINGS = "2235  9   20 2191  0   20 2200  12  15 1971  w   "
_KROG_RATINGS = "1709  0   40 0     0   0  0     0   0  0     i   "

COMBINED_TXT = (
    f"{_NAMES}FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag\r\n"
    f"{_BERG}AGM {_BERG_RATINGS}\r\n"
    f"{_KROG}    {_KROG_RATINGS}\r\n"
)
"""The combined list of today."""

TXT_LISTS = {
    "combined": COMBINED_TXT,
    "combined without FOA": (
        f"{_NAMES}SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag\r\n"
        f"{_BERG}{_BERG_RATINGS}\r\n"
        f"{_KROG}1709  0   40                           0000  i   \r\n"
    ),
    "single": (
        f"{_NAMES}FOA OCT26 Gms K  B-day Flag\r\n"
        f"{_BERG}AGM 2235  9   20 1971  w   \r\n"
        f"{_KROG}    1709  0   40 0     i   \r\n"
    ),
    "2012 to 2015": (
        f"{_NAMES}mar14 Gms K  B-day Flag\r\n"
        f"{_BERG}2235  9   20 1971  w   \r\n"
        f"{_KROG}1709  0   40 0000  i   \r\n"
    ),
    "2005 to 2012": (
        "ID number Name                              TitlFed  Mar11 GamesBorn  Flag\r\n"
        "30012345  Berg, Anna Maria                  wg  NOR  2235    9  1971  w \r\n"
        "     499  Krog                                  NON  1709    0        i \r\n"
    ),
    "2002 to 2005": (
        "ID_NUMBER NAME                          TITLE COUNTRY OCT02 GAMES BIRTHDAY FLAG\r\n"
        "30012345  Berg, Anna Maria                  wg  NOR  2235    9  17.01.71  w  \r\n"
        "     499  Krog                                  NON  1709    0    .  .    i  \r\n"
        "\x1a"
    ),
    "2001": (
        "ID_NUMBER NAME                             TITLE COUNTRY JAN01 GAMES FLAG\r\n"
        " \r\n"
        "30012345  Berg, Anna Maria                 wg    NOR     2235    9   w   \r\n"
        "     499  Krog                                   NON     1709    0   i   \r\n"
        "\x1a"
    ),
}
"""The same two people in the layouts of the years."""

BERG = PlayerRow(
    2,
    30012345,
    "Berg, Anna Maria",
    "NOR",
    "F",
    "WGM",
    "WGM",
    "IA,FST,IO",
    "AGM",
    FideRating(2235, 9, 20),
    FideRating(2191, 0, 20),
    FideRating(2200, 12, 15),
    1971,
    "w",
)
KROG = PlayerRow(
    3, 499, "Krog", "NON", "M", "", "", "", "",
    FideRating(1709, 0, 40), FideRating(None, 0, 0), FideRating(None, 0, 0), None, "i",
)  # fmt: skip
"""How the combined list is read."""


def xml(**changes: str | None) -> str:
    """A record of the combined list, as FIDE writes it; a change to None takes the element away."""
    values = {
        "fideid": "30012345",
        "name": "Berg, Anna Maria",
        "country": "NOR",
        "sex": "F",
        "title": "WGM",
        "w_title": "WGM",
        "o_title": "IA,FST,IO",
        "foa_title": "AGM",
        "rating": "2235",
        "games": "9",
        "k": "20",
        "rapid_rating": "2191",
        "rapid_games": "0",
        "rapid_k": "20",
        "blitz_rating": "2200",
        "blitz_games": "12",
        "blitz_k": "15",
        "birthday": "1971",
        "flag": "w",
    }
    elements = (values | changes).items()
    inside = "".join(f"<{tag}>{text}</{tag}>\n" for tag, text in elements if text is not None)
    return f"<player>\n{inside}</player>\n"


_KROG_XML = """<player>
<fideid>499</fideid>
<name>Krog</name>
<country>NON</country>
<sex>M</sex>
<title></title>
<w_title></w_title>
<o_title></o_title>
<rating>1709</rating>
<games>0</games>
<k>40</k>
<rapid_rating></rapid_rating>
<rapid_games></rapid_games>
<rapid_k></rapid_k>
<blitz_rating>0</blitz_rating>
<blitz_games>0</blitz_games>
<blitz_k>0</blitz_k>
<birthday></birthday>
<flag>i</flag>
</player>
"""
SMALL_XML = f"<playerslist>\n{xml()}{_KROG_XML}</playerslist>\n"
"""A combined list with an older record: without FOA title, empty instead of 0."""


def read(
    data: str | bytes, control: FideControl | None = None, step: int = 0
) -> list[PlayerRow | Remark | Problem]:
    """The rows of a list, given ``step`` bytes at a time if it is not 0."""
    content = data.encode("latin-1") if isinstance(data, str) else data
    return list(rows_of(open_frl(Trickle(content, step) if step else io.BytesIO(content), control)))


def rows_of(opened: RatingListFile) -> Iterator[PlayerRow | Remark | Problem]:
    """The players of a list one by one, and what is said of them."""
    for some in opened.players(itself):
        if isinstance(some, Players):
            for line, number, name, described, *ratings, end in zip(*some, strict=True):
                yield PlayerRow._make((line, number, name, *described, *ratings, *end))
        else:
            yield some


def player(data: str | bytes, control: FideControl | None = None) -> PlayerRow:
    """The only row of a list, which has no problem."""
    (row,) = read(data, control)
    assert isinstance(row, PlayerRow), row
    return row


def problems(data: str | bytes, **more: Any) -> list[str]:
    """What a list is reported for, line by line."""
    return [str(row) for row in read(data, **more) if isinstance(row, Problem)]


def refusal(data: str | bytes, control: FideControl | None = None) -> str:
    """Why a file is no list."""
    with pytest.raises(FileRefused) as caught:
        read(data, control)
    return str(caught.value)


def remarks(data: str | bytes, **more: Any) -> list[str]:
    """What was left blank in a list, or repaired, line by line."""
    return [str(row) for row in read(data, **more) if isinstance(row, Remark)]
