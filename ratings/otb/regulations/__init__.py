"""FIDE's regulations over the board as rule books of the site: those of 2024, and B.02 of 2009."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from ratings.office.rule_books import RuleBook
from ratings.otb.regulations import articles_2024, examples
from ratings.otb.regulations.articles import SECTIONS

STANDARD_2024: Final = RuleBook(
    "b02-2024",
    "B.02 (2024)",
    _("Over the board: standard, B.02 (2024)"),
    _("How standard ratings work"),
    _(
        "FIDE’s Rating Regulations of 1 March 2024 with the amendment of 1 October 2025, as far as this"
        " office applies them. Each month your rating changes by K for each point that you score more, or"
        " less, than expected."
    ),
    articles_2024.STANDARD,
    examples.STANDARD,
)

RAPID_AND_BLITZ_2024: Final = RuleBook(
    "b02-rapid-blitz-2024",
    "B.02 RB (2024)",
    _("Over the board: rapid and blitz, B.02 RB (2024)"),
    _("How rapid and blitz ratings work"),
    _(
        "FIDE’s Rapid and Blitz Rating Regulations of 1 March 2024 with the amendment of 1 December 2024, as"
        " far as this office applies them. Rapid and blitz are two lists, each with ratings of its own."
    ),
    articles_2024.RAPID_AND_BLITZ,
    examples.RAPID_AND_BLITZ,
)

B02_2009: Final = RuleBook(
    "b02",
    "B.02",
    _("Over the board: B.02 (2009)"),
    _("How over-the-board ratings of 2009 work"),
    _(
        "FIDE’s rating regulations B.02 of 1 July 2009, as far as this office applies them. They are for the"
        " lists and tournaments that the office still rates and publishes under them. A tournament is rated"
        " as a whole: your rating changes by K for each point that you score more, or less, than expected."
    ),
    SECTIONS,
    examples.OF_2009,
    in_force=False,
)
