"""Words for people in place of the rules' identifiers, in the reader's language."""

from typing import Final

from ratings.rules.bal.cycles import BoardResult

RESULT_TEXTS: Final[dict[BoardResult, str]] = {
    BoardResult.HOME: "1 – 0",
    BoardResult.DRAW: "½ – ½",
    BoardResult.AWAY: "0 – 1",
    BoardResult.HOME_FORFEIT: "+ / −",
    BoardResult.AWAY_FORFEIT: "− / +",
    BoardResult.BOTH_FORFEIT: "− / −",
}
"""Results of a board, home player first."""
