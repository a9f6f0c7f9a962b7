"""Words for people in place of the rules' identifiers, in the reader's language."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.rules.bal.types import BoardResult, Crossing, Formula, GameReason

RESULT_TEXTS: Final[dict[BoardResult, str]] = {
    BoardResult.HOME: "1 – 0",
    BoardResult.DRAW: "½ – ½",
    BoardResult.AWAY: "0 – 1",
    BoardResult.HOME_FORFEIT: "+ / −",
    BoardResult.AWAY_FORFEIT: "− / +",
    BoardResult.BOTH_FORFEIT: "− / −",
}
"""Results of a board, home player first."""

GAME_REASON_TEXTS: Final[dict[GameReason, Promise]] = {
    GameReason.CYCLE_START: _("opponent at their rating at the start of the cycle"),
    GameReason.CE_ASSUMED: _("both players are new: opponent counts as 1300"),
    GameReason.CE_PERFORMANCE: _("new opponent: at their performance rating in this cycle"),
    GameReason.FORFEIT: _("forfeit: does not count"),
}
"""Reasons for an opponent's rating in the calculation, or for leaving the game out, in the rules' words."""

FORMULA_TEXTS: Final[dict[Formula, Promise]] = {
    Formula.PERFORMANCE: _("new player: the performance rating"),
    Formula.PROVISIONAL: _("provisional formula: too few games before the cycle for the established one"),
    Formula.ESTABLISHED: _("established formula: enough games before the cycle"),
    Formula.NOTHING_COUNTED: _("no games count: the rating does not change"),
    Formula.STILL_NEW: _("new player, and no games count: stays unrated"),
}
"""Ways in which a new rating follows from the games."""

CROSSING_TEXTS: Final[dict[Crossing, Promise]] = {
    Crossing.NONE: _("no border crossed: no adjustment"),
    Crossing.ROSE_TO_2100: _("reached 2100 from below: × 0.75 above it"),
    Crossing.FELL_UNDER_2100: _("fell under 2100: × 1.33 below it"),
    Crossing.ROSE_OVER_2400: _("rose over 2400: × 0.66 above it"),
    Crossing.FELL_UNDER_2400: _("fell under 2400: × 1.50 below it"),
}
"""Borders that a new rating crossed, and what happens to the part beyond them."""
