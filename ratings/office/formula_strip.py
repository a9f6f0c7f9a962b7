"""The strip at the top of an explanation: the arithmetic at a glance."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foa.text import points
from ratings.rules.rounding import divide_half_up


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
        text = _("%(player)s scored more than expected, so the rating goes up by %(amount)s.")
    elif change < 0:
        text = _("%(player)s scored less than expected, so the rating goes down by %(amount)s.")
    else:
        text = _("%(player)s scored exactly what was expected, so the rating stays the same.")
    return text % {"player": player, "amount": points(abs(change))}
