"""The league's rules as a rule book of the site. Articles are cited by their headings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from foa.text import signed
from ratings.office.explanations import decimal_text, hundredths_text
from ratings.office.rule_books import RuleBook
from ratings.rules.bal.cycles import (
    CE_RATING,
    PROVISIONAL_LIMIT,
    BoardResult,
    CycleOutcome,
    CyclePlayer,
    Game,
    k_adjustment,
    rate_cycle,
)
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths


def _cycle(player: CyclePlayer, *results: BoardResult) -> CycleOutcome:
    """Return the result of a home player against opponents of 1600 who have 50 earlier games."""
    opponents = [CyclePlayer(number, Hundredths(1600_00), 50) for number in range(2, 2 + len(results))]
    games = [Game(number - 1, 1, number, result) for number, result in enumerate(results, 2)]
    return rate_cycle([player, *opponents], games)[0]


def _rating(result: CycleOutcome) -> dict[str, Any]:
    return {
        "new": hundredths_text(result.new or Hundredths(0)),
        "gain": signed(from_hundredths(Hundredths((result.new or Hundredths(0)) - result.old))),
        "k": result.k,
        "counted": result.counted,
        "expected": decimal_text(result.expected or Fraction(0)),
    }


def _computed() -> dict[str, Any]:
    new = CyclePlayer(1, None, captains_estimate=True)
    return {
        "new_player": {
            "start": CE_RATING // 100,
            "counted": _cycle(new, BoardResult.HOME, BoardResult.HOME_FORFEIT).counted,
        },
        "first_rating": _rating(_cycle(new, BoardResult.HOME, BoardResult.DRAW)),
        "provisional": _rating(
            _cycle(CyclePlayer(1, Hundredths(1500_00), PROVISIONAL_LIMIT // 2), BoardResult.AWAY)
        ),
        "established": _rating(_cycle(CyclePlayer(1, Hundredths(1600_00), 50), BoardResult.HOME)),
        "crossing": {"new": decimal_text(k_adjustment(Fraction(2090), Fraction(2110))[1])},
        "rounding": _rating(_cycle(CyclePlayer(1, Hundredths(1500_00), 50), *[BoardResult.HOME] * 3)),
    }


RULE_BOOK: Final = RuleBook("bal", "BAL", _computed)
