"""The results of a game as files write them: one vocabulary for every import.

Arena games and league boards come in their sources' notations: 1-0, 1:0, ½-½, 0,5-0,5, =-=, +/-. A tournament
report has a code for each player (``ratings.formats.trf.Result``); two of them joined by a dash are read in
the same way.
"""

import re
from functools import lru_cache
from typing import Final

IN_PROGRESS: Final = ""

NOT_SAID: Final = ("", "?", "-")
"""Values that mean no result is given."""

FORFEITS: Final = {"+/-": "1-0", "-/+": "0-1"}
"""Results of a game that wasn't played, and who gets the point."""

_AS_WRITTEN: Final = {
    **{one: one for one in ("1-0", "0-1", "1/2-1/2", *FORFEITS)},
    **dict.fromkeys(("", "*"), IN_PROGRESS),
    # Both players' halves, or one that stands for both.
    "1/2": "1/2-1/2",
    **dict.fromkeys(("+--", "+-"), "+/-"),
    **dict.fromkeys(("--+", "-+"), "-/+"),
}
# An apostrophe stops spreadsheets taking +/- for a formula, also in the office's own files.
_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys(("'", " ", "\xa0"), ""),
        **{"½": "1/2", "⁄": "/", "=": "1/2", ":": "-"},
        **dict.fromkeys("‐‑–—−", "-"),
    }
)

_HALF: Final = r"(?:1[/⁄]2|½|0[.,]5)"
BETWEEN: Final = r"[\x20\xa0]?[-:‐‑–—−][\x20\xa0]?"
"""A regular expression for the text between two players' points. It is also safe in verbose patterns."""

AT_THE_END: Final = rf"1{BETWEEN}0|0{BETWEEN}1|{_HALF}{BETWEEN}{_HALF}|=-=|1[/⁄]2|½|\*"
"""A regular expression for the results that may end the moves, among signs such as = and +-."""

ENDS: Final = re.compile(rf"(?:\A|[\s)])(?:{AT_THE_END})\Z")
"""A text that ends with such a result."""

LONGEST: Final = len("0.5 - 0.5")
"""Length of the longest such result."""


_BOTH_LOST: Final = frozenset({"-/-", "---", "--", "0-0", "0/0"})


@lru_cache(maxsize=1024)
def result_of(text: str) -> str | None:
    """Return ``1-0``, ``0-1``, ``1/2-1/2``, ``+/-``, ``-/+``, or ``""`` in progress; None if invalid."""
    found = _AS_WRITTEN.get(text)
    if found is None:
        alike = text.translate(_ALIKE).replace("0.5", "1/2").replace("0,5", "1/2")
        found = _AS_WRITTEN.get(alike)
    return found


def board_result_of(text: str) -> str | None:
    """Read the result of a match board as ``result_of`` does, plus ``-/-``: both sides can lose."""
    return "-/-" if text.translate(_ALIKE) in _BOTH_LOST else result_of(text)
