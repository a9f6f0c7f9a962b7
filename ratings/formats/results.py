"""The results of a game as files write them: one vocabulary for every import.

Games of the arena and boards of the league come with whatever their source writes: 1-0, 1:0, ½-½, 0,5-0,5,
=-=, +/-. A tournament report has a code for each player (``ratings.formats.trf.Result``); two of them with a
dash between are read the same.
"""

import re
from functools import lru_cache
from typing import Final

IN_PROGRESS: Final = ""

NOT_SAID: Final = ("", "?", "-")
"""Values that say nothing."""

FORFEITS: Final = {"+/-": "1-0", "-/+": "0-1"}
"""The results of a game that was not played, and who has the point."""

_AS_WRITTEN: Final = {
    **{one: one for one in ("1-0", "0-1", "1/2-1/2", *FORFEITS)},
    **dict.fromkeys(("", "*"), IN_PROGRESS),
    # Both players' halves, or one of them for both.
    "1/2": "1/2-1/2",
    **dict.fromkeys(("+--", "+-"), "+/-"),
    **dict.fromkeys(("--+", "-+"), "-/+"),
}
# An apostrophe keeps a spreadsheet from taking +/- for a formula, in files of the office too.
_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys(("'", " ", "\xa0"), ""),
        **{"½": "1/2", "⁄": "/", "=": "1/2", ":": "-"},
        **dict.fromkeys("‐‑–—−", "-"),
    }
)

_HALF: Final = r"(?:1[/⁄]2|½|0[.,]5)"
BETWEEN: Final = r"[\x20\xa0]?[-:‐‑–—−][\x20\xa0]?"
"""A regular expression of what may stand between the points of two players, also in a verbose one."""

AT_THE_END: Final = rf"1{BETWEEN}0|0{BETWEEN}1|{_HALF}{BETWEEN}{_HALF}|=-=|1[/⁄]2|½|\*"
"""A regular expression of the results that may end the moves, among which are signs such as = and +-."""

ENDS: Final = re.compile(rf"(?:\A|[\s)])(?:{AT_THE_END})\Z")
"""A text with such a result at its end."""

LONGEST: Final = len("0.5 - 0.5")
"""Characters of such a result."""


_BOTH_LOST: Final = frozenset({"-/-", "---", "--", "0-0", "0/0"})


@lru_cache(maxsize=1024)
def result_of(text: str) -> str | None:
    """``1-0``, ``0-1``, ``1/2-1/2``, ``+/-``, ``-/+``, ``""`` in progress; None for what is no result."""
    found = _AS_WRITTEN.get(text)
    if found is None:
        alike = text.translate(_ALIKE).replace("0.5", "1/2").replace("0,5", "1/2")
        found = _AS_WRITTEN.get(alike)
    return found


def board_result_of(text: str) -> str | None:
    """Read the result of a board of a match, which both sides can lose: ``-/-``; else as ``result_of``."""
    return "-/-" if text.translate(_ALIKE) in _BOTH_LOST else result_of(text)
