"""A step of an explanation, and the numbers in its text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from foa.text import signed
from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths


@dataclass(frozen=True, slots=True)
class Step:
    """A step with its article, if there is one. ``lines``: the rated players whose d(p) make d(pa)."""

    text: str
    article: str = ""
    lines: tuple[RatedLine, ...] = ()


class RatedLine(NamedTuple):
    """A rated player of a round robin, with p and d(p)."""

    name: str
    p: str
    dp: str


def whole(number: int) -> str:
    """With the minus sign of the regulations."""
    return str(number).replace("-", "−")


def signed_hundredths(hundredths: Hundredths) -> str:
    """A change or a difference of scores with its sign."""
    return signed(from_hundredths(hundredths))


def decimal_text(number: Fraction) -> str:
    """Up to four decimals: 2375, 29.5, 1933.375; a number that has more is rounded to two."""
    digits = 4 if _is_short(number) else 2
    scaled = divide_half_up(abs(number.numerator) * 10**digits, number.denominator)
    text = str(Decimal(scaled).scaleb(-digits))
    text = text.rstrip("0").rstrip(".") if digits == 4 else text
    return f"−{text}" if number < 0 else text


def equals(number: Fraction) -> str:
    """The number with its sign of equality: = 2348.45, ≈ 2342.44."""
    return f"{'=' if _is_short(number) else '≈'} {decimal_text(number)}"


def _is_short(number: Fraction) -> bool:
    return (number * 10**4).denominator == 1
