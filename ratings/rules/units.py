"""Units of whole numbers. A type checker keeps them apart; when the program runs they are plain integers.

Arithmetic makes a plain ``int`` of them, and naming the unit again costs a call. In the code that runs once
for each game, types come from constants and containers instead.
"""

from typing import Final, NewType

Hundredths = NewType("Hundredths", int)
"""Hundredths of a rating point, or of a whole as in probabilities: 1799.60 is 179960, 0.64 is 64."""

Points = NewType("Points", int)
"""Whole rating points, as in published lists and in differences (D, dp)."""

HalfPoints = NewType("HalfPoints", int)
"""Half points of a score: 0, 1 or 2 a game."""

FideId = NewType("FideId", int)
"""The number by which FIDE knows a player."""

LOSS: Final = HalfPoints(0)
DRAW: Final = HalfPoints(1)
WIN: Final = HalfPoints(2)

OPPONENTS_SCORE: Final = (WIN, DRAW, LOSS)
"""The opponent’s half points in a game, by the player’s."""
