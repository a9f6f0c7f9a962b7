"""Moves and clocks for the demo's games.

``demo_moves.txt`` has 243 games, generated for this by a small program that takes unprotected pieces. Each
line has the result, how the game ended, and its moves. They are cut to fit a result, a termination and a
length.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control

_WHOLE: Final = (
    Termination.CHECKMATE,
    Termination.STALEMATE,
    Termination.INSUFFICIENT_MATERIAL,
    Termination.REPETITION,
    Termination.FIFTY_MOVES,
)
"""Terminations shown by the last position, so that games ending like this are never cut."""

_CHOICE: Final = 12
"""Number of games of similar length from which one is drawn."""

_SHORTEST: Final = 16
"""Minimum number of half-moves in a game that isn't decided on the board."""


def moves_for(result: str, termination: Termination, plies: int, dice: random.Random) -> tuple[str, ...]:
    """Return the moves of a game with this result and termination, in SAN, of about this many half-moves.

    The player who resigned or lost on time was to move.
    """
    if termination in _WHOLE:
        found = _stock()[result, termination]
        nearest = sorted(found, key=lambda moves: abs(len(moves) - plies))[:_CHOICE]
        return dice.choice(nearest)
    if result == "1/2-1/2":
        found = [moves for (of, _), some in _stock().items() if of == result for moves in some]
        moves = dice.choice(found)
        return moves[: min(max(plies, _SHORTEST), len(moves) - 8)]
    # Taken from games that were lost in the end.
    long = [moves for moves in _stock()[result, Termination.CHECKMATE] if len(moves) > _SHORTEST + 8]
    nearest = sorted(long, key=lambda moves: abs(len(moves) - plies - 8))[:_CHOICE]
    moves = dice.choice(nearest)
    length = min(max(plies, _SHORTEST), len(moves) - 2)
    is_white_to_move = result == "0-1"
    return moves[: length - (length % 2 == is_white_to_move)]


def with_clocks(
    moves: Sequence[str], control: Control, seconds: float, dice: random.Random, *, flag: bool = False
) -> list[str]:
    """Return each move with its number and clock, as in PGN (``%clk``).

    ``seconds``: the time used by both players together, as far as they had it. ``flag``: the player to move
    at the end has used all of their time.
    """
    thoughts = [dice.lognormvariate(0, 0.8) * (0.2 if ply < 10 else 1) for ply in range(len(moves) + flag)]
    had = [control.initial + control.increment * len(moves[colour::2]) for colour in (0, 1)]
    used = [seconds * sum(thoughts[colour::2]) / sum(thoughts) for colour in (0, 1)]
    loser = len(moves) % 2
    if flag:
        used[1 - loser] = seconds - had[loser]
        used[loser] = had[loser]
    left = [float(control.initial)] * 2
    written = []
    for ply, move in enumerate(moves):
        colour = ply % 2
        # A player who doesn't lose on time keeps some seconds.
        share = min(used[colour], had[colour] * (1 if flag and colour == loser else 0.97))
        thought = thoughts[ply] * share / sum(thoughts[colour::2])
        left[colour] = max(left[colour] - thought, 0.1) + control.increment
        number = f"{ply // 2 + 1}. " if colour == 0 else ""
        minutes, rest = divmod(int(left[colour]), 60)
        written.append(f"{number}{move} {{[%clk {minutes // 60}:{minutes % 60:02}:{rest:02}]}}")
    return written


def can_flag(moves: Sequence[str], control: Control, seconds: float) -> bool:
    """Return True if in this time one player can have used all of theirs while the other has not."""
    loser = len(moves) % 2
    had = [control.initial + control.increment * len(moves[colour::2]) for colour in (0, 1)]
    return 0.15 * had[1 - loser] < seconds - had[loser] < 0.95 * had[1 - loser]


@cache
def _stock() -> dict[tuple[str, Termination], list[tuple[str, ...]]]:
    """Return the moves by result and termination."""
    found: dict[tuple[str, Termination], list[tuple[str, ...]]] = {}
    for line in (Path(__file__).parent / "demo_moves.txt").read_text(encoding="ascii").splitlines():
        ended, _colon, moves = line.partition(": ")
        result, _blank, termination = ended.partition(" ")
        found.setdefault((result, Termination(termination)), []).append(tuple(moves.split()))
    return found
