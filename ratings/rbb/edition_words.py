"""Editions of RBB in words: what an amendment changes, with values that are the same in every language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from foa.said import Said, gettext, plain
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.rbb.editions import ANY_AGE, ANY_GAMES, ANY_RATING, Amendment, Edition, KRule
from ratings.rules.time_controls import Category


class Change(NamedTuple):
    """A number that an amendment changes. ``before`` is empty where there was none."""

    key: str
    label: Said
    before: str
    after: str


def conditions(rule: KRule) -> Said:
    """Return whose K a rule gives: “Blitz, rating ≥ 2000”. Empty for everybody's."""
    told = []
    if rule.categories != tuple(Category):
        names = [CATEGORY_NAMES[one] for one in rule.categories]
        told.append(plain(", ".join(["%s"] * len(names))) % tuple(names))
    if rule.new:
        told.append(gettext("new players"))
    scales = (
        (gettext("games"), rule.games, (0, ANY_GAMES), 1),
        (gettext("rating"), rule.ratings, (0, ANY_RATING), 100),
        (gettext("age"), rule.ages, (0, ANY_AGE), 1),
    )
    for name, (low, high), (least, most), unit in scales:
        if low != least:
            told.append(plain("%s ≥ %s") % (name, f"{low / unit:g}"))
        if high != most:
            told.append(plain("%s < %s") % (name, f"{high / unit:g}"))
    return plain(", ".join(["%s"] * len(told))) % tuple(told)


def rule_text(rule: KRule) -> Said:
    """Return a rule of K: “K = 15 (Blitz, rating ≥ 2000)”."""
    k = plain("K = %s") % rule.k
    return plain("%s (%s)") % (k, told) if (told := conditions(rule)) else k


def _numbers(amendment: Amendment) -> Iterator[tuple[str, Said, Any, int]]:
    """Yield key, label, value and unit of each number that an amendment mentions, except rules of K."""
    for category, k in zip(Category, amendment.k, strict=True):
        if k is not None:
            label = gettext("K in %(category)s") % {"category": CATEGORY_NAMES[category]}
            yield f"k {category.slug}", label, k, 1
    others = (
        ("k_new", gettext("K for new players"), 1),
        ("new_games", gettext("games with that K"), 1),
        ("bonus", gettext("first rating: points for each half point over 50%"), 100),
        ("cap", gettext("cap on the rating difference"), 1),
    )
    for name, label, unit in others:
        if (value := getattr(amendment, name)) is not None:
            yield name, label, value, unit


def amendment_text(amendment: Amendment) -> Said:
    """Return all that an amendment says, in a line."""
    told = [plain("%s: %s") % (label, f"{value / unit:g}") for _k, label, value, unit in _numbers(amendment)]
    told += map(rule_text, amendment.k_rules)
    return plain(" · ".join(["%s"] * len(told))) % tuple(told)


def changes(amendment: Amendment, before: Edition) -> Iterator[Change]:
    """Yield what an amendment changes in the edition before it."""
    for key, label, value, unit in _numbers(amendment):
        name, _space, slug = key.partition(" ")
        was = before.k[Category.from_slug(slug)] if slug else getattr(before, name)
        if was != value:
            yield Change(key, label, "" if was is None else f"{was / unit:g}", f"{value / unit:g}")
    for number, rule in enumerate(amendment.k_rules, 1):
        told = conditions(rule)
        label = plain("K: %s") % (told,) if told else plain("K")
        yield Change(f"k_rule {number}", label, "", str(rule.k))
