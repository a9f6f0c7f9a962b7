"""RBB 2.4: a player who is gone for more than 60 seconds without reconnecting has lost.

What counts is what happened, by the server's clock: who was gone and came back, in the order of the server's
sequence. When the office learns of it, how often and in which order makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from ratings.rules.rbb.conditions import LOST
from ratings.rules.rbb.terminations import Termination

LONGEST: Final = timedelta(seconds=60)
"""Maximum time that a player may be gone. A return at exactly 60 s is in time."""


class Side(StrEnum):
    """The player who was gone."""

    WHITE = "white"
    BLACK = "black"


class What(StrEnum):
    """Reports of a server about a player."""

    GONE = "gone"
    BACK = "back"


class Event(NamedTuple):
    """``sequence``: its number among the events of the game. ``at``: when, by the server's clock."""

    sequence: int
    player: str
    what: str
    at: datetime


class Absence(NamedTuple):
    """Time for which a player was gone; ``back`` is None if no return is known."""

    player: str
    gone: datetime
    back: datetime | None

    @property
    def limit(self) -> datetime:
        """The last moment at which a return is in time."""
        return self.gone + LONGEST


class Loss(NamedTuple):
    """Loss of a game because a player was gone for too long: its moment, and how it ended."""

    at: datetime
    termination: Termination

    @property
    def result(self) -> str:
        """The result; a draw where both have gone at the same instant, which is not rated."""
        return LOST[self.termination][0] if self.termination in LOST else "1/2-1/2"


_GONE: Final = {Side.WHITE: Termination.WHITE_GONE, Side.BLACK: Termination.BLACK_GONE}


def absences(events: Iterable[Event]) -> list[Absence]:
    """Return each player's absences, in the order of events; a player already gone doesn't go again."""
    since: dict[str, datetime] = {}
    found: list[Absence] = []
    for event in sorted(set(events)):
        if event.what == What.GONE:
            since.setdefault(event.player, event.at)
        elif event.player in since:
            found.append(Absence(event.player, since.pop(event.player), event.at))
    return found + [Absence(player, gone, None) for player, gone in since.items()]


def loss(events: Iterable[Event], *, known_until: datetime, ended_at: datetime | None = None) -> Loss | None:
    """Return who has lost, and when; None if no player has, as far as is known (RBB 2.4).

    ``known_until``: up to which moment of the server's clock all events are known. ``ended_at``: when the
    game ended by itself; what follows doesn't count. Whose 60 seconds end first has lost. Of two who are gone
    at the same instant, nobody has.
    """
    until = known_until if ended_at is None else min(known_until, ended_at)
    limits = [
        (one.limit, one.player)
        for one in absences(events)
        if one.limit < until and (one.back is None or one.back > one.limit)
    ]
    if not limits:
        return None
    first = min(limits)[0]
    losers = {player for limit, player in limits if limit == first}
    return Loss(first, Termination.BOTH_GONE if len(losers) > 1 else _GONE[Side(losers.pop())])
