"""Exact numbers in files: a point or comma before the decimals, and none of Python's other notations."""

import re
from typing import Final

from ratings.rules.units import Hundredths

_NUMBER: Final = re.compile(r"([+-]?)([0-9]{1,6})(?:[.,]([0-9]{1,2}))?", re.ASCII)
"""A number with at most two decimals (RBB 3.1). Three could be thousands: 1,500."""


def hundredths_of(text: str) -> Hundredths:
    """Return the hundredths of 1799.60, 1799,6, -12.40 or 1800; raises ValueError for others, such as 1e3."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(text)
    sign = -1 if match[1] == "-" else 1
    return Hundredths(sign * (int(match[2]) * 100 + int((match[3] or "").ljust(2, "0"))))
