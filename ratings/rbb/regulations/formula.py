"""FIDE's formula page as a rule book of the site. The office rates nothing by these estimates."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from foa.text import signed
from ratings.office.explanations import hundredths_text
from ratings.office.rule_books import RuleBook
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.fide_page.estimates import (
    Game,
    Unplayed,
    estimate,
    k_factor,
    performance,
    time_class,
)
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category, Control
from ratings.rules.units import LOSS, WIN, HalfPoints, Points

_OWN: Final = Points(1500)


def _estimated(opponent: int, half_points: HalfPoints, *, floor: int | None = None) -> dict[str, Any]:
    """Estimate a game by a player of 1500 with fifty games before it."""
    found = estimate(
        _OWN,
        50,
        [Game(Points(opponent), half_points)],
        floor=None if floor is None else Points(floor),
    )
    return {
        "own": _OWN,
        "opponent": opponent,
        "expected": hundredths_text(found.expected),
        "k": found.k,
        "change": signed(from_hundredths(found.change)),
        "rating": hundredths_text(found.rating),
    }


def _performance() -> dict[str, Any]:
    """Estimate a performance of seven out of ten against opponents averaging 2000."""
    found = performance(Points(20000), 10, HalfPoints(14))
    return {"dp": found.dp, "rating": hundredths_text(found.rating)}


def _forfeit() -> dict[str, Any]:
    found = estimate(_OWN, 50, [Game(Points(1600), WIN), Game(Points(1600), Unplayed.FORFEIT)])
    return {"change": signed(from_hundredths(found.change))}


_CLASS_WORDS: Final = {
    Chapter.STANDARD: _("standard"),
    Chapter.RAPID: CATEGORY_WORDS[Category.RAPID],
    Chapter.BLITZ: CATEGORY_WORDS[Category.BLITZ],
}


def _classes(**controls: Control) -> dict[str, Any]:
    """Return the class of each control by rule 4, in words."""
    found = {name: time_class(control) for name, control in controls.items()}
    return {name: _CLASS_WORDS[one] for name, one in found.items() if one is not None}


def _computed() -> dict[str, Any]:
    return {
        "win": _estimated(1600, WIN),
        "performance": _performance(),
        "k_at_2450": {"new": k_factor(Points(2450), 29)[0], "later": k_factor(Points(2450), 30)[0]},
        "forfeit": _forfeit(),
        "classes": _classes(long=Control(5400, 30), middle=Control(900, 10), short=Control(180, 2)),
        "floor": _estimated(1500, LOSS, floor=1495),
    }


RULE_BOOK: Final = RuleBook("formula", "formula", _computed, in_force=False)
