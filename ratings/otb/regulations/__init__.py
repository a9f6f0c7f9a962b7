"""FIDE B.02 as a rule book of the site."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from ratings.office.rule_books import RuleBook
from ratings.otb.regulations.articles import SECTIONS
from ratings.otb.regulations.examples import EXAMPLES

RULE_BOOK: Final = RuleBook(
    "b02",
    "B.02",
    _("Over the board: B.02"),
    _("How over-the-board ratings work"),
    _(
        "FIDE’s rating regulations B.02 of 1 July 2009, as far as this office applies them. A tournament is "
        "rated as a whole: your rating changes by K for each point that you score more, or less, than "
        "expected."
    ),
    SECTIONS,
    EXAMPLES,
)
