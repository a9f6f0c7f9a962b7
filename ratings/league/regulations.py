"""The league's rules as a rule book of the site. Articles are cited by their headings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from foa.text import points, signed
from ratings.office.explanations import decimal_text
from ratings.office.rule_books import Article, RuleBook, Section, by_article
from ratings.rules.bal.cycles import CE_RATING, PROVISIONAL_LIMIT, k_adjustment, rate_cycle
from ratings.rules.bal.types import BoardResult, Crossing, Formula, Game, GameReason, Player, Result
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths

_TEXT: Final = GameReason.CYCLE_START.article
_PROVISIONAL: Final = Formula.PROVISIONAL.article
_ESTABLISHED: Final = Formula.ESTABLISHED.article
_ADJUSTMENT: Final = Crossing.NONE.article


def _cycle(player: Player, *results: BoardResult) -> Result:
    """Return the result of a home player against opponents of 1600 who have 50 earlier games."""
    opponents = [Player(number, Hundredths(1600_00), 50) for number in range(2, 2 + len(results))]
    games = [Game(number - 1, 1, number, result) for number, result in enumerate(results, 2)]
    return rate_cycle([player, *opponents], games)[0]


def _rating(result: Result) -> dict[str, Any]:
    return {
        "new": points(from_hundredths(result.new or Hundredths(0))),
        "gain": signed(from_hundredths(Hundredths((result.new or Hundredths(0)) - result.old))),
        "k": result.k,
        "counted": result.counted,
        "expected": decimal_text(result.expected or Fraction(0)),
    }


_NEW: Final = Player(1, None, captains_estimate=True)

RULE_BOOK: Final = RuleBook(
    "bal",
    "BAL",
    _("League: BAL"),
    _("How league ratings work"),
    _(
        "The rules of the team league, “So How Did I Get That Rating?”. Some rounds are rated together, as "
        "a cycle. A new rating is an average over all games so far; later ones rise and fall with the "
        "results."
    ),
    (
        Section(
            "rules",
            _("Rules"),
            (
                Article(
                    _TEXT,
                    _(
                        "Ratings are calculated about three times a season. Games won by forfeit do not "
                        "count. A new player starts at 1300 with no games. Performance ratings of new "
                        "players come first."
                    ),
                    _(
                        "A cycle is one batch from the ratings at its start. A loss by forfeit doesn’t "
                        "count either. The captain’s estimate doesn’t count."
                    ),
                    title=_TEXT,
                ),
                Article(
                    _PROVISIONAL,
                    _(
                        "G = (np × Rp + ΣRo + 400 × (ΣW − ΣL)) ÷ (np + nc) − Rp, with np games before and "
                        "nc in the cycle."
                    ),
                    _(
                        "A rating is provisional until enough games; the text doesn’t say how many, so the "
                        "league sets it (20 unless it says otherwise). A draw is half a win and half a loss."
                    ),
                    title=_PROVISIONAL,
                ),
                Article(
                    _ESTABLISHED,
                    _(
                        "G = k × (ΣW − ΣWe). k is 32, from 2100 on 24, from 2400 on 16. We = 1 ÷ (1 + "
                        "10^(−Δr ÷ 400))."
                    ),
                    _("The exact ratings at the start of the cycle count, without a cap of 400 points."),
                    title=_ESTABLISHED,
                ),
                Article(
                    _ADJUSTMENT,
                    _("A gain is adjusted if the new rating crosses 2100 or 2400."),
                    _(
                        "The printed lines are scrambled. The office reads: only the part beyond the border "
                        "changes, once. Rising past 2100: × 0.75; past 2400: × 0.66. Falling below 2100: × "
                        "1.33; below 2400: × 1.50."
                    ),
                    title=_ADJUSTMENT,
                ),
            ),
        ),
        Section(
            "readings",
            _("After the cycle"),
            (
                Article(
                    "rounding",
                    _("The text doesn’t say how ratings are rounded."),
                    _(
                        "Once, after the adjustment, half up to two decimals. The next cycle starts from "
                        "that."
                    ),
                    title=_("Rounding"),
                ),
            ),
        ),
    ),
    by_article(
        (
            (
                _TEXT,
                _("A new player starts at %(start)s. Of a win and a win by forfeit, %(counted)s counts."),
                {
                    "start": CE_RATING // 100,
                    "counted": _cycle(_NEW, BoardResult.HOME, BoardResult.HOME_FORFEIT).counted,
                },
            ),
            (
                _PROVISIONAL,
                _("A new player beats 1600 and draws with 1600: the first rating is %(new)s."),
                _rating(_cycle(_NEW, BoardResult.HOME, BoardResult.DRAW)),
            ),
            (
                _PROVISIONAL,
                _("1500 with 10 games loses to 1600: %(new)s."),
                _rating(_cycle(Player(1, Hundredths(1500_00), PROVISIONAL_LIMIT // 2), BoardResult.AWAY)),
            ),
            (
                _ESTABLISHED,
                _("1600 with 50 games beats 1600: We = %(expected)s, k = %(k)s, so the gain is %(gain)s."),
                _rating(_cycle(Player(1, Hundredths(1600_00), 50), BoardResult.HOME)),
            ),
            (
                _ADJUSTMENT,
                _("2090 rises to 2110: 2100 + 10 × 0.75 = %(new)s."),
                {"new": decimal_text(k_adjustment(Fraction(2090), Fraction(2110))[1])},
            ),
            (
                "rounding",
                _("Three wins of 1500 against 1600 after 50 games give %(new)s."),
                _rating(_cycle(Player(1, Hundredths(1500_00), 50), *[BoardResult.HOME] * 3)),
            ),
        )
    ),
)
