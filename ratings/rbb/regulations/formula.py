"""FIDE's formula page as a rule book of the site. The office rates nothing by these estimates."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from foa.text import points, signed
from ratings.office.rule_books import Article, RuleBook, Section, by_article
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rules.b02.types import Chapter
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
        "expected": points(from_hundredths(found.expected)),
        "k": found.k,
        "change": signed(from_hundredths(found.change)),
        "rating": points(from_hundredths(found.rating)),
    }


def _performance() -> dict[str, Any]:
    """Estimate a performance of seven out of ten against opponents averaging 2000."""
    found = performance(Points(20000), 10, HalfPoints(14))
    return {"dp": found.dp, "rating": points(from_hundredths(found.rating))}


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


RULE_BOOK: Final = RuleBook(
    "formula",
    "formula",
    _("FIDE formula"),
    _("The FIDE formula page"),
    _(
        "The logistic formula that FIDE’s information page explains. The calculator uses it for estimates; "
        "the office does not rate by it."
    ),
    (
        Section(
            "formulas",
            _("Formulas"),
            (
                Article(
                    "expected",
                    _("E = 1 / (1 + 10^(−D/400)), where D is the player’s rating minus the opponent’s."),
                    _(
                        "D is not capped at 400 points. The result differs from table 4.2 at most "
                        "differences."
                    ),
                    _("Expected score"),
                ),
                Article(
                    "change",
                    _("ΔR = K × (S − E) for each game. The changes of all games are added to the rating."),
                    _("The exact E counts, and the sum is rounded once, to two decimals."),
                    _("Rating change"),
                ),
                Article(
                    "performance",
                    _("Rp = Ra + dp: the opponents’ average and what table 4.1 gives for the score."),
                    _("The page’s “70 % ≈ +120” is not what the table gives."),
                    _("Performance rating"),
                ),
            ),
        ),
        Section(
            "rules",
            _("Rules"),
            (
                Article(
                    "2",
                    _("K is 40 for a new player, 20 below 2400 and 10 from 2400 on."),
                    _(
                        "A player is new with fewer than 30 earlier rated games, also from 2400 on. K stays "
                        "the same for all games of an estimate."
                    ),
                ),
                Article(
                    "3",
                    _("Forfeits and byes do not count."),
                    _("They don’t count in the performance rating either."),
                ),
                Article(
                    "4",
                    _(
                        "The time control decides which rating counts: standard above 60 minutes, rapid "
                        "from 10, blitz from 3. A tournament is rated only if all its players have FIDE IDs."
                    ),
                    _(
                        "Increments count for 60 moves. Exactly 10 minutes are blitz, and exactly 60 are "
                        "rapid. The calculators assume that everybody has an ID."
                    ),
                ),
                Article(
                    "5",
                    _("A rating cannot fall below its floor."),
                    _("The floor is the player’s own. A rating that is already below it is not raised."),
                ),
                Article("6", _("A rating is provisional with fewer than 30 rated games.")),
            ),
        ),
    ),
    by_article(
        (
            (
                "expected",
                _("%(own)s against %(opponent)s: E ≈ %(expected)s."),
                _estimated(1600, WIN),
            ),
            (
                "change",
                _(
                    "%(own)s beats %(opponent)s with K = %(k)s: %(change)s, rounded to two decimals, so the "
                    "rating is %(rating)s."
                ),
                _estimated(1600, WIN),
            ),
            (
                "performance",
                _("7 out of 10 against opponents averaging 2000: 2000 + %(dp)s = %(rating)s."),
                _performance(),
            ),
            (
                "2",
                _("2450 has K = %(new)s with 29 earlier games and K = %(later)s with 30."),
                {"new": k_factor(Points(2450), 29)[0], "later": k_factor(Points(2450), 30)[0]},
            ),
            (
                "3",
                _(
                    "1500 beats 1600 and wins again by forfeit: the change is %(change)s, from the played "
                    "game alone."
                ),
                _forfeit(),
            ),
            (
                "4",
                _("90m + 30s is %(long)s, 15m + 10s is %(middle)s and 3m + 2s is %(short)s."),
                _classes(long=Control(5400, 30), middle=Control(900, 10), short=Control(180, 2)),
            ),
            (
                "5",
                _("%(own)s with a floor of 1495 loses to %(opponent)s: the rating is %(rating)s."),
                _estimated(1500, LOSS, floor=1495),
            ),
        )
    ),
    in_force=False,
)
