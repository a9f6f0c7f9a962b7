"""The regulations on a page: articles, how the office reads them, examples and tables."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from ratings.regulations.articles import SECTIONS
from ratings.regulations.examples import EXAMPLES
from ratings.regulations.tables import DP_COLUMNS, DP_ROWS, PD_COLUMNS, PD_ROWS

_ROWS_TOGETHER = 17
"""Both tables are printed in stretches of seventeen rows, as in the regulations: 6 × 17 and 3 × 17."""


class HowView(TemplateView):
    """Every article that an explanation cites stands here under its own address."""

    template_name = "ratings/how.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Sections, examples by article, and the tables in stretches."""
        examples = defaultdict(list)
        for article, text, words in EXAMPLES:
            examples[article].append(str(text) % words)
        told = [
            (section, [(article, examples[article.number]) for article in section.articles])
            for section in SECTIONS
        ]
        return super().get_context_data(
            sections=told,
            tables=[
                ("table-4-1", _("Table 4.1: from score to difference"), DP_COLUMNS, _in_stretches(DP_ROWS)),
                (
                    "table-4-2",
                    _("Table 4.2: from difference to expected score"),
                    PD_COLUMNS,
                    _in_stretches(PD_ROWS),
                ),
            ],
            **kwargs,
        )


def _in_stretches(rows: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [rows[start : start + _ROWS_TOGETHER] for start in range(0, len(rows), _ROWS_TOGETHER)]
