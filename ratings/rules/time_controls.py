"""RBB 2.3: the seventeen predetermined time controls. A control is rated by look-up, never by a formula."""

import re
from enum import IntEnum
from typing import Final, NamedTuple

MAX_INITIAL: Final = 24 * 3600
"""Seconds; beyond a day a side a control is taken for a misprint."""
MAX_INCREMENT: Final = 3600
"""Seconds a move."""
MAX_WRITTEN: Final = 100
"""Characters of a control that isn't seconds and increment."""


class Category(IntEnum):
    """RBB 1.1: the three ratings a full member may have."""

    RAPID = 1
    BLITZ = 2
    BULLET = 3

    @property
    def slug(self) -> str:
        """The name in addresses, files and commands: ``rapid``, ``blitz``, ``bullet``."""
        return self.name.lower()

    @classmethod
    def from_slug(cls, slug: str) -> "Category":
        """Return the category of that name; raises ValueError naming the three there are."""
        try:
            return cls[slug.upper()]
        except KeyError:
            raise ValueError(f"“{slug}” isn’t a category: use rapid, blitz or bullet (RBB 1.1)") from None


class Control(NamedTuple):
    """A time control: seconds for the game and seconds added per move, or another one as it is written.

    ``written``: a control that is not seconds and increment, such as 40/7200:3600 or *180. ``initial`` and
    ``increment`` are 0 then, and say nothing. RBB 2.2: an unrated game may have any.
    """

    initial: int
    increment: int
    written: str = ""

    def __str__(self) -> str:
        """Return it as people write it: ``10 min + 10 s``, ``3 min``, ``1 min 30 s + 1 s``."""
        if self.written:
            return self.written
        minutes, seconds = divmod(self.initial, 60)
        minutes_text = [f"{minutes} min"] if minutes or not seconds else []
        initial = " ".join(minutes_text + [f"{seconds} s"] * bool(seconds))
        return f"{initial} + {self.increment} s" if self.increment else initial

    @property
    def short(self) -> str:
        """The control as players call it: ``3+2``; in full where the minutes aren't whole."""
        minutes, seconds = divmod(self.initial, 60)
        return str(self) if self.written or seconds else f"{minutes}+{self.increment}"

    @property
    def notation(self) -> str:
        """The control in PGN notation: ``600+10``."""
        return self.written or f"{self.initial}+{self.increment}"

    @classmethod
    def parse(cls, notation: str) -> "Control":
        """Read PGN notation, ``600+10`` or ``600``; raises ValueError with what is expected."""
        match = re.fullmatch(r"([0-9]{1,6})(?:\+([0-9]{1,5}))?", notation.strip())
        if match is None:
            raise ValueError(
                f"time control “{notation[:40]}” is not seconds+increment such as 600+10 (RBB 2.3)"
            )
        control = cls(int(match[1]), int(match[2] or 0))
        if control.initial > MAX_INITIAL or control.increment > MAX_INCREMENT:
            raise ValueError(f"time control “{notation}” is longer than a day a side or an hour a move")
        return control


UNKNOWN: Final = Control(0, 0, "?")
"""Control of a game whose source doesn't say it (PGN standard 9.6.1)."""

RATED_CONTROLS: Final[dict[Control, Category]] = {
    Control(60 * minutes, increment): category
    for category, controls in (
        # RBB 2.3.1
        (Category.RAPID, ((15, 0), (25, 0), (45, 0), (10, 10), (15, 10), (25, 10), (45, 10))),
        # RBB 2.3.2
        (Category.BLITZ, ((3, 0), (5, 0), (10, 0), (3, 2), (3, 3), (5, 3))),
        # RBB 2.3.3
        (Category.BULLET, ((1, 0), (2, 0), (1, 1), (1, 2))),
    )
    for minutes, increment in controls
}


def category_of(control: Control) -> Category | None:
    """Return the category in which a control is rated, None if it isn't listed (RBB 2.3).

    10m is blitz and 10m + 10s is rapid, so only the list can decide.
    """
    return RATED_CONTROLS.get(control)
