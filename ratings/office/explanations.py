"""Explanations: a sentence, the steps that lead to it, and how numbers are written in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext as _

from foa.text import points, signed
from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths

_MOST_DECIMALS: Final = 12


class PrintedRow(NamedTuple):
    """A row of a printed table: its anchor on the page of the regulations, and its cells."""

    anchor: str
    cells: tuple[str, ...]


class Excerpt(NamedTuple):
    """A row with its neighbours. ``column``: the cell of the row that counts."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[PrintedRow, ...]
    chosen: PrintedRow
    column: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an explanation.

    ``article``: the articles cited, separated by commas. ``lines``: rows of a table below the text, of
    whatever kind the rule book's page shows. ``name`` and the names in ``values`` are stable where JSON
    includes them (docs/json.md); ``text`` is for people. ``minor``: only shown to readers who ask for every
    step. ``number``: its place in the explanation, 0 where JSON doesn't include it. ``decision``: the page of
    the register with the decision that made the rule, if one did.
    """

    text: str
    article: str = ""
    lines: tuple[Any, ...] = ()
    name: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    excerpt: Excerpt | None = None
    minor: bool = False
    number: int = 0
    decision: str = ""

    @property
    def articles(self) -> tuple[str, ...]:
        return tuple(self.article.split(", ")) if self.article else ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a figure. Rule books add what else their pages show.

    ``headline``: what happened, for everybody; ``sentence``: the same with exact figures. The two are equal
    where one text serves both.
    """

    sentence: str
    steps: tuple[Step, ...]
    headline: str = field(kw_only=True)
    picture: Picture | None = field(kw_only=True, default=None)

    @property
    def has_minor_steps(self) -> bool:
        return any(step.minor for step in self.steps)


def whole(number: int) -> str:
    """Format a whole number with the minus sign of the regulations."""
    return str(number).replace("-", "−")


def hundredths_text(hundredths: Hundredths) -> str:
    """Format a rating or an expected score with two decimals: 1799.60, 0.48, 1.00."""
    return points(from_hundredths(hundredths))


def signed_hundredths(hundredths: Hundredths) -> str:
    """Format a change or a difference of scores with its sign."""
    return signed(from_hundredths(hundredths))


def decimal_text(number: Fraction) -> str:
    """Format a number with up to four decimals (2375, 29.5, 1933.375), or rounded to two if it has more."""
    digits = 4 if _is_short(number) else 2
    scaled = divide_half_up(abs(number.numerator) * 10**digits, number.denominator)
    text = str(Decimal(scaled).scaleb(-digits))
    text = text.rstrip("0").rstrip(".") if digits == 4 else text
    return f"−{text}" if number < 0 else text


def equals(number: Fraction, *terms: Fraction) -> str:
    """Format a number with its equals sign: = 2348.45, ≈ 2342.44.

    ``terms``: the numbers it is calculated from. If one of them is shown rounded, so is the result.
    """
    return f"{'=' if all(map(_is_short, (number, *terms))) else '≈'} {decimal_text(number)}"


def equals_rounded(number: Fraction, rounded: int, *terms: Fraction) -> str:
    """Format a number as ``equals`` does, and what it is rounded to: = 2312, = 2306.5, rounded 2307."""
    if number == rounded:
        return equals(number, *terms)
    return gettext("%(exact)s, rounded to %(rounded)d") % {
        "exact": equals(number, *terms),
        "rounded": rounded,
    }


def fewest_decimals(least: int, gives: Callable[[int], bool]) -> int:
    """Return the fewest decimals, from ``least`` up, with which the figures shown give the result shown."""
    return next(filter(gives, range(least, _MOST_DECIMALS)), _MOST_DECIMALS)


def to_decimals(number: Fraction, decimals: int) -> Fraction:
    """Round to so many decimals, a half away from zero."""
    found = Fraction(divide_half_up(abs(number.numerator) * 10**decimals, number.denominator), 10**decimals)
    return -found if number < 0 else found


def at_decimals(number: Fraction, decimals: int) -> str:
    """Format a number with so many decimals."""
    text = str(Decimal(int(abs(to_decimals(number, decimals)) * 10**decimals)).scaleb(-decimals))
    return f"−{text}" if number < 0 else text


def _is_short(number: Fraction) -> bool:
    return (number * 10**4).denominator == 1


class Term(NamedTuple):
    """A figure with the sign before it, such as “× 20”, and its meaning.

    ``opens``, ``closes``: a bracket stands before or after the figure.
    """

    sign: str
    figure: str
    name: str
    opens: bool = False
    closes: bool = False


class Picture(NamedTuple):
    """The terms of a formula. The last one is the result.

    ``expected``, ``scored``: percentages of the available points, if one is compared with the other.
    ``most``: the available points.
    """

    terms: tuple[Term, ...]
    expected: int | None = None
    scored: int | None = None
    most: int = 1

    @property
    def text(self) -> str:
        """Return the formula without names, such as (1 − 0.36) × 20 = +12.80."""
        figures = (f"{'(' * one.opens}{one.figure}{')' * one.closes}" for one in self.terms)
        return " ".join(
            f"{one.sign} {figure}".strip() for one, figure in zip(self.terms, figures, strict=True)
        )

    @property
    def anchor(self) -> str:
        """Return the SVG text-anchor that keeps the label of the expected score within the bar."""
        return _anchor(self.expected or 0)

    @property
    def scored_anchor(self) -> str:
        """Return the SVG text-anchor that keeps the label of the score within the bar."""
        return _anchor(self.scored or 0)

    @property
    def scored_figure(self) -> str:
        """Return the score in points, as shown in the terms."""
        return self.terms[0].figure

    @property
    def expected_figure(self) -> str:
        """Return the expected score in points, as shown in the terms."""
        return self.terms[1].figure

    @property
    def rises(self) -> bool:
        """Return True if the score exceeds the expected score."""
        return (self.scored or 0) > (self.expected or 0)

    @property
    def falls(self) -> bool:
        """Return True if the score is below the expected score."""
        return (self.scored or 0) < (self.expected or 0)


def _anchor(share: int) -> str:
    return "start" if share < 25 else "end" if share > 75 else "middle"


def summand(amount: Decimal) -> tuple[str, str]:
    """Return the sign and the figure of an amount that is added."""
    return "−" if amount < 0 else "+", points(abs(amount))


def of_scores(
    scored: str,
    expected: str,
    k: int,
    change: str,
    *,
    shares: tuple[Fraction, Fraction],
    equals: str = "=",
    most: int = 1,
) -> Picture:
    """Return (score − expected score) × K as texts. ``shares``: expected and scored shares of all points.

    ``equals``: “≈” if the texts are rounded. ``most``: the available points, one for each game.
    """
    of_expected, of_scored = (divide_half_up(100 * one.numerator, one.denominator) for one in shares)
    return Picture(
        (
            Term("", scored, _("scored"), opens=True),
            Term("−", expected, _("expected"), closes=True),
            Term("×", str(k), pgettext("factor", "K")),
            Term(equals, change, _("change in points")),
        ),
        of_expected,
        of_scored,
        most,
    )


def headline_of_scores(player: str, change: Decimal) -> str:
    """Say what a score in several games does to a rating. The text is true before and after rating."""
    if change > 0:
        text = _("%(player)s scored more than expected, so the rating rises by %(amount)s.")
    elif change < 0:
        text = _("%(player)s scored less than expected, so the rating falls by %(amount)s.")
    else:
        text = _("%(player)s scored exactly what was expected, so the rating stays the same.")
    return text % {"player": player, "amount": points(abs(change))}
