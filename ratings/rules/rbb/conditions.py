"""RBB section 2: when a game may be rated."""

from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from ratings.rules.time_controls import Control, category_of

Span = tuple[datetime, datetime | None]
"""RBB 2.1: full membership from its first moment up to, not including, its last; None: it goes on."""

NOT_PLAYED: Final = frozenset(
    {"no show", "aborted", "abandoned", "unplayed", "not played", "bye", "walkover", "forfeit"}
)
"""Ways in which a game ends before each side has moved. A loss by disconnection (RBB 2.4) is none of them."""


class Condition(Enum):
    """What a rated game has to meet, with what is said of one that does not, and the article."""

    LISTED = "time control %(control)s is not one of the seventeen rated controls (RBB 2.3)"
    WHITE = "White was no full member when the game started (RBB 2.1)"
    BLACK = "Black was no full member when the game started (RBB 2.1)"
    PLAYED = "not played: “%(termination)s” (FIDE B.02 5.1: a game counts once each side has moved)"
    MOVED = "not played: fewer than one move by each side (FIDE B.02 5.1)"


class Unmet(NamedTuple):
    """A condition that a game does not meet. As text it is what files and stored games say."""

    condition: Condition
    words: dict[str, str]

    def __str__(self) -> str:
        return self.condition.value % self.words


NOT_FULL: Final = tuple(
    "; ".join(condition.value for condition in lacking)
    for lacking in ((Condition.WHITE,), (Condition.BLACK,), (Condition.WHITE, Condition.BLACK))
)
"""RBB 2.1: what is stored with a game that is unrated for lack of White's, Black's or both memberships."""


def not_listed(control: Control) -> Unmet:
    """RBB 2.3: what is said of a control that is not rated."""
    return Unmet(Condition.LISTED, {"control": control.notation})


def why_not_played(plies: int | None, termination: str = "") -> str:
    """RBB 2.4 with FIDE B.02 5.1: a game counts once each side has made a move; "" when it does.

    ``plies`` are the moves of both sides together where they are known; otherwise the way in which the
    game ended decides.
    """
    unplayed = _unplayed(plies, termination)
    return str(unplayed) if unplayed else ""


@lru_cache(maxsize=1024)
def _unplayed(plies: int | None, termination: str) -> Unmet | None:
    if plies is None:
        words = termination.lower().replace("-", " ").replace("_", " ").split()
        if " ".join(words) in NOT_PLAYED:
            return Unmet(Condition.PLAYED, {"termination": termination})
        return None
    return Unmet(Condition.MOVED, {}) if plies < 2 else None


def is_full(spans: Iterable[Span], moment: datetime) -> bool:
    """RBB 2.1: whether the moment is in one of a member’s spans of full membership."""
    return any(begin <= moment and (end is None or moment < end) for begin, end in spans)


def not_full(started_at: datetime, *, white: Iterable[Span], black: Iterable[Span]) -> list[Unmet]:
    """RBB 2.1: which players were no full members when a game started; none if both were."""
    players = ((Condition.WHITE, white), (Condition.BLACK, black))
    return [Unmet(condition, {}) for condition, spans in players if not is_full(spans, started_at)]


def why_not_rated(
    control: Control,
    *,
    started_at: datetime,
    white: Iterable[Span],
    black: Iterable[Span],
    plies: int | None = None,
    termination: str = "",
) -> list[Unmet]:
    """RBB section 2: the reasons, with their articles, why this game cannot be rated; none if it can.

    ``white``, ``black``: the spans of the players’ full membership.
    """
    reasons = []
    if category_of(control) is None:
        reasons.append(not_listed(control))
    reasons += not_full(started_at, white=white, black=black)
    if unplayed := _unplayed(plies, termination):
        reasons.append(unplayed)
    return reasons
