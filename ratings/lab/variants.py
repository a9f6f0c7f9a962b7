"""Variants of the rules in words, and what the lab needs of them beyond their numbers."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import utc
from ratings.formats.variants import TODAY, Variant
from ratings.rbb.edition_words import changes, rule_text
from ratings.rules.rbb.editions import PRINTED, Edition
from ratings.rules.tables import EXPECTED_HIGHER

_CURVE_ENDS: Final = 1_721
"""The first difference at which the logistic curve, to four places, is 1."""


def expected_scores(formula: str, cap: int | None) -> list[int]:
    """Return the expected score of the higher-rated player by difference, in ten-thousandths.

    The last one holds for every greater difference.
    """
    if formula == "table":
        scores = [100 * higher for higher in EXPECTED_HIGHER]
    else:
        scores = [round(10_000 / (1 + 10 ** (-d / 400))) for d in range(_CURVE_ENDS)] + [10_000]
    return scores if cap is None else scores[: cap + 1]


YARDSTICK_NAMES: Final = {
    "elo": _("Elo, as implemented in elote"),
    "glicko": _("Glicko-1, as implemented in elote"),
    "openskill": _("Plackett–Luce, as implemented in openskill"),
    "whr": _("Whole-History Rating, fitted to the games before the predicted ones"),
}


def differences(variant: Variant, before: Edition = PRINTED) -> list[str]:
    """Return what the variant changes in the edition before it, in the language of the page."""
    if variant.yardstick:
        return [str(YARDSTICK_NAMES[variant.yardstick])]
    told: list[str] = []

    def tell(text: str, value: object, today: object) -> None:
        if value != today:
            told.append(gettext("%(what)s: %(value)s (today %(today)s)") % {
                "what": text, "value": value, "today": today,
            })  # fmt: skip

    for change in changes(variant.amendment, before):
        if change.before:
            tell(change.label, change.after, change.before)
    told += map(rule_text, variant.amendment.k_rules)
    tell(gettext("rating floor"), f"{variant.floor / 100:g}", f"{TODAY.floor / 100:g}")
    tell(gettext("results for a first rating"), variant.first_games, TODAY.first_games)
    if variant.start:
        told.append(gettext("everybody starts at %(rating)s") % {"rating": f"{variant.start / 100:g}"})
    if variant.formula != TODAY.formula:
        told.append(gettext("the logistic formula in place of table 4.2"))
    cap = before.amended(variant.amendment).cap
    if cap != before.cap:
        told.append(gettext("differences above %(cap)s count as %(cap)s") % {"cap": cap})
    if variant.advantage:
        told.append(gettext("White gets %(points)s points") % {"points": f"{variant.advantage:+d}"})
    if told and variant.since:
        told.append(gettext("from %(moment)s on") % {"moment": utc(variant.since)})
    return told
