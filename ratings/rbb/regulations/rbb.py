"""RBB as a rule book of the site."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from ratings.office.explanations import PrintedRow
from ratings.office.rule_books import RuleBook, Table
from ratings.rbb.regulations.articles import SECTIONS
from ratings.rbb.regulations.examples import EXAMPLES
from ratings.rbb.regulations.tables import DP_COLUMNS, DP_ROWS, PD_COLUMNS, PD_ROWS

_ROWS_TOGETHER: Final = 17
"""Number of rows printed together, as in the regulations: 6 × 17 and 3 × 17."""


def _in_stretches(rows: tuple[PrintedRow, ...]) -> list[tuple[PrintedRow, ...]]:
    return [rows[start : start + _ROWS_TOGETHER] for start in range(0, len(rows), _ROWS_TOGETHER)]


RULE_BOOK: Final = RuleBook(
    "rbb",
    "RBB",
    _("Arena: RBB"),
    _("How ratings work"),
    _("The RBB regulations of FIDE Online Arena: rapid, blitz and bullet on the arena."),
    SECTIONS,
    EXAMPLES,
    (
        Table("table-4-1", _("Table 4.1: from score to difference"), DP_COLUMNS, _in_stretches(DP_ROWS)),
        Table(
            "table-4-2", _("Table 4.2: from difference to expected score"), PD_COLUMNS, _in_stretches(PD_ROWS)
        ),
    ),
)
