"""RBB section 2: when a game may be rated."""

from collections.abc import Collection, Iterable
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from ratings.rules.cited import _
from ratings.rules.rbb.terminations import NOT_PLAYED, Termination
from ratings.rules.rbb.variants import STANDARD
from ratings.rules.time_controls import Control, category_of

Span = tuple[datetime, datetime | None]
"""RBB 2.1: full membership from its first moment up to, not including, its last; None: it goes on."""


class Closure(NamedTuple):
    """The closing of an account for rated play, and which games from before the closure are void as well.

    ``games_since``: the first moment of those games; None: none of them. ``opponents``: only games against
    these members; empty: against everybody. The rest is for the games that the closure takes out.
    """

    closed_from: datetime
    closed_until: datetime | None
    games_since: datetime | None
    opponents: set[int]
    decided_at: datetime
    category: str
    note: str

    @property
    def span(self) -> Span:
        """First moment of the closure, and the first at which the account is open again."""
        return self.closed_from, self.closed_until

    def takes_out(self, started_at: datetime, opponent: int) -> bool:
        """Return True if a rated game of the account against this member is void, whenever it arrives."""
        if self.closed_until is not None and started_at >= self.closed_until:
            return False
        if started_at >= self.closed_from:
            return True
        since_then = self.games_since is not None and started_at >= self.games_since
        return since_then and (not self.opponents or opponent in self.opponents)


class Account(NamedTuple):
    """The facts of a player that decide whether a game is rated: full membership (RBB 2.1), and closures."""

    full: Collection[Span]
    closed: Collection[Closure] = ()
    member: int = 0


class Condition(Enum):
    """Conditions of a rated game, each with its message for games that don't meet it, and the article."""

    STANDARD = _("the game was %(variant)s, and only standard chess is rated (RBB 1.1)")
    LISTED = _("time control %(control)s is not one of the seventeen that are rated (RBB 2.3)")
    WHITE = _("White was not a full member when the game started (RBB 2.1)")
    BLACK = _("Black was not a full member when the game started (RBB 2.1)")
    PLAYED = _("not played: “%(termination)s” (FIDE B.02 5.1: a game counts once each side has moved)")
    MOVED = _("not played: fewer than one move by each side (FIDE B.02 5.1)")
    KNOWN = _(
        "“%(termination)s” leaves open whether the game was played (FIDE B.02 5.1: a game counts once "
        "each side has moved)"
    )
    WHITE_LOST = _(
        "White was disconnected for more than 60 seconds and so lost, but the result is %(result)s (RBB 2.4)"
    )
    BLACK_LOST = _(
        "Black was disconnected for more than 60 seconds and so lost, but the result is %(result)s (RBB 2.4)"
    )
    BOTH_GONE = _(
        "both players’ 60 seconds of disconnection ran out at the same instant, so neither lost (RBB 2.4)"
    )


class Unmet(NamedTuple):
    """A condition that a game does not meet. As text it is what files and stored games say."""

    condition: Condition
    words: dict[str, str]

    @property
    def field(self) -> str:
        """The field of a game that is concerned, as files and the API call it."""
        return _CONCERNS[self.condition][0]

    @property
    def article(self) -> str:
        """The article that asks for it: “RBB 2.1”."""
        return _CONCERNS[self.condition][1]

    def __str__(self) -> str:
        return self.condition.value % self.words


_CONCERNS: Final[dict[Condition, tuple[str, str]]] = {
    Condition.STANDARD: ("variant", "RBB 1.1"),
    Condition.LISTED: ("time_control", "RBB 2.3"),
    Condition.WHITE: ("white", "RBB 2.1"),
    Condition.BLACK: ("black", "RBB 2.1"),
    Condition.PLAYED: ("termination", "FIDE B.02 5.1"),
    Condition.MOVED: ("plies", "FIDE B.02 5.1"),
    Condition.KNOWN: ("termination", "FIDE B.02 5.1"),
    Condition.WHITE_LOST: ("result", "RBB 2.4"),
    Condition.BLACK_LOST: ("result", "RBB 2.4"),
    Condition.BOTH_GONE: ("termination", "RBB 2.4"),
}

NOT_FULL: Final = tuple(
    "; ".join(condition.value for condition in lacking)
    for lacking in ((Condition.WHITE,), (Condition.BLACK,), (Condition.WHITE, Condition.BLACK))
)
"""RBB 2.1: reasons stored with a game that is unrated because White, Black or both lack full membership."""

LOST: Final[dict[str, tuple[str, Condition]]] = {
    Termination.WHITE_GONE: ("0-1", Condition.WHITE_LOST),
    Termination.BLACK_GONE: ("1-0", Condition.BLACK_LOST),
}
"""RBB 2.4: the only result of a game whose player was gone, and what is said of any other."""

PLAYED: Final = frozenset(Termination) - NOT_PLAYED - {Termination.BOTH_GONE, Termination.UNKNOWN}
"""Ways in which a game ends that may be rated."""


def not_listed(control: Control) -> Unmet:
    """Return the unmet condition of a control that isn't rated (RBB 2.3)."""
    return Unmet(Condition.LISTED, {"control": control.notation})


def why_not_listed(control: Control) -> str:
    """Return why a game at this control isn't rated, "" if it may be (RBB 2.3)."""
    return "" if category_of(control) else str(not_listed(control))


def why_not_standard(variant: str) -> str:
    """Return why a game of this variant isn't rated; "" for standard chess (RBB 1.1)."""
    return str(_not_standard(variant)) if variant != STANDARD else ""


def _not_standard(variant: str) -> Unmet:
    return Unmet(Condition.STANDARD, {"variant": variant})


def why_not_played(plies: int | None, termination: str = Termination.NORMAL, word: str = "") -> str:
    """Return why a game lacks a move by each side; "" if it may count (RBB 2.4 with FIDE B.02 5.1).

    ``plies``: the moves of both sides together where they are known. ``termination``: one of
    :class:`Termination`. ``word``: what the source says of the end, if that is another word.
    """
    unplayed = _unplayed(plies, termination, word)
    return str(unplayed) if unplayed else ""


@lru_cache(maxsize=1024)
def _unplayed(plies: int | None, termination: str, word: str) -> Unmet | None:
    said = {"termination": word or termination}
    if plies is not None and plies < 2:
        return Unmet(Condition.MOVED, {})
    if termination in NOT_PLAYED:
        return Unmet(Condition.PLAYED, said)
    if termination == Termination.BOTH_GONE:
        return Unmet(Condition.BOTH_GONE, {})
    if termination not in PLAYED:
        return Unmet(Condition.KNOWN, said)
    return None


def contradiction(termination: str, result: str) -> Unmet | None:
    """Return the contradiction if a player gone for over 60 seconds hasn't lost, else None (RBB 2.4)."""
    possible, condition = LOST.get(termination, (result, None))
    return Unmet(condition, {"result": result}) if condition and result not in ("", possible) else None


def is_full(spans: Iterable[Span], moment: datetime) -> bool:
    """Return whether the moment is in one of a member’s spans of full membership (RBB 2.1)."""
    return any(begin <= moment and (end is None or moment < end) for begin, end in spans)


def not_full(started_at: datetime, *, white: Iterable[Span], black: Iterable[Span]) -> list[Unmet]:
    """Return which players weren't full members when a game started; none if both were (RBB 2.1)."""
    players = ((Condition.WHITE, white), (Condition.BLACK, black))
    return [Unmet(condition, {}) for condition, spans in players if not is_full(spans, started_at)]


def closures_over(started_at: datetime, *, white: Account, black: Account) -> list[tuple[int, Closure]]:
    """Return the closures that take a rated game out, each with its member, the first decided first."""
    found = [
        (account.member, closure)
        for account, other in ((white, black), (black, white))
        for closure in account.closed
        if closure.takes_out(started_at, other.member)
    ]
    return sorted(found, key=lambda one: one[1].decided_at)


def why_not_rated(
    control: Control,
    *,
    started_at: datetime,
    white: Account,
    black: Account,
    plies: int | None = None,
    result: str = "",
    termination: str = Termination.NORMAL,
    word: str = "",
    variant: str = STANDARD,
) -> list[Unmet]:
    """Return the reasons, with articles, why this game can't be rated; none if it can (RBB section 2).

    ``white``, ``black``: full membership of the players. ``plies``, ``termination`` and
    ``word`` are as in :func:`why_not_played`. ``result``: ``1-0``, ``1/2-1/2``, ``0-1``, or ``""`` in
    progress. ``variant``: as :mod:`ratings.rules.rbb.variants` calls it.
    """
    reasons = []
    if variant != STANDARD:
        reasons.append(_not_standard(variant))
    if category_of(control) is None:
        reasons.append(not_listed(control))
    reasons += not_full(started_at, white=white.full, black=black.full)
    # While a game is in progress, both sides may still move.
    if unplayed := _unplayed(plies if result else None, termination, word):
        reasons.append(unplayed)
    elif contradicts := contradiction(termination, result):
        reasons.append(contradicts)
    return reasons
