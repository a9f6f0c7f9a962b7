"""Words for people where the rules have names for machines."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.models.ledger import Kind
from ratings.rules.time_controls import Category

__all__ = ["CATEGORY_NAMES", "KIND_NAMES", "SCORES", "expected_text"]

CATEGORY_NAMES: Final[dict[Category, Promise]] = {
    Category.RAPID: _("Rapid"),
    Category.BLITZ: _("Blitz"),
    Category.BULLET: _("Bullet"),
}
KIND_NAMES: Final[dict[Kind, Promise]] = {
    Kind.OPENING: _("First rating carried in"),
    Kind.ADJUSTMENT: _("Over-the-board adjustment"),
    Kind.GAME: _("Game"),
}
SCORES: Final = ("0", "½", "1")
"""A score by its half points."""


def expected_text(hundredths: int) -> str:
    """PD as the regulations print it: .48, 1.00."""
    return f"{hundredths // 100 or ''}.{hundredths % 100:02}"
