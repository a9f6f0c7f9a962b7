"""RBB section 2: when a game may be rated."""

from functools import lru_cache
from typing import Final

from ratings.rules.time_controls import Control, category_of

__all__ = ["NOT_PLAYED", "not_listed", "why_not_played", "why_not_rated"]

NOT_PLAYED: Final = frozenset(
    {"no show", "aborted", "abandoned", "unplayed", "not played", "bye", "walkover", "forfeit"}
)
"""Ways in which a game ends before each side has moved. A loss by disconnection (RBB 2.4) is none of them."""


def not_listed(control: Control) -> str:
    """RBB 2.3: what is said of a control that is not rated."""
    return f"time control {control.notation} is not one of the seventeen rated controls (RBB 2.3)"


@lru_cache(maxsize=1024)
def why_not_played(plies: int | None, termination: str = "") -> str:
    """RBB 2.4 with FIDE B.02 5.1: a game counts once each side has made a move; "" when it does.

    ``plies`` are the moves of both sides together where they are known; otherwise the way in which the
    game ended decides.
    """
    if plies is None:
        words = termination.lower().replace("-", " ").replace("_", " ").split()
        if " ".join(words) in NOT_PLAYED:
            return f"not played: “{termination}” (FIDE B.02 5.1: a game counts once each side has moved)"
        return ""
    if plies < 2:
        return "not played: fewer than one move by each side (FIDE B.02 5.1)"
    return ""


def why_not_rated(
    control: Control,
    *,
    white_is_full_member: bool,
    black_is_full_member: bool,
    plies: int | None = None,
    termination: str = "",
) -> list[str]:
    """RBB section 2: the reasons, with their articles, why this game cannot be rated; none if it can."""
    reasons = []
    if category_of(control) is None:
        reasons.append(not_listed(control))
    reasons.extend(
        f"{colour} was no full member when the game started (RBB 2.1)"
        for colour, full in (("White", white_is_full_member), ("Black", black_is_full_member))
        if not full
    )
    if not_played := why_not_played(plies, termination):
        reasons.append(not_played)
    return reasons
