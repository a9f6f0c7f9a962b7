"""A simulation of a game server's calls: games begin, players lose the connection, games end.

It is only a plan, with no connection and no clock. The demo, the tests and the benchmark send it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final, NamedTuple

from foa.text import utc_text
from ratings.rbb.demo import result_of
from ratings.rbb.demo_moves import can_flag, moves_for, with_clocks
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import RATED_CONTROLS
from ratings.rules.units import Points

_CONTROLS: Final = sorted(RATED_CONTROLS, key=lambda control: control.notation)
_TERMINATIONS: Final = {
    "1-0": ("checkmate", "resignation", "time"),
    "1/2-1/2": ("agreement", "repetition", "stalemate"),
    "0-1": ("checkmate", "resignation", "time"),
}
_FIRST_MOVES: Final = 4.0
"""Seconds until both sides have made a move."""

_TOLD_EVERY: Final = 5.0
"""Seconds between two messages with the moves so far."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Probabilities, from 0 to 1, of a disconnection in a game, and of calls repeated or out of order."""

    disconnected: float = 0.15
    twice: float = 0.05
    out_of_order: float = 0.05


class Call(NamedTuple):
    """A request: when it is due, in seconds since the beginning, and its contents.

    ``path`` is relative to /api/v1/. ``game``: the id of its game, whose calls are sent one after another.
    """

    due: float
    number: int
    method: str
    path: str
    body: dict[str, Any]
    game: str


def calls(
    strengths: Mapping[str, int],
    *,
    begin: datetime,
    rate: float,
    length: float = 60.0,
    games: int | None = None,
    trouble: Trouble = Trouble(),
    seed: int = 0,
    prefix: str = "",
) -> Iterator[Call]:
    """Yield a server's calls in the order in which they are due. The same arguments give the same calls.

    ``strengths``: at least two players, with their points. ``rate``: games started each second. ``length``:
    average seconds of a game. ``games``: their number, None for no end. ``prefix``: the beginning of each
    game's id.
    """
    dice = random.Random(seed)  # noqa: S311  games, no secret
    numbers = count()
    ahead: list[Call] = []
    busy = dict.fromkeys(strengths, 0.0)
    for game in count() if games is None else range(games):
        # If everybody is playing, the next game waits for two players.
        start = max(game / rate, sorted(busy.values())[1])
        while ahead and ahead[0].due <= start:
            yield heappop(ahead)
        free = [name for name, until in busy.items() if until <= start]
        first = dice.choice(free)
        # Mostly, players of similar strength meet.
        alike = sorted(free, key=lambda name: abs(strengths[name] - strengths[first]))
        white, black = dice.sample((first, dice.choice([name for name in alike[:10] if name != first])), 2)
        script = _Script(dice, f"{prefix}{game}", white, black, begin, start, length, trouble, strengths)
        busy[white] = busy[black] = script.over
        for due, method, path, body in script.calls():
            heappush(ahead, Call(due, next(numbers), method, path, body, script.id))
    while ahead:
        yield heappop(ahead)


class _Script:
    """A game from its first move to its end."""

    def __init__(
        self,
        dice: random.Random,
        its_id: str,
        white: str,
        black: str,
        begin: datetime,
        start: float,
        length: float,
        trouble: Trouble,
        strengths: Mapping[str, int],
    ) -> None:
        self.dice = dice
        self.id = its_id
        self.begin = begin
        self.start = start
        self.trouble = trouble
        self.seconds = max(_FIRST_MOVES, length * dice.uniform(0.5, 1.5))
        control = dice.choice(_CONTROLS)
        self.game = {
            "white": white,
            "black": black,
            "time_control": control.notation,
            "rated": True,
            "started_at": self._moment(start),
        }
        self.result = result_of(Points(strengths[white] - strengths[black]), dice)
        termination = Termination(dice.choice(_TERMINATIONS[self.result]))
        moves = moves_for(self.result, termination, dice.randrange(18, 130), dice)
        if termination is Termination.TIME and not can_flag(moves, control, self.seconds):
            termination = Termination.RESIGNATION
        self.termination = termination
        flag = termination is Termination.TIME
        self.moves = with_clocks(moves, control, self.seconds, dice, flag=flag)
        self.gone_for = self._gone_for()
        self.gone_at = start + _FIRST_MOVES + dice.uniform(0.2, 0.8) * self.seconds
        # A player who stays away loses a minute later; until then neither plays another game.
        self.over = max(start + self.seconds, self.gone_at) + (120.0 if self.gone_for else 0.0)

    def calls(self) -> Iterator[tuple[float, str, str, dict[str, Any]]]:
        """Yield due time, method, path and body of each call, some of them twice or late."""
        for due, method, path, body in self._in_order():
            late = self.dice.uniform(0.5, 3.0) if self.dice.random() < self.trouble.out_of_order else 0.0
            yield due + late, method, path, body
            if self.dice.random() < self.trouble.twice:
                yield due + self.dice.uniform(0.1, 5.0), method, path, body

    def _in_order(self) -> Iterator[tuple[float, str, str, dict[str, Any]]]:
        address = f"games/{self.id}"
        moves = self.start + _FIRST_MOVES
        yield self.start, "PUT", address, self.game
        yield moves, "PUT", address, self._so_far(2)
        end = self.start + self.seconds
        until = end if self.gone_for is None else self.gone_at
        for number in range(1, int((until - moves) / _TOLD_EVERY)):
            told = moves + number * _TOLD_EVERY
            played = (told - self.start) / self.seconds
            yield told, "PUT", address, self._so_far(int(len(self.moves) * played))
        if self.gone_for is not None:
            player = self.dice.choice(("white", "black"))
            yield self.gone_at, "POST", f"{address}/presence", self._presence(1, player, "gone", self.gone_at)
            if not self.gone_for:
                return  # no further calls: the office ends the game
            back = self.gone_at + self.gone_for
            yield back, "POST", f"{address}/presence", self._presence(2, player, "back", back)
            if self.gone_for > 60:
                return  # lost by RBB 2.4 in the meantime
            end = max(end, back + 1)
        finished = {
            **self._so_far(len(self.moves)),
            "result": self.result,
            "termination": self.termination,
            "ended_at": self._moment(end),
        }
        yield end, "PUT", address, finished

    def _so_far(self, plies: int) -> dict[str, Any]:
        return {**self.game, "plies": plies, "pgn": " ".join(self.moves[:plies])}

    def _gone_for(self) -> float | None:
        """Return the seconds for which a player is gone: None for nobody, 0 for ever."""
        if self.dice.random() >= self.trouble.disconnected:
            return None
        return self.dice.choice((0.0, self.dice.uniform(5, 55), self.dice.uniform(65, 90)))

    def _presence(self, sequence: int, player: str, event: str, at: float) -> dict[str, Any]:
        return {"sequence": sequence, "player": player, "event": event, "at": self._moment(at)}

    def _moment(self, seconds: float) -> str:
        return utc_text(self.begin + timedelta(seconds=round(seconds, 3)))
