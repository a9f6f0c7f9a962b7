"""Tournament reports for the tests: invented people in the layouts of real reports, written out by hand."""

import io

import pytest

from ratings.formats.problems import FileRefused
from ratings.formats.trf import Reading, Tournament, read_trf

__all__ = ["OLD", "SWISS", "TEAMS", "changed", "problems", "read", "refusal", "remarks", "tournament"]

_BLANK = " " * 85

SWISS = (
    "012 Fjord Open\n"
    "022 Bergen\n"
    "032 NOR\n"
    "042 2026/03/14\n"
    "052 2026/03/15\n"
    "062 5\n"
    "072 4\n"
    "082 0\n"
    "092 Individual: Swiss-System\n"
    "102 Vik, Stein\n"
    "112 Aas, Tor\n"
    "112 Dahl, Liv\n"
    "122 90 minutes and 30 seconds per move\n"
    f"132 {_BLANK}  26/03/14  26/03/14  26/03/15\n"
    "001    1 wWGM Berg, Anna                        2235 NOR    30012345 1971/04/02  2.5    1"
    "     3 w 1     5 b 1     2 b =\n"
    "001    2 m FM Krog, Ole                         2190 DEN     1400010 1988/00/00  2.0    2"
    "     4 b =     3 w +     1 w =\n"
    "001    3 w    Lind, Eva                              SWE                         0.0    5"
    "     1 b 0     2 b -     4 w 0\n"
    "001    4 m    Moe, Per                          1804 NOR     1500020 2001/12/31  2.0    3"
    "     2 w =  0000 - H     3 b 1\n"
    "001    5      Nygård, Ida                       1755         1500031             1.0    4"
    "  0000 - U     1 w 0  0000 - Z\n"
)
"""A Swiss in TRF16 as the specification has it. Berg is on line 15, Nygård on line 19."""

OLD = (
    "012 Harbour Cup\n"
    "042 07.06.2008\n"
    "0         1         2         3         4         5         6         7         8         9         0\n"
    "001    1 F  m Berg, Anna                        2235 nor         412 1971        1.5       "
    "   2 B 1  0000 - =\n"
    "001    2 M gm Krog, Ole                            0 DEN           0             0.0       "
    "   1 w 0          \n"
)
"""As programs wrote it before 2016, with a ruler line, without ranks and without a date of the end."""

TEAMS = (
    "### a team match in TRF26\n"
    "012 Strait Match\n"
    "022 Helsingborg\n"
    "032 SWE\n"
    "042 2026/05/01\n"
    "052 2026/05/01\n"
    "092 Team: Match\n"
    "102 Vik, Stein\n"
    "132 " + _BLANK + "  26/05/01\n"
    "142 1\n"
    "152 W\n"
    "162 W 1.0    D 0.5    L 0.0\n"
    "192 CUSTOM\n"
    "222 5400+30\n"
    "352 WB\n"
    "362 TW 2.0   TD 1.0\n"
    "001    1 wWGM Berg, Anna                        2235 NOR    30012345 1971/04/02  1.0    1     3 w 1\n"
    "NOR    1                                        2251 BER       10417\n"
    "001    2 m    Moe, Per                          1804 NOR     1500020 2001/12/31  0.5    2     4 b =\n"
    "001    3 m FM Krog, Ole                         2190 DEN     1400010 1988/00/00  0.0    4     1 b 0\n"
    "001    4 w    Lind, Eva                              SWE                         0.5    2     2 w =\n"
    "310   1 Bergen                           BER     2020    2.0    1.5   1     1    2\n"
    "310   2 Öresund                          ORE     2190    0.0    0.5   2     3    4\n"
    "260 001 001  001  003\n"
    "XXP 2 4 1\n"
    "XYZ of a program\n"
    "\n"
    "801   1 BER   2.0  1.5\n"
)
"""A team event in TRF26 with a line of a national federation, forbidden pairs and a record nobody knows."""


def read(text: str | bytes, *, skip_unknown_federations: bool = False) -> Reading:
    """What is read of a file."""
    data = text.encode() if isinstance(text, str) else text
    return read_trf(io.BytesIO(data), skip_unknown_federations=skip_unknown_federations)


def tournament(text: str | bytes) -> Tournament:
    """The tournament of a file that is not refused."""
    reading = read(text)
    assert reading.problems == ()
    assert reading.tournament is not None
    return reading.tournament


def problems(text: str | bytes) -> list[str]:
    """Why a file is refused, each with its line; nothing of it may then be given out."""
    reading = read(text)
    assert (reading.tournament is None) == bool(reading.problems)
    return [str(problem) for problem in reading.problems]


def remarks(text: str | bytes) -> list[str]:
    """What was taken otherwise than it is written, in a file that is not refused."""
    reading = read(text)
    assert reading.problems == ()
    return [str(remark) for remark in reading.remarks]


def refusal(data: bytes) -> str:
    """Why a file is no report at all."""
    with pytest.raises(FileRefused) as caught:
        read(data)
    return str(caught.value)


def changed(old: str, new: str, text: str = SWISS) -> str:
    """The report with the first such text replaced."""
    assert old in text
    return text.replace(old, new, 1)
