"""Words for people where the rules of the league have names for machines, in the reader's language."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.rules.bal.parts import BoardResult, Crossing, Formula, GameReason

RESULT_TEXTS: Final[dict[BoardResult, str]] = {
    BoardResult.HOME: "1 – 0",
    BoardResult.DRAW: "½ – ½",
    BoardResult.AWAY: "0 – 1",
    BoardResult.HOME_FORFEIT: "+ / −",
    BoardResult.AWAY_FORFEIT: "− / +",
}
"""The result of a board, home player first."""

GAME_REASON_TEXTS: Final[dict[GameReason, Promise]] = {
    GameReason.CYCLE_START: _("opponent at the rating with which the cycle began"),
    GameReason.CE_ASSUMED: _("both players new: opponent at 1300"),
    GameReason.CE_PERFORMANCE: _("new opponent: at the performance rating of this cycle"),
    GameReason.FORFEIT: _("forfeit: counts for nothing"),
}
"""At what rating an opponent counted, or why the game does not; in English the words of the rules."""

FORMULA_TEXTS: Final[dict[Formula, Promise]] = {
    Formula.PERFORMANCE: _("new player: performance rating, on zero previous games"),
    Formula.PROVISIONAL: _("provisional: fewer games before the cycle than make a rating established"),
    Formula.ESTABLISHED: _("established: enough games before the cycle"),
    Formula.NOTHING_COUNTED: _("no game that counts: rating not changed"),
    Formula.STILL_NEW: _("new player without a game that counts: stays unrated"),
}
"""How a new rating follows from the games."""

CROSSING_TEXTS: Final[dict[Crossing, Promise]] = {
    Crossing.NONE: _("no border crossed: not changed"),
    Crossing.ROSE_TO_2100: _("reached 2100 from below: × 0.75 above it"),
    Crossing.FELL_UNDER_2100: _("fell under 2100: × 1.33 below it"),
    Crossing.ROSE_OVER_2400: _("rose over 2400: × 0.66 above it"),
    Crossing.FELL_UNDER_2400: _("fell under 2400: × 1.50 below it"),
}
"""Which border a new rating crossed, and what is made of the part beyond it."""
