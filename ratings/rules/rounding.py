"""The one rounding of the office: half up, on exact integers.

RBB 3.1 keeps ratings as decimals with two places. Here they are integers in hundredths of a point, so
that no binary float ever touches a rating. Python's ``round()`` and ``%.0f`` round half to even and are
therefore wrong for RBB 3.13.
"""

from decimal import Decimal

from ratings.rules.units import Hundredths, Points

_TWO_PLACES = Decimal("0.01")


def displayed(hundredths: Hundredths) -> Points:
    """Return a rating or difference in hundredths as whole points, 0.5 rounded upwards (RBB 3.12, 3.13).

    2215.50 becomes 2216; 1799.60 and 1800.20 both become 1800.
    """
    return Points((hundredths + 50) // 100)


def divide_half_up(dividend: int, divisor: int) -> int:
    """Return the quotient as an integer, a half rounded upwards (for a positive divisor)."""
    return (2 * dividend + divisor) // (2 * divisor)


def from_hundredths(hundredths: Hundredths) -> Decimal:
    """Return points as an exact decimal with two places: 179960 becomes 1799.60."""
    return Decimal(hundredths).scaleb(-2)


def points_or_none(hundredths: Hundredths | None) -> Decimal | None:
    """Return points like :func:`from_hundredths`, None for None."""
    return None if hundredths is None else from_hundredths(hundredths)


def to_hundredths(points: Decimal) -> Hundredths:
    """Return hundredths of a point from an exact decimal.

    Raises ValueError when the decimal has more than two places (RBB 3.1) or is not a finite number.
    """
    if not points.is_finite() or points != points.quantize(_TWO_PLACES):
        raise ValueError(f"{points} has more than two decimal places (RBB 3.1)")
    return Hundredths(int(points.scaleb(2)))
