"""The tables of RBB 4.1 and 4.2: the rows as printed, each with its anchor on the page."""

from __future__ import annotations

from typing import Final

from ratings.office.explanations import Excerpt, PrintedRow, hundredths_text, whole
from ratings.rules import tables
from ratings.rules.tables import DP, pd_row
from ratings.rules.units import Hundredths, Points

_NEIGHBOURS: Final = 2


def span(first: int, last: int | None) -> str:
    """Return the differences in a row of table 4.2: 518–559, or > 735 for the open-ended one."""
    return f"> {first - 1}" if last is None else f"{first}–{last}"


DP_COLUMNS: Final = ("p", "dp")
DP_ROWS: Final = tuple(
    PrintedRow(f"table-4-1-{p}", (hundredths_text(Hundredths(p)), whole(DP[p]))) for p in range(100, -1, -1)
)
"""RBB 4.1, from p = 1.00 down; the anchor has p in hundredths."""

PD_COLUMNS: Final = ("D", "H", "L")
PD_ROWS: Final = tuple(
    PrintedRow(f"table-4-2-{first}", (span(first, last), hundredths_text(higher), hundredths_text(lower)))
    for first, last, higher, lower in tables.PD_ROWS
)
"""RBB 4.2; the anchor has the first difference of the row."""


def pd_excerpt(difference: Points, is_higher: bool) -> Excerpt:
    """Return the part of RBB 4.2 around this difference; H is for the higher-rated player, else L."""
    index = tables.PD_ROWS.index(pd_row(difference))
    return Excerpt("4.2", PD_COLUMNS, *_around(PD_ROWS, index), column=1 if is_higher else 2)


def dp_excerpt(p: int) -> Excerpt:
    """Return the part of RBB 4.1 around this fractional score in hundredths."""
    return Excerpt("4.1", DP_COLUMNS, *_around(DP_ROWS, 100 - p), column=1)


def _around(rows: tuple[PrintedRow, ...], index: int) -> tuple[tuple[PrintedRow, ...], PrintedRow]:
    return rows[max(index - _NEIGHBOURS, 0) : index + _NEIGHBOURS + 1], rows[index]
