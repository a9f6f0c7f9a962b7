"""Explanation of a player's rating after a cycle: headline, games, and steps under the rules' headings.

Every number comes from what the rules returned, never from a second formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from foa.text import signed
from ratings.league.models import SquadPlayer
from ratings.league.services.cycles import CycleRating
from ratings.office.explanations import (
    Explanation,
    Picture,
    Step,
    Term,
    at_decimals,
    decimal_text,
    equals,
    fewest_decimals,
    headline_of_scores,
    hundredths_text,
    of_scores,
    to_decimals,
)
from ratings.rbb.explanation import spoken_name
from ratings.rbb.labels import SCORE_KINDS, SCORES, half_points_text
from ratings.rules.bal.cycles import (
    CE_RATING,
    Crossing,
    CycleOutcome,
    Formula,
    GameReason,
    GameResult,
)
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths
from ratings.rules.units import Hundredths

_TEXT: Final = GameReason.CYCLE_START.article
_PROVISIONAL: Final = Formula.PROVISIONAL.article
_ESTABLISHED: Final = Formula.ESTABLISHED.article
_ADJUSTMENT: Final = Crossing.NONE.article
_READING: Final = gettext_lazy("After the cycle (our reading of the rules)")
"""Text in place of a cited heading where the rules are silent."""


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game from the player's point of view. ``opponent``: None if there was none.

    ``amount``: 400 × (W − L) or We. ``difference``: Δr, only with We. ``kind``: won, drawn or lost.
    """

    round: int
    opponent: SquadPlayer | None
    score: str
    kind: str
    counts: bool
    opponent_rating: str
    difference: str
    amount: str
    why: str


@dataclass(frozen=True, slots=True)
class CycleExplanation(Explanation):
    """The explanation of one player's cycle. ``formula``: which formula applies, and why."""

    result: CycleOutcome
    formula: str
    games: tuple[GameLine, ...]

    @property
    def established(self) -> bool:
        """Return True if the games have expected wins."""
        return self.result.formula is Formula.ESTABLISHED


_SENTENCES: Final[Mapping[Formula, Promise]] = {
    Formula.PERFORMANCE: gettext_lazy(
        "First league rating: performance rating %(before)s, new rating %(new)s."
    ),
    Formula.PROVISIONAL: gettext_lazy("The rating of %(old)s changes by %(adjusted)s to %(new)s."),
    Formula.ESTABLISHED: gettext_lazy("The rating of %(old)s changes by %(adjusted)s to %(new)s."),
    Formula.NOTHING_COUNTED: gettext_lazy("No games count, so the rating stays %(old)s."),
    Formula.STILL_NEW: gettext_lazy("A new player stays unrated until a game counts."),
}


def explain(rating: CycleRating, player_id: int) -> CycleExplanation:
    """Explain the line of a player in the season's squads."""
    result = rating.results[player_id]
    squad = {one.player_id: one for one in rating.squad}
    name = spoken_name(str(squad[player_id].player))
    decimals = _decimals_of_expected(result)
    words = {
        "before": _rating(result.before_adjustment),
        "old": hundredths_text(result.old),
        "adjusted": signed(from_hundredths(_rounded(result.adjusted_gain))),
        "new": hundredths_text(result.new or Hundredths(0)),
    }
    return CycleExplanation(
        str(_SENTENCES[result.formula] % words),
        tuple(_steps(rating, result)),
        result=result,
        headline=_headline(name, result),
        picture=_picture(result),
        formula=_(result.formula.text),
        games=tuple(
            _game(game, None if game.opponent is None else squad[game.opponent], decimals)
            for game in result.games
        ),
    )


_HEADLINES: Final[Mapping[Formula, Promise]] = {
    Formula.PERFORMANCE: gettext_lazy(
        "%(player)s’s first rating is %(new)s, from the results of this cycle."
    ),
    Formula.PROVISIONAL: gettext_lazy(
        "%(player)s’s rating is provisional, so it is an average over all games so far. It is now %(new)s."
    ),
    Formula.NOTHING_COUNTED: gettext_lazy("No game of %(player)s counts, so the rating stays the same."),
    Formula.STILL_NEW: gettext_lazy("No game of %(player)s counts, so there is no first rating yet."),
}


def _headline(player: str, result: CycleOutcome) -> str:
    """Say what the cycle did to the rating, without a formula."""
    if result.formula is Formula.ESTABLISHED:
        return headline_of_scores(player, from_hundredths(_rounded(result.adjusted_gain)))
    words = {"player": player, "new": hundredths_text(result.new or Hundredths(0))}
    return str(_HEADLINES[result.formula] % words)


def _picture(result: CycleOutcome) -> Picture | None:
    """Return K × (ΣW − ΣWe) and the result of a k adjustment, or None for any other formula."""
    if result.k is None or result.expected is None:
        return None
    exact = (100 * result.expected).denominator == 1
    picture = of_scores(
        half_points_text(result.half_points),
        hundredths_text(_rounded(result.expected)) if exact else _shown_expected(result)[1],
        result.k,
        signed(from_hundredths(_rounded(result.gain))),
        shares=(result.expected / result.counted, Fraction(result.half_points, 2 * result.counted)),
        equals="=" if exact else "≈",
        most=result.counted,
    )
    if result.crossing is Crossing.NONE:
        return picture
    adjusted = Term("→", signed(from_hundredths(_rounded(result.adjusted_gain))), _("after the k adjustment"))
    return picture._replace(terms=(*picture.terms, adjusted))


def _game(game: GameResult, opponent: SquadPlayer | None, decimals: int) -> GameLine:
    amount = "" if game.bonus is None else decimal_text(Fraction(game.bonus))
    if game.expected is not None:
        amount = at_decimals(game.expected, decimals)
    return GameLine(
        game.round,
        opponent,
        SCORES[game.half_points],
        SCORE_KINDS[game.half_points],
        game.opponent_rating is not None,
        "" if game.opponent_rating is None else _rating(game.opponent_rating),
        "" if game.difference is None else _rating(game.difference),
        amount,
        _(game.reason.text),
    )


def _steps(rating: CycleRating, result: CycleOutcome) -> Iterator[Step]:
    yield _begins(result)
    yield _counted(result)
    if result.counted:
        yield from _opponents(result)
        if result.k is None:
            yield from _provisional(rating, result)
        else:
            yield from _established(rating, result, result.k)
        yield _adjustment(result)
        yield _rounding(result)
    yield _games_after(result)


def _is_new(result: CycleOutcome) -> bool:
    return result.formula in (Formula.PERFORMANCE, Formula.STILL_NEW)


def _begins(result: CycleOutcome) -> Step:
    """Explain the rating at the start of the cycle."""
    if _is_new(result):
        text = _("New player: starts at %(assumed)d with 0 games, whatever the captain’s estimate.")
        return Step(text % {"assumed": CE_RATING // 100}, _TEXT)
    text = ngettext(
        "Rating at the start of the cycle: %(old)s after %(games)d game.",
        "Rating at the start of the cycle: %(old)s after %(games)d games.",
        result.games_before,
    )
    return Step(text % {"old": hundredths_text(result.old), "games": result.games_before}, _TEXT)


def _counted(result: CycleOutcome) -> Step:
    words = {"games": len(result.games), "counted": result.counted}
    if result.counted == len(result.games):
        text = _("Games in this cycle that count: nc = %(counted)d.")
    else:
        text = _(
            "Games in this cycle: %(games)d. Forfeits do not count, for either player: nc = %(counted)d."
        )
    return Step(text % words, _TEXT)


def _opponents(result: CycleOutcome) -> Iterator[Step]:
    """Yield the steps about the pass that rates the player, and about new opponents' ratings."""
    if _is_new(result):
        text = _(
            "New players are rated first. A new opponent counts as %(assumed)d; everybody else counts at"
            " their rating at the start of the cycle."
        )
        yield Step(text % {"assumed": CE_RATING // 100}, _TEXT)
    elif any(game.reason is GameReason.CE_PERFORMANCE for game in result.games):
        text = _(
            "New opponents count at their performance rating in this cycle, unrounded and before any k"
            " adjustment; everybody else counts at their rating at the start of the cycle."
        )
        yield Step(text, _TEXT)


def _provisional(rating: CycleRating, result: CycleOutcome) -> Iterator[Step]:
    """Explain the provisional formula; for a new player, with np = 0, the performance rating."""
    if not _is_new(result):
        text = ngettext(
            "Provisional: %(games)d game before the cycle; this league requires %(limit)d for an "
            "established rating. The rules do not say how many.",
            "Provisional: %(games)d games before the cycle; this league requires %(limit)d for an "
            "established rating. The rules do not say how many.",
            result.games_before,
        )
        limit = rating.cycle.season.league.provisional_limit
        yield Step(text % {"games": result.games_before, "limit": limit}, _PROVISIONAL)
    opponents, total = _shown_opponents(result)
    sign = "=" if (100 * result.opponents).denominator == 1 else "≈"
    words: dict[str, Any] = {
        "sum": _addends(opponents, sign, total),
        "opponents": decimal_text(result.opponents) if sign == "=" else total,
        "won": decimal_text(Fraction(result.half_points, 2)),
        "lost": decimal_text(result.counted - Fraction(result.half_points, 2)),
        "np": result.games_before,
        "nc": result.counted,
        "old": decimal_text(Fraction(result.old, 100)),
        "gain": equals(result.gain),
        "new": equals(result.before_adjustment),
    }
    yield Step(_("ΣRo %(sum)s, the sum of the opponents’ ratings.") % words, _PROVISIONAL)
    text = _("ΣW = %(won)s, ΣL = %(lost)s; a draw counts as half a win and half a loss.")
    yield Step(text % words, _PROVISIONAL)
    text = _(
        "G = (np × Rp + ΣRo + 400 × (ΣW − ΣL)) ÷ (np + nc) − Rp = (%(np)d × %(old)s + %(opponents)s + 400 ×"
        " (%(won)s − %(lost)s)) ÷ (%(np)d + %(nc)d) − %(old)s %(gain)s."
    )
    yield Step(text % words, _PROVISIONAL)
    if _is_new(result):
        text = _(
            "Rp + G %(new)s is the performance rating. For opponents who aren’t new, it counts as "
            "this player’s rating."
        )
        yield Step(text % words, _PROVISIONAL)
    else:
        yield Step(_("RN = Rp + G %(new)s.") % words, _PROVISIONAL)


def _established(rating: CycleRating, result: CycleOutcome, k: int) -> Iterator[Step]:
    expected = result.expected or Fraction(0)
    addends, total = _shown_expected(result)
    words: dict[str, Any] = {
        "games": result.games_before,
        "limit": rating.cycle.season.league.provisional_limit,
        "sum": _addends(addends, "≈", total),
        "expected": total,
        "won": decimal_text(Fraction(result.half_points, 2)),
        "k": k,
        "old": hundredths_text(result.old),
        "gain": equals(result.gain, expected),
        "new": equals(result.before_adjustment),
    }
    text = ngettext(
        "Established: %(games)d game before the cycle; this league requires %(limit)d. The rules do not "
        "say how many.",
        "Established: %(games)d games before the cycle; this league requires %(limit)d. The rules do not "
        "say how many.",
        result.games_before,
    )
    yield Step(text % words, _ESTABLISHED)
    text = _(
        "Δr is the player’s rating minus the opponent’s. We = 1 ÷ (1 + 10^(−Δr ÷ 400)); Δr is not capped."
    )
    yield Step(text % words, _ESTABLISHED)
    text = _("ΣW = %(won)s; ΣWe %(sum)s, the sum of the expected wins.")
    yield Step(text % words, _ESTABLISHED)
    yield Step(_K_TEXTS[k] % words, _ESTABLISHED)
    text = _("G = k × (ΣW − ΣWe) = %(k)d × (%(won)s − %(expected)s) %(gain)s.")
    yield Step(text % words, _ESTABLISHED)
    yield Step(_("RN = RO + G %(new)s.") % words, _ESTABLISHED)


_K_TEXTS: Final[Mapping[int, Promise]] = {
    32: gettext_lazy("k = %(k)d: the rating at the start, %(old)s, is under 2100."),
    24: gettext_lazy("k = %(k)d: the rating at the start, %(old)s, is between 2100 and 2399."),
    16: gettext_lazy("k = %(k)d: the rating at the start, %(old)s, is over 2399."),
}


def _adjustment(result: CycleOutcome) -> Step:
    """Explain the border that the new rating crossed, if any. The printed lines are scrambled."""
    new, old = result.before_adjustment, Fraction(result.old, 100)
    border = result.crossing.border
    decimals = _decimals_of_adjustment(result)
    shown_new = equals(new)
    if border is not None and "≈" in shown_new:
        shown_new = f"≈ {at_decimals(new, decimals)}"
    words: dict[str, Any] = {
        "old": decimal_text(old),
        "new": shown_new,
        "border": border,
        "multiplier": _rating(result.crossing.multiplier),
        "beyond": decimal_text(new - (border or 0))
        if "=" in shown_new
        else at_decimals(new - (border or 0), decimals),
        "after": equals(result.after_adjustment)
        if "=" in shown_new
        else f"≈ {decimal_text(result.after_adjustment)}",
        "gain": _rating(result.adjusted_gain),
    }
    if border is not None:
        text = _(
            "Going from RO = %(old)s to RN %(new)s, the rating crosses %(border)d: RN = %(border)d + (RN "
            "− %(border)d) × %(multiplier)s = %(border)d + (%(beyond)s) × %(multiplier)s %(after)s, so "
            "the adjusted gain is %(gain)s. The printed rule is garbled; this is our reading."
        )
    elif old < 2100:
        text = _("RO = %(old)s and RN %(new)s are both under 2100: RN is not changed.")
    elif old <= 2400 and new <= 2400:
        text = _("RO = %(old)s and RN %(new)s are both in the range from 2100 to 2400: RN is not changed.")
    else:
        text = _("RO = %(old)s and RN %(new)s are both 2400 or more: RN is not changed.")
    return Step(text % words, _ADJUSTMENT)


def _rounding(result: CycleOutcome) -> Step:
    text = _("Rounded once, to two decimals, halves rounded up: %(new)s. Displayed as %(shown)d.")
    new = result.new or Hundredths(0)
    return Step(text % {"new": hundredths_text(new), "shown": displayed(new)}, str(_READING))


def _games_after(result: CycleOutcome) -> Step:
    """Explain the figures with which the next cycle starts."""
    if result.new is None:
        return Step(_("In the next cycle they are a new player again."), str(_READING))
    text = _("Games before the next cycle: np = %(before)d + %(counted)d = %(after)d.")
    words = {"before": result.games_before, "counted": result.counted, "after": result.games_after}
    return Step(text % words, str(_READING))


def _shown_expected(result: CycleOutcome) -> tuple[list[str], str]:
    """Return the expected wins of the games that count, and their sum, as they are shown."""
    games = [game.expected for game in result.games if game.expected is not None]
    return _addends_at(games, _decimals_of_expected(result))


def _shown_opponents(result: CycleOutcome) -> tuple[list[str], str]:
    """Return the ratings of the opponents that count, and their sum, as they are shown."""
    ratings = [game.opponent_rating for game in result.games if game.opponent_rating is not None]
    won = Fraction(result.half_points, 2)
    games, old = result.games_before + result.counted, Fraction(result.old, 100)

    def gives(decimals: int) -> bool:
        total = sum((to_decimals(one, decimals) for one in ratings), Fraction(0))
        points = result.games_before * old + total + 400 * (2 * won - result.counted)
        return _is_shown_as(points / games - old, result.gain)

    return _addends_at(ratings, fewest_decimals(2, gives))


def _decimals_of_expected(result: CycleOutcome) -> int:
    """Return with how many decimals of the expected wins everybody gets the gain that is shown."""
    games = [game.expected for game in result.games if game.expected is not None]

    def gives(decimals: int) -> bool:
        total = sum((to_decimals(one, decimals) for one in games), Fraction(0))
        gain = (result.k or 0) * (Fraction(result.half_points, 2) - total)
        return _is_shown_as(gain, result.gain)

    return fewest_decimals(4, gives) if games else 4


def _decimals_of_adjustment(result: CycleOutcome) -> int:
    """Return with how many decimals of RN everybody gets the rating after the k adjustment."""
    border = result.crossing.border or 0

    def gives(decimals: int) -> bool:
        beyond = to_decimals(result.before_adjustment - border, decimals)
        return _is_shown_as(border + beyond * result.crossing.multiplier, result.after_adjustment)

    return fewest_decimals(2, gives)


def _is_shown_as(found: Fraction, exact: Fraction) -> bool:
    """Return whether a figure that follows from what is shown rounds to the text of the exact one."""
    decimals = len(decimal_text(exact).partition(".")[2])
    return to_decimals(found, decimals) == to_decimals(exact, decimals)


def _addends_at(numbers: Iterable[Fraction], decimals: int) -> tuple[list[str], str]:
    """Format numbers and the sum of what is shown of them."""
    shown = [to_decimals(one, decimals) for one in numbers]
    return [at_decimals(one, decimals) for one in shown], at_decimals(sum(shown, Fraction(0)), decimals)


def _addends(texts: Sequence[str], sign: str, total: str) -> str:
    """Join addends and total. A single addend is the total, so it is shown once."""
    return f"{sign} {' + '.join(texts)} {sign} {total}" if len(texts) > 1 else f"{sign} {total}"


def _rounded(number: Fraction) -> Hundredths:
    """Round half up to hundredths."""
    return Hundredths(divide_half_up(100 * number.numerator, number.denominator))


def _rating(number: Fraction) -> str:
    """Format points with two decimals, marked as rounded if there are more."""
    text = hundredths_text(_rounded(number))
    return text if (100 * number).denominator == 1 else f"≈ {text}"
