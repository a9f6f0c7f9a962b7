"""What an explanation begins with: the arithmetic at a glance."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foa.text import points
from ratings.rules.rounding import divide_half_up


class Term(NamedTuple):
    """A figure with the sign before it, such as “× 20”, and what it is."""

    sign: str
    figure: str
    name: str


class Picture(NamedTuple):
    """A few terms; the last is what comes of the others.

    ``expected``, ``scored``: per cent of the points that there were, where one is set against the other.
    ``most``: these points.
    """

    terms: tuple[Term, ...]
    expected: int | None = None
    scored: int | None = None
    most: int = 1

    @property
    def anchor(self) -> str:
        """Return how the label of the expected score is aligned to stay within the bar, in SVG's words."""
        return _anchor(self.expected or 0)

    @property
    def scored_anchor(self) -> str:
        """Return the same for the label of the score."""
        return _anchor(self.scored or 0)

    @property
    def scored_figure(self) -> str:
        """Return the score in points, as the terms have it."""
        return self.terms[0].figure

    @property
    def expected_figure(self) -> str:
        """Return the expected score in points, as the terms have it."""
        return self.terms[1].figure

    @property
    def rises(self) -> bool:
        """Whether more was scored than expected."""
        return (self.scored or 0) > (self.expected or 0)

    @property
    def falls(self) -> bool:
        """Whether less was scored than expected."""
        return (self.scored or 0) < (self.expected or 0)


def _anchor(share: int) -> str:
    return "start" if share < 25 else "end" if share > 75 else "middle"


def summand(amount: Decimal) -> tuple[str, str]:
    """The sign and the figure of what is added."""
    return "−" if amount < 0 else "+", points(abs(amount))


def of_scores(
    scored: str,
    expected: str,
    more: str,
    k: int,
    change: str,
    *,
    shares: tuple[Fraction, Fraction],
    equals: str = "=",
    most: int = 1,
) -> Picture:
    """Return (score − expected score) × K, as texts; ``shares`` of the points there were: expected, scored.

    ``equals``: “≈” where the texts are rounded. ``most``: the points that there were, one for each game.
    """
    of_expected, of_scored = (divide_half_up(100 * one.numerator, one.denominator) for one in shares)
    return Picture(
        (
            Term("", scored, _("scored")),
            Term("−", expected, _("expected")),
            Term(equals, more, _("less than expected") if more.startswith("−") else _("more than expected")),
            Term("×", str(k), pgettext("factor", "K")),
            Term(equals, change, _("change in points")),
        ),
        of_expected,
        of_scored,
        most,
    )


def headline_of_scores(player: str, change: Decimal) -> str:
    """What a score in several games did to a rating; true before and after it is rated."""
    if change > 0:
        text = _("%(player)s scored more than expected, so the rating goes up by %(amount)s.")
    elif change < 0:
        text = _("%(player)s scored less than expected, so the rating goes down by %(amount)s.")
    else:
        text = _("%(player)s scored exactly what was expected, so the rating stays the same.")
    return text % {"player": player, "amount": points(abs(change))}
